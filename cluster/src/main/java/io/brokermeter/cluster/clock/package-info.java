/**
 * Measures how far the clock of an agent is from that of the coordinator, with a bound: authenticated probes between the two, the band of
 * lines that all of them allow, and the line by which an agent computes the coordinator's time. Clocks are {@link System#nanoTime()}, never
 * wall time. This package uses the JDK alone and knows nothing of membership, messages or runs.
 */
@NullMarked
package io.brokermeter.cluster.clock;

import org.jspecify.annotations.NullMarked;
