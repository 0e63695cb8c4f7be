/** AMQP 0-9-1 over {@code com.rabbitmq:amqp-client}. */
@NullMarked
package io.brokermeter.driver.amqp091.client;

import org.jspecify.annotations.NullMarked;
