package io.brokermeter.hosts.kafka;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.FreePort;
import io.brokermeter.hosts.HostArguments;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a node, as its server.properties would contain them.
 *
 * @param node number of the node
 * @param port port for clients
 * @param members all nodes of the cluster
 * @param logDirectory directory of the node's log
 * @param server all properties, those of the user last
 * @param client properties that a client on this machine needs besides the address
 */
record NodeProperties(
        int node, int port, List<Member> members, Path logDirectory, Map<String, String> server, Map<String, String> client) {

    static final String CONTROLLER = "CONTROLLER";

    private static final String CLIENTS = "CLIENTS";
    /** Number of listeners for proxies: each sends its clients to a loopback address where no broker listens, but a proxy may. */
    private static final int PROXIED = 2;
    private static final int LAST_PORT = 65_535;

    /** One node of the cluster. */
    record Member(int node, int port, int controllerPort) {

        static Member parse(String text) {
            String[] parts = text.split(":", -1);
            return new Member(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        }
    }

    static NodeProperties of(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws IOException {
        int node = arguments.setting("node").map(Integer::parseInt).orElse(1);
        List<Member> members = new ArrayList<>(arguments.all("member").stream().map(Member::parse).toList());
        if (members.isEmpty()) {
            int port = FreePort.orAsked(arguments.port());
            members.add(new Member(node, port, controllerPort(port, FreePort::find)));
        }
        Member self = members.stream().filter(m -> m.node() == node).findFirst().orElseThrow();
        Map<String, String> login = login(arguments.setting("user").orElse(null), secrets.get("user"));
        Path log = data.resolve("log");

        Map<String, String> server = new LinkedHashMap<>();
        server.put("process.roles", "broker,controller");
        server.put("node.id", Integer.toString(node));
        server.put("controller.quorum.voters", members.stream()
            .map(m -> m.node() + "@127.0.0.1:" + m.controllerPort()).collect(Collectors.joining(",")));
        server.put("controller.listener.names", CONTROLLER);
        server.put("listeners", CLIENTS + "://127.0.0.1:" + self.port() + "," + CONTROLLER + "://127.0.0.1:" + self.controllerPort());
        server.put("advertised.listeners", CLIENTS + "://127.0.0.1:" + self.port());
        server.put("inter.broker.listener.name", CLIENTS);
        server.put("listener.security.protocol.map",
            CLIENTS + (login.isEmpty() ? ":PLAINTEXT" : ":SASL_PLAINTEXT") + "," + CONTROLLER + ":PLAINTEXT");
        if (!login.isEmpty()) {
            server.put("sasl.enabled.mechanisms", "PLAIN");
            server.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
            server.put("listener.name.clients.plain.sasl.jaas.config", login.get("server"));
        }
        server.put("log.dirs", log.toString());
        if (PROXIED <= LAST_PORT - self.port() && System.getProperty("os.name", "").contains("Linux")
            && arguments.properties().keySet().stream().noneMatch(name -> name.contains("listener"))) {
            proxied(server, self.port(), login);
        }
        replicate(server, members.size());
        // The default of 3 s waits at the first join of every group for others to come.
        server.put("group.initial.rebalance.delay.ms", "0");
        // A member learns only with its heartbeat that it must share partitions; at the default each join would take up to 5 s.
        for (String kind : List.of("consumer", "share")) {
            server.put("group." + kind + ".min.heartbeat.interval.ms", "500");
            server.put("group." + kind + ".heartbeat.interval.ms", "1000");
        }
        // The default refuses a body of one mebibyte by a few bytes.
        server.put("message.max.bytes", Integer.toString(16 << 20));
        server.putAll(arguments.properties());

        Map<String, String> client = new LinkedHashMap<>();
        if (!login.isEmpty()) {
            client.put("security.protocol", "SASL_PLAINTEXT");
            client.put("sasl.mechanism", "PLAIN");
            client.put("sasl.jaas.config", login.get("client"));
        }
        return new NodeProperties(node, self.port(), List.copyOf(members), log, server, client);
    }

    /** A source of free ports. */
    @FunctionalInterface
    interface Ports {

        int next() throws IOException;
    }

    /** Returns a port for the controller other than the next {@value #PROXIED} ports after {@code port}, which are for proxies. */
    static int controllerPort(int port, Ports free) throws IOException {
        int controller = free.next();
        while (controller > port && controller <= port + PROXIED) {
            controller = free.next();
        }
        return controller;
    }

    /**
     * Adds the listeners for proxies. On Linux every address of 127.0.0.0/8 exists. Kafka requires another port for each
     * listener, whatever the address.
     */
    private static void proxied(Map<String, String> server, int port, Map<String, String> login) {
        for (int way = 1; way <= PROXIED; way++) {
            String name = "PROXIED" + way;
            server.merge("listeners", name + "://127.0.1." + way + ":" + (port + way), (all, one) -> all + "," + one);
            server.merge("advertised.listeners", name + "://127.0.2." + way + ":" + (port + way), (all, one) -> all + "," + one);
            server.merge("listener.security.protocol.map", name + (login.isEmpty() ? ":PLAINTEXT" : ":SASL_PLAINTEXT"),
                (all, one) -> all + "," + one);
            if (!login.isEmpty()) {
                server.put("listener.name.proxied" + way + ".plain.sasl.jaas.config", login.get("server"));
            }
        }
    }

    /** Sets the replication of topics. Internal topics with few partitions start faster; on a cluster they are as safe as the others. */
    private static void replicate(Map<String, String> server, int nodes) {
        String factor = Integer.toString(nodes);
        String least = Integer.toString(Math.max(1, nodes - 1));
        server.put("default.replication.factor", factor);
        server.put("min.insync.replicas", least);
        server.put("offsets.topic.replication.factor", factor);
        server.put("offsets.topic.num.partitions", "4");
        server.put("transaction.state.log.replication.factor", factor);
        server.put("transaction.state.log.min.isr", least);
        server.put("transaction.state.log.num.partitions", "4");
        server.put("share.coordinator.state.topic.replication.factor", factor);
        server.put("share.coordinator.state.topic.min.isr", least);
        server.put("share.coordinator.state.topic.num.partitions", "4");
    }

    /** Returns the JAAS configurations of both sides, since the node itself is a client of the others; empty without a user. */
    private static Map<String, String> login(@Nullable String user, @Nullable String password) {
        if (user == null || password == null) {
            return Map.of();
        }
        String module = "org.apache.kafka.common.security.plain.PlainLoginModule required username=" + quoted(user)
            + " password=" + quoted(password);
        return Map.of("client", module + ";", "server", module + " user_" + user + "=" + quoted(password) + ";");
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Returns the properties in the form that Kafka reads. */
    Properties all() {
        Properties properties = new Properties();
        properties.putAll(server);
        return properties;
    }
}
