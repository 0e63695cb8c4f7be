package io.brokermeter.hosts.kafka;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.brokermeter.hosts.BeanPropertySetter;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.EmbeddedBroker;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import io.brokermeter.hosts.RefusedProperty;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

/**
 * Main class of the child process of a Kafka node. Its settings: {@code user}, with the secret {@code user};
 * {@code node}, the number of this node; {@code member}, {@code number:port:controllerPort} of each node of the cluster,
 * this one among them. Without members it is a cluster of one.
 */
public final class KafkaHost implements EmbeddedBroker {

    /** The id of the cluster, the same at each start, so that a directory can be used again. */
    private static final String CLUSTER = new Uuid(0x62726f6b65726d65L, 0x7465725f6b61666bL).toString();
    private static final Duration READY_LIMIT = Duration.ofMinutes(2);

    /** Settings of Kafka's own authorizer, which are not among those of a node. */
    private static final Set<String> OF_AUTHORIZER = Set.of("super.users", "allow.everyone.if.no.acl.found");

    private @Nullable KafkaRaftServer server;

    private KafkaHost() {}

    public static void main(String[] arguments) {
        HostProgram.run(new KafkaHost(), arguments);
    }

    @Override
    public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception {
        NodeProperties properties = NodeProperties.of(arguments, data, secrets);
        KafkaConfig config = KafkaConfig.fromProps(properties.all(), false);
        check(arguments.properties().keySet(), config.values().keySet());
        format(properties);
        KafkaRaftServer started = new KafkaRaftServer(config, Time.SYSTEM);
        started.startup();
        server = started;
        awaitReady(properties);
        return Ports.of(properties.port());
    }

    /**
     * Checks the names of settings, since Kafka itself ignores unknown ones.
     *
     * @param known the names of all settings of a node
     * @throws RefusedProperty for the first name that is neither a known one nor that of a listener or of the authorizer
     */
    static void check(Set<String> names, Set<String> known) {
        for (String name : new TreeSet<>(names)) {
            if (!known.contains(name) && !name.startsWith("listener.name.") && !OF_AUTHORIZER.contains(name)) {
                throw new RefusedProperty("Kafka has no setting '" + name + "'"
                    + BeanPropertySetter.nearest(name, known.stream()).map(near -> "; did you mean " + near + "?").orElse("."));
            }
        }
    }

    private static void format(NodeProperties properties) throws Exception {
        Path log = properties.logDirectory();
        Files.createDirectories(log);
        try (PrintStream silent = new PrintStream(PrintStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            new Formatter().setPrintStream(silent).setNodeId(properties.node()).setClusterId(CLUSTER).setIgnoreFormatted(true)
                .setControllerListenerName(NodeProperties.CONTROLLER).setMetadataLogDirectory(log.toString())
                .addDirectory(log.toString()).run();
        }
    }

    @Override
    public void stop() {
        if (server != null) {
            server.shutdown();
        }
    }

    /** Waits until this node lists every node of the cluster to its clients: its port opens earlier. */
    private static void awaitReady(NodeProperties properties) throws Exception {
        Map<String, Object> client = new HashMap<>(properties.client());
        client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:" + properties.port());
        client.put(AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG, "20");
        client.put(AdminClientConfig.RETRY_BACKOFF_MS_CONFIG, "20");
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
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
