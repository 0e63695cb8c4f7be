package io.brokermeter.driver.core.codec;

import io.brokermeter.spi.failure.DriverException;

/** The refusal of a broker that does not speak the version of the protocol that this package does, which Artemis' client may do without. */
public final class OlderBroker extends DriverException {

    private static final long serialVersionUID = 1L;

    OlderBroker(CoreRefusal refusal) {
        super("The broker does not speak the protocol of Artemis 2.37, which brokermeter's own path needs.", refusal);
    }
}
