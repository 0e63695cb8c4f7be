package io.brokermeter.brokers.kind;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.NativeGroup;
import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.NativeProcess;
import io.brokermeter.brokers.process.NativeProgram;
import io.brokermeter.brokers.process.Probe;
import io.brokermeter.hosts.FreePort;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;

/**
 * The broker kind RabbitMQ, a program of this machine, as a node of its own beside a RabbitMQ that runs as a service: with its own
 * directory and port mapper (epmd), and everything on the loopback interface. The properties are lines of {@code rabbitmq.conf}. Without a
 * login the broker has its usual user {@code guest}, which its STOMP and MQTT listeners assume for clients that name none.
 *
 * <p>Three nodes can form a cluster for clients of AMQP 0-9-1. Its queues are quorum queues unless clients request others.
 */
public final class RabbitMqKind extends NativeKind {

    private static final String THREE = "3-nodes";
    private static final String PROGRAM = "rabbitmq-server";
    /** The plugins of all nodes, as a part of an Erlang list. */
    private static final String PLUGINS = "rabbitmq_stomp,rabbitmq_amqp1_0,rabbitmq_stream";
    private static final String PACKAGE_SCRIPTS = "/usr/lib/rabbitmq/bin";
    private static final String FREE_LIMIT = "disk_free_limit.absolute";
    private static final String FREE_LIMIT_VALUE = "50MB";
    /** A free-space limit of 1 EiB, in bytes, which exceeds any disk. */
    private static final String MORE_THAN_ANY_DISK = Long.toString(1L << 60);
    /** The node of a broker alone. The name is a part of the path of its data, so it is the same whatever the ports are. */
    private static final String NODE = "brokermeter@localhost";
    private static final String MQTT = "mqtt";
    private static final String LOGIN_MILLIS = "60000";
    private static final Pattern PLUGIN = Pattern.compile("rabbit-(\\d[^/]*?)(?:\\.ez)?");
    private static final byte[] AMQP_0_9_1 = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    /** The beginning of a method frame on channel 0, in which {@code connection.start} arrives. */
    private static final byte[] METHOD_FRAME = {1, 0, 0};

    public RabbitMqKind() {
        super("rabbitmq", "RabbitMQ", PROGRAM, "", "", "AMQP091", "AMQP", "STOMP", "MQTT");
        features(Feature.LOGIN, Feature.DISK_LIMIT);
        topologies(THREE);
    }

    private static boolean isOfOneNode(String property) {
        return property.contains("listeners.tcp.") || property.startsWith("cluster_formation.")
            || property.startsWith("stream.advertised_");
    }

    private static boolean isOfMqtt(String line) {
        return line.startsWith(MQTT + ".");
    }

    @Override
    public List<String> roles(String topology) {
        return topology.equals(THREE) ? List.of("node 1", "node 2", "node 3") : super.roles(topology);
    }

    @Override
    public Set<String> protocols(String topology) {
        return topology.equals(THREE) ? Set.of("AMQP091") : super.protocols(topology);
    }

    @Override
    public void check(BrokerOptions options) {
        super.check(options);
        require(options.persistent(), "always a store, which the sender of each message decides to use or not: send non-persistent"
            + " messages to a broker that is persistent");
        if (options.topology().equals(THREE)) {
            options.properties().keySet().stream().filter(RabbitMqKind::isOfOneNode).sorted().findFirst().ifPresent(property -> {
                throw new Refusal("With %s %s the ports and the members of the cluster are given; leave out %s %s.",
                    Setting.BROKER_TOPOLOGY, THREE, Setting.BROKER_PROPERTIES, property);
            });
            // RabbitMQ does not start with lines of a plugin that is not enabled.
            options.properties().keySet().stream().filter(RabbitMqKind::isOfMqtt).sorted().findFirst().ifPresent(property -> {
                throw new Refusal("With %s %s the nodes do not speak MQTT; leave out %s %s.",
                    Setting.BROKER_TOPOLOGY, THREE, Setting.BROKER_PROPERTIES, property);
            });
        }
    }

