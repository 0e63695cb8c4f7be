package io.brokermeter.hosts.artemis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.hosts.HostArguments;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.ClusterConnectionConfiguration;
import org.apache.activemq.artemis.core.config.HAPolicyConfiguration;
import org.apache.activemq.artemis.core.config.ha.SharedStoreBackupPolicyConfiguration;
import org.apache.activemq.artemis.core.config.ha.SharedStorePrimaryPolicyConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.cluster.BackupManager;
import org.apache.activemq.artemis.core.server.cluster.impl.MessageLoadBalancingType;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;

/**
 * Configures a primary and a backup over one store: the broker that holds the lock of the store serves, and the backup
 * gets the lock as soon as the process of the primary is gone. They know each other by a cluster connection, and
 * announce each other to their clients.
 */
final class StorePair {

    static final String BACKUP = "backup";

    private static final String NAME = "pair";
    private static final Duration ANNOUNCEMENT_LIMIT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private StorePair() {}

    /**
     * Adds the pair to the configuration of a broker.
     *
     * @param arguments arguments of the broker, with the setting {@code peer}, the port of the other one
     * @param role {@code primary} or {@link #BACKUP}
     * @param secret password that only the two brokers know
     */
    static void configure(ConfigurationImpl configuration, HostArguments arguments, String role, String secret) throws IOException {
        int peer = Integer.parseInt(arguments.setting("peer").orElseThrow(() -> new IOException("The setting peer is missing")));
        configuration.addConnectorConfiguration("self", connector(arguments.port()));
        configuration.addConnectorConfiguration("peer", connector(peer));
        configuration.addClusterConfiguration(new ClusterConnectionConfiguration().setName(NAME).setConnectorName("self")
            .setStaticConnectors(List.of("peer")).setRetryInterval(100)
            .setMessageLoadBalancingType(MessageLoadBalancingType.OFF));
        configuration.setClusterUser("brokermeter-pair");
        configuration.setClusterPassword(secret);
        HAPolicyConfiguration policy = role.equals(BACKUP)
            ? new SharedStoreBackupPolicyConfiguration().setFailoverOnServerShutdown(true).setAllowFailBack(false)
            : new SharedStorePrimaryPolicyConfiguration().setFailoverOnServerShutdown(true);
        configuration.setHAPolicyConfiguration(policy);
    }

    private static TransportConfiguration connector(int port) {
        return new TransportConfiguration(NettyConnectorFactory.class.getName(),
            Map.of(TransportConstants.HOST_PROP_NAME, "127.0.0.1", TransportConstants.PORT_PROP_NAME, port));
    }

    /** Waits until the primary knows its backup, so that every client that connects from then on learns of it. */
    static void awaitAnnouncement(ActiveMQServer server) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + ANNOUNCEMENT_LIMIT.toNanos();
        while (System.nanoTime() < deadline) {
            BackupManager manager = server instanceof ActiveMQServerImpl started ? started.getBackupManager() : null;
            if (manager != null && isAnnounced(manager)) {
                return;
            }
            Thread.sleep(PAUSE);
        }
        throw new IOException("The primary does not answer to the announcement of its backup within "
            + ANNOUNCEMENT_LIMIT.toSeconds() + " s");
    }

    /** Returns whether the backup has announced itself. A manager that has not started has no connectors, and calls all of them announced. */
    private static boolean isAnnounced(BackupManager manager) {
        synchronized (manager) {
            return manager.isStarted() && manager.isBackupAnnounced();
        }
    }
}
