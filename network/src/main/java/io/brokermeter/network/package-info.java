/**
 * A simulated network between clients and a broker: delay, limited bandwidth, packet loss and interruptions, without the help of the
 * broker or of its protocol. Besides the JDK this package uses {@code io.brokermeter.proc} alone; it knows nothing of brokers or runs.
 */
@NullMarked
package io.brokermeter.network;

import org.jspecify.annotations.NullMarked;
