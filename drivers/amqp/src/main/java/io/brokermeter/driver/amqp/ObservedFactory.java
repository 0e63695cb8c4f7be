package io.brokermeter.driver.amqp;

import java.net.URI;

import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.provider.Provider;
import org.jspecify.annotations.Nullable;

/** A factory for one connection, whose provider it keeps. */
final class ObservedFactory extends JmsConnectionFactory {

    private volatile @Nullable ObservedProvider provider;

    ObservedFactory(String url) {
        super(url);
    }

    @Override
    protected Provider createProvider(URI remoteURI) throws Exception {
        var made = new ObservedProvider(Transports.provider(remoteURI));
        provider = made;
        return made;
    }

    /** The provider of the connection that was made; null before that. */
    @Nullable ObservedProvider provider() {
        return provider;
    }
}
