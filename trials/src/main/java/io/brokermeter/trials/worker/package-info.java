/** A process that does one trial or one share of a run, and its parent. */
@NullMarked
package io.brokermeter.trials.worker;

import org.jspecify.annotations.NullMarked;
