/** What readings of this machine are worth: short measurements of the instrument itself, and answers that are known beforehand. */
@NullMarked
package io.brokermeter.trials.selftest;

import org.jspecify.annotations.NullMarked;
