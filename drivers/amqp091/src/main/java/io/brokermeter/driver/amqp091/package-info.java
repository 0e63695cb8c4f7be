/** AMQP 0-9-1: over sockets of its own, and over RabbitMQ's Java client where that can do more. */
@NullMarked
package io.brokermeter.driver.amqp091;

import org.jspecify.annotations.NullMarked;