    @Override
    public BrokerName versioned(BrokerName asked, NativeProgram found) throws BrokerException {
        return found.exactly(asked, version(script(found.path())));
    }

    @Override
    public Probe prepare(NativeCommand command, BrokerName name, int port, Map<String, String> urls) throws IOException {
        List<Integer> ports = FreePort.several(5);
        int stomp = ports.get(0);
        int mqtt = ports.get(1);
        int mapper = ports.get(2);
        BrokerOptions options = command.options();
        Path script = script(command.program());
        // A mapper that the node starts itself would become a daemon and stay; this one ends with the session.
        command.instead("/bin/sh", "-c", "epmd -address 127.0.0.1 -port \"$1\" & "
            + "until epmd -port \"$1\" -names >/dev/null 2>&1; do sleep 0.05; done; exec \"$2\" -noinput",
            "rabbitmq", Integer.toString(mapper), script.toString());
        Map<String, String> lines = configuration(options, port, ports);
        lines.put(MQTT + ".listeners.tcp.1", "127.0.0.1:" + mqtt);
        lines.put(MQTT + ".login_timeout", LOGIN_MILLIS);
        if (options.login().isPresent()) {
            lines.put(MQTT + ".allow_anonymous", "false");
        }
        complete(command, script, NODE, port, ports, lines, PLUGINS + ",rabbitmq_" + MQTT);
        urls.put("AMQP091", "amqp://127.0.0.1:" + port);
        // The broker's AMQP 1.0 does not support anonymous clients.
        urls.put("AMQP", "amqp://127.0.0.1:" + port + "?amqp.saslMechanisms=PLAIN"
            + (options.login().isPresent() ? "" : "&jms.username=guest&jms.password=guest"));
        urls.put("STOMP", "stomp://127.0.0.1:" + stomp);
        urls.put("MQTT", "mqtt://127.0.0.1:" + mqtt + (speaksMqtt5(name) ? "" : "?version=3.1.1"));
        return ready(port, ports).and(Probe.accepts(mqtt));
    }

    private static Probe ready(int port, List<Integer> ports) {
        return Probe.answers(port, AMQP_0_9_1, METHOD_FRAME).and(Probe.accepts(ports.get(0)));
    }

