/**
 * AMQP 1.0 spoken directly on a socket, for the plain case that most runs are: a queue or a topic, without transactions, named
 * subscriptions or failover. Everything else is left to qpid-jms; {@link io.brokermeter.driver.amqp.direct.DirectPath} decides.
 *
 * <p>A client library passes each message from thread to thread and each acknowledgement to a socket write of its own. Here the sending
 * thread encodes into the connection's buffer and writes it itself, one thread per connection reads, and everything that one read brought
 * is answered with one write.
 */
@NullMarked
package io.brokermeter.driver.amqp.direct;

import org.jspecify.annotations.NullMarked;
