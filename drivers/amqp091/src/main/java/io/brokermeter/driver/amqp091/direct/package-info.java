/**
 * AMQP 0-9-1 on a blocking socket, without an event loop: the sending thread encodes a message into the connection's buffer and writes it,
 * one thread reads with a large buffer and delivers from it, and all messages of one read are acknowledged together.
 */
@NullMarked
package io.brokermeter.driver.amqp091.direct;

import org.jspecify.annotations.NullMarked;
