/** What makes the faults of a run: checked before anything starts, and done to the broker while it runs. */
@NullMarked
package io.brokermeter.trials.faults;

import org.jspecify.annotations.NullMarked;
