/**
 * The base of drivers that speak a protocol over a socket of their own: dialing, plain and TLS sockets, buffers for reading and writing,
 * the lifecycle of a connection, the window of unconfirmed sends and the thread of a consumer that may block.
 */
@NullMarked
package io.brokermeter.driver.wire;

import org.jspecify.annotations.NullMarked;
