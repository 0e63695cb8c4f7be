/** AMQP 0-9-1 over {@code com.rabbitmq:amqp-client}. */
@NullMarked
package io.brokermeter.driver.amqp091.library;

import org.jspecify.annotations.NullMarked;
