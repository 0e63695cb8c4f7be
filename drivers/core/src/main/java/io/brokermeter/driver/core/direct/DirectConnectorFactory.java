package io.brokermeter.driver.core.direct;

import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnector;
import org.apache.activemq.artemis.spi.core.remoting.BufferHandler;
import org.apache.activemq.artemis.spi.core.remoting.ClientConnectionLifeCycleListener;
import org.apache.activemq.artemis.spi.core.remoting.ClientProtocolManager;
import org.apache.activemq.artemis.spi.core.remoting.Connector;
import org.apache.activemq.artemis.spi.core.remoting.ConnectorFactory;

/**
 * Creates {@link DirectConnector}s. The CORE client finds this class by its name, which {@link DirectTransport#install} puts into a
 * configuration.
 */
public final class DirectConnectorFactory implements ConnectorFactory {

    @Override
    public Connector createConnector(
            Map<String, Object> configuration, BufferHandler handler, ClientConnectionLifeCycleListener listener,
            Executor closeExecutor, Executor threadPool, ScheduledExecutorService scheduledThreadPool,
            ClientProtocolManager protocolManager) {
        return new DirectConnector(
            configuration, handler, listener, closeExecutor, protocolManager);
    }

    /** Returns false: the client must send pings, since a broker can vanish without closing its connections. */
    @Override
    public boolean isReliable() {
        return false;
    }

    @Override
    public Map<String, Object> getDefaults() {
        return NettyConnector.DEFAULT_CONFIG;
    }
}
