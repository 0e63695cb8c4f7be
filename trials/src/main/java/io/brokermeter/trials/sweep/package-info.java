/** Many trials: sweeps, pairs, windows and searches, their plans, files and progress. */
@NullMarked
package io.brokermeter.trials.sweep;

import org.jspecify.annotations.NullMarked;
