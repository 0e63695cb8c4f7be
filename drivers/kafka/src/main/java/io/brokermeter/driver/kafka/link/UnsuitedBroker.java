package io.brokermeter.driver.kafka.link;

import io.brokermeter.spi.failure.DriverException;

/** The failure to connect over this path to a broker that lacks a request of it, which Kafka's client may do without. */
public final class UnsuitedBroker extends DriverException {

    UnsuitedBroker(String sentence) {
        super(sentence, null);
    }
}
