/** The driver for AMQP 1.0. */
@NullMarked
package io.brokermeter.driver.amqp;

import org.jspecify.annotations.NullMarked;
