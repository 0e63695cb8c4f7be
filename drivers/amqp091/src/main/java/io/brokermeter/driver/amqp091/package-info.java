/** The driver for AMQP 0-9-1: over its own sockets, and over RabbitMQ's Java client for features that only that client has. */
@NullMarked
package io.brokermeter.driver.amqp091;

import org.jspecify.annotations.NullMarked;
