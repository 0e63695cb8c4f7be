/** Carries out the faults of a run: checks them before anything starts, and applies them to the broker while it runs. */
@NullMarked
package io.brokermeter.trials.faults;

import org.jspecify.annotations.NullMarked;
