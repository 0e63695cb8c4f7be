/**
 * AMQP 0-9-1 on a blocking socket, without an event loop: the sending thread encodes a message into one buffer and writes it, one
 * thread reads with a large buffer and delivers from it, and what a read brought is acknowledged at once.
 */
@NullMarked
package io.brokermeter.driver.amqp091.direct;

import org.jspecify.annotations.NullMarked;
