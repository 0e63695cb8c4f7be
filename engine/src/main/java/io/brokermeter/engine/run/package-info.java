/**
 * The execution of one run, from its first connection to its last: send loops, windows, deliveries, drain and stop.
 */
@NullMarked
package io.brokermeter.engine.run;

import org.jspecify.annotations.NullMarked;
