/** The parts shared by both implementations of AMQP 0-9-1: parameters, the mapping of destinations, and the tracking of confirmations. */
@NullMarked
package io.brokermeter.driver.amqp091.model;

import org.jspecify.annotations.NullMarked;
