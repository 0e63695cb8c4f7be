package io.brokermeter.driver.amqp;

import java.net.URI;

import org.apache.qpid.jms.provider.Provider;
import org.apache.qpid.jms.provider.ProviderFactory;

/** Chooses what carries a connection: the client's own provider and transport, or a leaner one. */
final class Transports {

    private Transports() {}

    /**
     * The provider for a URL that {@link AmqpUrl} has checked. Nothing is connected yet.
     *
     * @throws Exception when the URL holds an option that the provider does not know
     */
    static Provider provider(URI url) throws Exception {
        return ProviderFactory.create(url);
    }
}
