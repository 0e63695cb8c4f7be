package io.brokermeter.hosts.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** The moment from which a node serves clients: its port opens earlier. */
final class Readiness {

    private Readiness() { }

    /**
     * Waits until this node tells its clients of every node of the cluster.
     *
     * @throws Exception when it does not within the limit
     */
    static void await(NodeProperties properties, Duration limit) throws Exception {
        Map<String, Object> client = new HashMap<>(properties.client());
        client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:" + properties.port());
        client.put(AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG, "20");
        client.put(AdminClientConfig.RETRY_BACKOFF_MS_CONFIG, "20");
        long deadline = System.nanoTime() + limit.toNanos();
        try (Admin admin = Admin.create(client)) {
            while (true) {
                try {
                    int nodes = admin.describeCluster().nodes().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS).size();
                    if (nodes >= properties.members().size()) {
                        return;
                    }
                } catch (ExecutionException e) {
                    if (System.nanoTime() >= deadline) {
                        throw e;
                    }
                }
                Thread.sleep(20);
            }
        }
    }
}
