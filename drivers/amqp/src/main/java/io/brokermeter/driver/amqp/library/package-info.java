/** AMQP 1.0 over Apache Qpid JMS. */
@NullMarked
package io.brokermeter.driver.amqp.library;

import org.jspecify.annotations.NullMarked;
