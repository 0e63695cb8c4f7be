/**
 * A transport for the CORE client with few thread switches and system calls: sending threads write to the socket themselves, one thread per
 * connection reads, and small packets are written together. {@link io.brokermeter.driver.core.direct.DirectTransport} is the entry point.
 */
@NullMarked
package io.brokermeter.driver.core.direct;

import org.jspecify.annotations.NullMarked;
