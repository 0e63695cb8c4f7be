package io.brokermeter.driver.core;

import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** Makes the client's connection factory, and chooses the transport that its connections use. */
final class Transports {

    private Transports() {}

    /**
     * The factory for a URL that {@link CoreUrl} has checked. The caller closes it.
     *
     * @param connectTimeoutMillis the longest a TCP connect may take, unless the URL says otherwise
     */
    static ActiveMQConnectionFactory factory(String url, int connectTimeoutMillis) {
        var factory = new ActiveMQConnectionFactory(url);
        for (var connector : factory.getServerLocator().getStaticTransportConfigurations()) {
            connector.getParams().putIfAbsent(TransportConstants.NETTY_CONNECT_TIMEOUT, connectTimeoutMillis);
        }
        return factory;
    }
}
