package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * RabbitMQ of this machine, as a node of its own: own directory, own port mapper (epmd), everything on the loopback
 * interface, beside a RabbitMQ that runs as a service. Its properties are lines of {@code rabbitmq.conf}. Without a login
 * it has its usual user {@code guest}, whom its STOMP and MQTT listeners assume for clients that name none.
 */
final class RabbitMqKind implements BrokerKind {

    private static final String PROGRAM = "rabbitmq-server";
    private static final String PACKAGE_SCRIPTS = "/usr/lib/rabbitmq/bin";
    private static final Pattern PLUGIN = Pattern.compile("rabbit-(\\d[^/]*?)(?:\\.ez)?");
    private static final byte[] AMQP_0_9_1 = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    /** A method frame on channel 0, which is where {@code connection.start} comes. */
    private static final byte[] METHOD_FRAME = {1, 0, 0};

    @Override
    public String name() {
        return "rabbitmq";
    }

    @Override
    public Set<String> protocols() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of("AMQP091", "AMQP", "STOMP", "MQTT")));
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        Refusal.of(this, options).journal().tls().forbidden().training();
        if (!options.persistent()) {
            throw new IllegalArgumentException("Broker rabbitmq always has a store, which the sender of each message decides"
                + " to use or not: send non-persistent messages to a broker that is persistent.");
        }
        find();
    }

    private static NativeProgram find() {
        return NativeProgram.find("rabbitmq", PROGRAM, "rabbitmq-server");
    }

    @Override
    public void requireVersion(BrokerName name) throws BrokerException {
        NativeProgram found = find();
        found.exactly(name, version(script(found.path())));
    }

    @Override
    public Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        NativeProgram found = find();
        Path script = script(found.path());
        BrokerName name = found.exactly(asked, version(script));
        int port = FreePort.orAsked(options.port());
        int stomp = FreePort.find();
        int mqtt = FreePort.find();
        int mapper = FreePort.find();
        Path directory = options.place();
        NativeCommand command = new NativeCommand(Path.of("/bin/sh"), directory, options)
            // A mapper that the node starts itself would become a daemon and stay; this one goes with the session.
            .with("-c", "epmd -address 127.0.0.1 -port \"$1\" & "
                + "until epmd -port \"$1\" -names >/dev/null 2>&1; do sleep 0.05; done; exec \"$2\" -noinput",
                "rabbitmq", Integer.toString(mapper), script.toString())
            .unprivileged()
            .withCause(Pattern.compile("\\[error\\] <[^>]*> (.*\\w.*)"))
            .withoutEnvironment("RABBITMQ_")
            .withFile("rabbitmq.conf", configuration(options, port, stomp, mqtt))
            .withFile("advanced.config", options.login().map(RabbitMqKind::login).orElse("[]."))
            .withFile("environment.conf", "")
            .withFile("enabled_plugins", "[rabbitmq_stomp,rabbitmq_mqtt,rabbitmq_amqp1_0,rabbitmq_stream].");
        environment(command, directory, port, mapper);
        Probe ready = WireProbe.answers(port, AMQP_0_9_1, METHOD_FRAME)
            .and(WireProbe.accepts(stomp)).and(WireProbe.accepts(mqtt));
        NativeProcess process = command.start(name, "broker", port, ready);
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("AMQP091", "amqp://127.0.0.1:" + port);
        // Its AMQP 1.0 knows no anonymous clients.
        urls.put("AMQP", "amqp://127.0.0.1:" + port + "?amqp.saslMechanisms=PLAIN"
            + (options.login().isPresent() ? "" : "&jms.username=guest&jms.password=guest"));
        urls.put("STOMP", "stomp://127.0.0.1:" + stomp);
        urls.put("MQTT", "mqtt://127.0.0.1:" + mqtt + (speaksMqtt5(name) ? "" : "?version=3.1.1"));
        return new RunningBroker(name, "RabbitMQ", urls, List.of(process), process::close);
    }

    /** Since 3.13; before, it closes the connection of a client that does. */
    private static boolean speaksMqtt5(BrokerName name) {
        String[] numbers = name.version().orElseThrow().split("\\.");
        int major = Integer.parseInt(numbers[0]);
        return major > 3 || (major == 3 && Integer.parseInt(numbers[1]) >= 13);
    }

    /** The server's own script: what Debian has on the PATH changes to another user and to the directory of the service. */
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

    private static String configuration(BrokerOptions options, int port, int stomp, int mqtt) throws BrokerException {
        int stream = FreePort.find();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("listeners.tcp.1", "127.0.0.1:" + port);
        lines.put("stomp.listeners.tcp.1", "127.0.0.1:" + stomp);
        lines.put("mqtt.listeners.tcp.1", "127.0.0.1:" + mqtt);
        lines.put("stream.listeners.tcp.1", "127.0.0.1:" + stream);
        lines.put("stream.advertised_host", "127.0.0.1");
        lines.put("stream.advertised_port", Integer.toString(stream));
        lines.put("disk_free_limit.absolute", "50MB");
        lines.put("vm_memory_high_watermark.absolute", options.heap().toLowerCase(java.util.Locale.ROOT)
            .replaceFirst("^(\\d+)([kmg])$", "$1$2ib"));
        lines.put("log.console.level", "warning");
        if (options.login().isPresent()) {
            lines.put("mqtt.allow_anonymous", "false");
        }
        lines.putAll(options.properties());
        return lines.entrySet().stream().map(line -> line.getKey() + " = " + line.getValue() + "\n")
            .collect(Collectors.joining());
    }

    /** The one user. In a file of terms, since the other has no way to write every character. */
    private static String login(BrokerOptions.Login login) {
        String user = term(login.user());
        String password = term(login.password().reveal());
        return "[{rabbit, [{default_user, " + user + "}, {default_pass, " + password + "}]}].\n";
    }

    private static String term(String text) {
        return "<<\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"/utf8>>";
    }

    private static void environment(NativeCommand command, Path directory, int port, int mapper) throws BrokerException {
        command.withEnvironment("HOME", directory.toString())
            .withEnvironment("ERL_EPMD_PORT", Integer.toString(mapper))
            .withEnvironment("ERL_EPMD_ADDRESS", "127.0.0.1")
            // Lets its script become the server, instead of waiting for a child.
            .withEnvironment("RUNNING_UNDER_SYSTEMD", "true")
            .withEnvironment("RABBITMQ_NODENAME", "brokermeter-" + port + "@localhost")
            .withEnvironment("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
            .withEnvironment("RABBITMQ_NODE_PORT", Integer.toString(port))
            .withEnvironment("RABBITMQ_DIST_PORT", Integer.toString(FreePort.find()))
            .withEnvironment("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}")
            .withEnvironment("RABBITMQ_LOGS", "-")
            .withEnvironment("RABBITMQ_LOG_BASE", directory.resolve("log").toString())
            .withEnvironment("RABBITMQ_MNESIA_BASE", directory.resolve("data").toString())
            .withEnvironment("RABBITMQ_GENERATED_CONFIG_DIR", directory.resolve("generated").toString())
            .withEnvironment("RABBITMQ_FEATURE_FLAGS_FILE", directory.resolve("feature_flags").toString())
            .withEnvironment("RABBITMQ_CONFIG_FILE", directory.resolve("rabbitmq.conf").toString())
            .withEnvironment("RABBITMQ_ADVANCED_CONFIG_FILE", directory.resolve("advanced.config").toString())
            .withEnvironment("RABBITMQ_CONF_ENV_FILE", directory.resolve("environment.conf").toString())
            .withEnvironment("RABBITMQ_ENABLED_PLUGINS_FILE", directory.resolve("enabled_plugins").toString());
    }
}