    /**
     * Starts three nodes of one cluster. Their port mapper is a process of its own, since it must outlive each of them. The second and
     * third node join the first, so they are started once it is ready; it is the last to end, too, so it waits for no other when its
     * directory was kept.
     */
    @Override
    public Broker startSeveral(BrokerName name, Path path, BrokerOptions asked) throws BrokerException {
        NativeGroup group;
        List<Integer> ports;
        try {
            ports = new ArrayList<>(FreePort.several(3));
            ports.add(1, FreePort.orAsked(asked.port()));
            group = new NativeGroup(asked);
        } catch (IOException e) {
            throw new BrokerException("Broker " + name + " does not start: " + e.getMessage() + ".", e);
        }
        try {
            int mapper = ports.getFirst();
            group.start(name, new NativeGroup.Launch(
                group.command(path, "port mapper").instead("epmd", "-address", "127.0.0.1", "-port", Integer.toString(mapper)),
                "port mapper", mapper, Probe.accepts(mapper)));
            List<NativeProcess> nodes = new ArrayList<>();
            String cookie = new BigInteger(130, new SecureRandom()).toString(32);
            for (int node = 1; node <= 3; node++) {
                nodes.add(group.start(name, member(group, path, ports, node, cookie)));
            }
            return group.broker(name, title(), Map.of("AMQP091", "amqp://" + ports.stream().skip(1).map(port -> "127.0.0.1:" + port)
                .collect(Collectors.joining(",")) + "?queue-type=quorum"), nodes);
        } catch (IOException e) {
            group.close();
            throw new BrokerException("Broker " + name + " does not start: " + e.getMessage() + ".", e);
        } catch (BrokerException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    /**
     * Returns the launch of one node.
     *
     * @param ports ports of the port mapper and of all nodes
     */
    private static NativeGroup.Launch member(NativeGroup group, Path path, List<Integer> ports, int node,
            String cookie) throws IOException {
        String role = "node " + node;
        int port = ports.get(node);
        NativeCommand command = group.command(path, role);
        Path script = script(path);
        List<Integer> own = new ArrayList<>(FreePort.several(4));
        own.add(2, ports.getFirst());
        command.instead(script.toString(), "-noinput");
        command.withFile(".erlang.cookie", cookie);
        Map<String, String> lines = configuration(command.options(), port, own);
        lines.put("cluster_formation.peer_discovery_backend", "classic_config");
        for (int other = 1; other <= 3; other++) {
            lines.put("cluster_formation.classic_config.nodes." + other, nodeName(other));
        }
        // Without MQTT, which is not served: nodes that start again would wait for more than a minute until it has chosen a leader.
        complete(command, script, nodeName(node), port, own, lines, PLUGINS);
        return new NativeGroup.Launch(command, role, port, ready(port, own));
    }

    private static String nodeName(int node) {
        return "brokermeter-" + node + "@localhost";
    }

    /**
     * Completes the command of a node.
     *
     * @param ports ports of STOMP, MQTT, the port mapper, other nodes, and streams
     */
    private static void complete(NativeCommand command, Path script, String node, int port, List<Integer> ports,
            Map<String, String> lines, String plugins) {
        BrokerOptions options = command.options();
        int mapper = ports.get(2);
        command.withDiskLimit(full -> diskLimit(script, node, options, full))
            .withCause("\\[error\\] <[^>]*> (.*\\w.*)")
            .withoutEnvironment("RABBITMQ_")
            .withEnvironment("HOME", command.directory().toString())
            .withEnvironment("ERL_EPMD_PORT", Integer.toString(mapper))
            .withEnvironment("ERL_EPMD_ADDRESS", "127.0.0.1")
            // Makes the script replace itself by the server, instead of waiting for a child.
            .withEnvironment("RUNNING_UNDER_SYSTEMD", "true")
            .withEnvironment("RABBITMQ_NODENAME", node)
            .withEnvironment("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
            .withEnvironment("RABBITMQ_NODE_PORT", Integer.toString(port))
            .withEnvironment("RABBITMQ_DIST_PORT", ports.get(3).toString())
            .withEnvironment("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}")
            .withEnvironment("RABBITMQ_CTL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}")
            .withEnvironment("RABBITMQ_LOGS", "-")
            .withEnvironment("RABBITMQ_CONFIG_FILE", command.withLines("rabbitmq.conf", " = ", lines))
            .withEnvironment("RABBITMQ_ADVANCED_CONFIG_FILE", command.withFile("advanced.config",
                options.login().map(RabbitMqKind::login).orElse("[].")))
            .withEnvironment("RABBITMQ_CONF_ENV_FILE", command.withFile("environment.conf", ""))
            .withEnvironment("RABBITMQ_ENABLED_PLUGINS_FILE", command.withFile("enabled_plugins", "[" + plugins
            // With a login by certificate among the mechanisms that are asked for, the plugin that has it.
                + (options.properties().containsValue("EXTERNAL") ? ",rabbitmq_auth_mechanism_ssl" : "") + "]."));
        Map.of("RABBITMQ_LOG_BASE", "log", "RABBITMQ_MNESIA_BASE", "data", "RABBITMQ_GENERATED_CONFIG_DIR", "generated",
            "RABBITMQ_FEATURE_FLAGS_FILE", "feature_flags")
            .forEach((variable, file) -> command.withEnvironment(variable, command.directory().resolve(file).toString()));
    }

    /**
     * Returns the command that sets the free-space limit above what is free, which raises an alarm that blocks all publishing connections,
     * or that restores the limit.
     */
    private static List<String> diskLimit(Path script, String node, BrokerOptions options, boolean full) {
        List<String> words = new ArrayList<>(List.of(script.resolveSibling("rabbitmqctl").toString(), "-q", "-n", node,
            "set_disk_free_limit"));
        String relative = options.properties().get("disk_free_limit.relative");
        if (full) {
            words.add(MORE_THAN_ANY_DISK);
        } else if (relative != null) {
            words.addAll(List.of("mem_relative", relative));
        } else {
            words.add(options.properties().getOrDefault(FREE_LIMIT, FREE_LIMIT_VALUE));
        }
        return words;
    }

    /**
     * Returns whether the broker supports MQTT 5, as it does since 3.13; earlier versions close the connection of a client that uses it.
     */
    private static boolean speaksMqtt5(BrokerName name) {
        String[] numbers = name.version().orElseThrow().split("\\.");
        int major = Integer.parseInt(numbers[0]);
        return major > 3 || (major == 3 && Integer.parseInt(numbers[1]) >= 13);
    }

    /** Returns the server's own script. The one that Debian installs on the PATH switches to the user and the directory of the service. */
    private static Path script(Path onPath) {
        for (Path candidate : List.of(onPath, Path.of(PACKAGE_SCRIPTS, PROGRAM))) {
            try {
                Path real = candidate.toRealPath();
                if (Files.isReadable(real.resolveSibling("rabbitmq-env"))) {
                    return real.resolveSibling(PROGRAM).toRealPath();
                }
            } catch (IOException e) {
                // there is no such file
            }
        }
        throw new IllegalArgumentException("Broker rabbitmq cannot be started with " + onPath
            + ": there is no rabbitmq-env beside it, nor in " + PACKAGE_SCRIPTS + ".");
    }

    private static String version(Path script) throws BrokerException {
        Path plugins = script.resolveSibling("../plugins").normalize();
        try (Stream<Path> all = Files.list(plugins)) {
            Optional<String> version = all.map(file -> PLUGIN.matcher(file.getFileName().toString()))
                .filter(Matcher::matches).map(matcher -> matcher.group(1)).findFirst();
            return version.orElseThrow(() -> new IOException("there is no rabbit-VERSION in it"));
        } catch (IOException e) {
            throw new BrokerException("Broker rabbitmq does not start: its version cannot be read from " + plugins + " ("
                + e.getMessage() + ").", e);
        }
    }

    /**
     * Returns the lines of the configuration.
     *
     * @param ports ports of STOMP, MQTT, the port mapper, other nodes, and streams
     */
    private static Map<String, String> configuration(BrokerOptions options, int port, List<Integer> ports) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("listeners.tcp.1", "127.0.0.1:" + port);
        lines.put("stomp.listeners.tcp.1", "127.0.0.1:" + ports.get(0));
        lines.put("stream.listeners.tcp.1", "127.0.0.1:" + ports.get(4));
        lines.put("stream.advertised_host", "127.0.0.1");
        lines.put("stream.advertised_port", ports.get(4).toString());
        lines.put(FREE_LIMIT, FREE_LIMIT_VALUE);
        lines.put("vm_memory_high_watermark.absolute", options.heap().toLowerCase(Locale.ROOT)
            .replaceFirst("^(\\d+)([kmg])$", "$1$2ib"));
        // By default the broker closes connections that have not logged in within 10 s, for which a client or a machine may stand still.
        lines.put("handshake_timeout", LOGIN_MILLIS);
        lines.put("stomp.login_timeout", LOGIN_MILLIS);
        lines.put("log.console.level", "warning");
        return lines;
    }

    /** Returns the only user as an Erlang term, since {@code rabbitmq.conf} cannot express all characters. */
    private static String login(BrokerOptions.Login login) {
        return "[{rabbit, [{default_user, <<" + quoted(login.user()) + "/utf8>>}, {default_pass, <<"
            + quoted(login.password().reveal()) + "/utf8>>}]}].\n";
    }
}
