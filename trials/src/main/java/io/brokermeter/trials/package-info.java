/**
 * Runs and trials: one run with its broker, its endpoints, its files and its end, and sweeps, whose trials run in workers.
 */
@NullMarked
package io.brokermeter.trials;

import org.jspecify.annotations.NullMarked;
