/**
 * The interfaces that a driver implements. A driver knows one protocol and nothing of schedules, statistics or brokers; the engine
 * knows these and no protocol. This package uses the JDK alone.
 *
 * <p>Threads: every {@link io.brokermeter.spi.Producer} is used by one thread. Listeners may be called from any
 * thread of the client library, and must not block it.
 */
@NullMarked
package io.brokermeter.spi;

import org.jspecify.annotations.NullMarked;
