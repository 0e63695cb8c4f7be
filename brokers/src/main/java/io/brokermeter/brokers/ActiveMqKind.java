package io.brokermeter.brokers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * ActiveMQ Classic. Its journal types say when the journal is forced to the disk. Its properties are those of its
 * {@code BrokerService}, by their names or by a path through its parts.
 *
 * <p>{@code master-slave}: two processes over one store, of which the second takes over when the first is gone.
 * {@code network}: two brokers, each with a store of its own, that pass messages on to where their consumers are; the URLs
 * of the second one are called like those of the first with {@code #2} behind the protocol.
 */
final class ActiveMqKind implements BrokerKind {

    static final String DEFAULT_VERSION = "6.3.1";

    private static final String MAIN = "io.brokermeter.hosts.activemq.ActiveMqHost";
    private static final String MASTER_SLAVE = "master-slave";
    private static final String NETWORK = "network";
    private static final String GROUP = "org.apache.activemq:";
    private static final String LOGGING = "org.slf4j:slf4j-jdk14:2.0.20";
    private static final List<String> MODULES =
        List.of("activemq-broker", "activemq-kahadb-store", "activemq-stomp", "activemq-mqtt", "activemq-amqp");
    private static final List<String> JOURNALS = List.of("always", "periodic", "never");
    private static final List<String> PROTOCOLS = List.of("OPENWIRE", "STOMP", "MQTT", "AMQP");

    @Override
    public String name() {
        return "activemq";
    }

    @Override
    public Set<String> protocols() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(PROTOCOLS));
    }

    @Override
    public Set<String> topologies() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(BrokerOptions.SINGLE, MASTER_SLAVE, NETWORK)));
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        Refusal.of(this, options).training();
        String journal = options.journal().orElse(JOURNALS.getFirst());
        if (!JOURNALS.contains(journal)) {
            throw new IllegalArgumentException("Broker activemq has no journal type '" + journal + "'; its journal is forced to"
                + " the disk " + String.join(", ", JOURNALS) + ".");
        }
        if (options.journal().isPresent() && !options.persistent()) {
            throw new IllegalArgumentException("Broker activemq has no journal of type '" + journal
                + "' when it is not persistent; leave out one of both.");
        }
        if (options.topology().equals(MASTER_SLAVE) && !options.persistent()) {
            throw new IllegalArgumentException("Broker activemq cannot be master and slave without a store,"
                + " which is what they share; let it be persistent.");
        }
        if (options.topology().equals(NETWORK) && options.tls().isPresent()) {
            throw new IllegalArgumentException("Broker activemq has no topology network with TLS here; leave out one of both.");
        }
    }

    @Override
    public List<String> descriptions(String version) {
        return List.of(GROUP + "activemq-broker:" + version + ":pom", GROUP + "apache-activemq:" + version + ":pom");
    }

    @Override
    public Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        BrokerName name = new BrokerName(name(), Optional.of(asked.version().orElse(DEFAULT_VERSION)));
        List<Path> classPath = classPath(name, options);
        if (options.topology().equals(BrokerOptions.SINGLE)) {
            Path directory = options.place();
            BrokerProcess process = command(classPath, options).start(name, "broker", options.port(), directory);
            return running(name, urls(process, options), List.of(process), process::close);
        }
        BrokerGroup group = new BrokerGroup(name, options);
        try {
            return options.topology().equals(NETWORK) ? network(group, name, classPath) : masterSlave(group, name, classPath);
        } catch (BrokerException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    private static Broker masterSlave(BrokerGroup group, BrokerName name, List<Path> classPath) throws BrokerException {
        BrokerOptions options = group.options();
        String store = group.directory().resolve("kahadb").toString();
        BrokerProcess master =
            group.start(command(classPath, options).withSetting("store", store), "master", options.port());
        BrokerProcess slave =
            group.start(command(classPath, options).withSetting("store", store).withSetting("role", "slave"), "slave", 0);
        Map<String, String> first = urls(master, options);
        Map<String, String> second = urls(slave, options);
        Map<String, String> urls = new LinkedHashMap<>();
        // Bounded at half a minute: without a bound the clients would try for ever once both are gone.
        urls.put("OPENWIRE", "failover:(" + first.get("OPENWIRE") + "," + second.get("OPENWIRE")
            + ")?randomize=false&maxReconnectAttempts=300&initialReconnectDelay=100&useExponentialBackOff=false");
        for (String protocol : List.of("STOMP", "MQTT")) {
            urls.put(protocol, first.get(protocol) + "," + after("://", second.get(protocol)));
        }
        urls.put("AMQP", "failover:(" + first.get("AMQP") + "," + second.get("AMQP")
            + ")?failover.maxReconnectAttempts=300&failover.reconnectDelay=100&failover.useReconnectBackOff=false");
        return running(name, urls, List.of(master, slave), group::close);
    }

    private static String after(String mark, @Nullable String text) {
        return text == null ? "" : text.substring(text.indexOf(mark) + mark.length());
    }

    private static Broker network(BrokerGroup group, BrokerName name, List<Path> classPath) throws BrokerException {
        BrokerOptions options = group.options();
        BrokerProcess first =
            group.start(command(classPath, options).withSetting("name", "brokermeter-1"), "broker 1", options.port());
        BrokerProcess second = group.start(command(classPath, options).withSetting("name", "brokermeter-2")
            .withSetting("peer", "tcp://127.0.0.1:" + first.port()), "broker 2", 0);
        Map<String, String> urls = new LinkedHashMap<>(urls(first, options));
        urls(second, options).forEach((protocol, url) -> urls.put(protocol + "#2", url));
        return running(name, urls, List.of(first, second), group::close);
    }

    private static Broker running(BrokerName name, Map<String, String> urls, List<BrokerProcess> nodes, Runnable end) {
        Map<String, String> complete = new LinkedHashMap<>(urls);
        // It refuses MQTT 5.
        complete.replaceAll((protocol, url) -> protocol.startsWith("MQTT") ? url + "?version=3.1.1" : url);
        return new RunningBroker(name, "Apache ActiveMQ Classic", complete, nodes, end);
    }

    private static HostCommand command(List<Path> classPath, BrokerOptions options) {
        HostCommand command = new HostCommand(MAIN, classPath, options);
        options.journal().ifPresent(journal -> command.withSetting("sync", journal));
        options.login().ifPresent(login -> command.withSetting("user", login.user()).withSecret("user", login.password()));
        options.tls().ifPresent(tls -> command.withSetting("key-store", tls.path().toAbsolutePath().toString())
            .withSecret("key-store", tls.password()));
        options.forbidden().forEach(prefix -> command.withSetting("forbid", prefix));
        return command;
    }

    private static Map<String, String> urls(BrokerProcess process, BrokerOptions options) {
        boolean tls = options.tls().isPresent();
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("OPENWIRE", (tls ? "ssl" : "tcp") + "://127.0.0.1:" + process.port());
        urls.put("STOMP", (tls ? "stomps" : "stomp") + "://127.0.0.1:" + process.ports().of("STOMP"));
        urls.put("MQTT", (tls ? "mqtts" : "mqtt") + "://127.0.0.1:" + process.ports().of("MQTT"));
        urls.put("AMQP", (tls ? "amqps" : "amqp") + "://127.0.0.1:" + process.ports().of("AMQP"));
        return urls;
    }

    /** Single modules where there are all of them, which is little; otherwise the project's own archive. */
    private static List<Path> classPath(BrokerName name, BrokerOptions options) throws BrokerException {
        String version = name.version().orElse(DEFAULT_VERSION);
        MavenArtifacts artifacts = new MavenArtifacts("ActiveMQ Classic " + version, options.progress());
        List<Path> jars = new ArrayList<>(List.of(HostCommand.hostJar("activemq"), HostCommand.hostJar("base")));
        List<String> roots = new ArrayList<>(MODULES.stream().map(module -> GROUP + module + ":" + version).toList());
        roots.add(LOGGING);
        try {
            jars.addAll(artifacts.classPath(roots, List.of()));
        } catch (IllegalArgumentException missing) {
            jars.addAll(artifacts.classPath(List.of(LOGGING), List.of()));
            jars.addAll(archive(artifacts, version));
        }
        return jars;
    }

    /** What the archive logs with is left out: this program logs in its own way. */
    private static Stream<Path> withoutLogging(List<Path> jars) {
        return jars.stream().filter(jar -> !jar.getFileName().toString().matches("(slf4j|log4j|reload4j|jcl-over).*"));
    }

    private static List<Path> archive(MavenArtifacts artifacts, String version) throws BrokerException {
        return withoutLogging(artifacts.archiveJars(
            GROUP + "apache-activemq:" + version + ":tar.gz:bin", List.of("lib", "lib/optional"))).toList();
    }
}
