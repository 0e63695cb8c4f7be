/** The driver for NATS: core subjects, which drop messages without a receiver, and JetStream's streams, which store them. */
@NullMarked
package io.brokermeter.driver.nats;

import org.jspecify.annotations.NullMarked;
