/**
 * One run from the first connection to the last: send loops, windows, deliveries, drain and stop.
 */
@NullMarked
package io.brokermeter.engine.run;

import org.jspecify.annotations.NullMarked;
