package io.brokermeter.brokers.kind;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerGroup;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.artifact.MavenArtifacts;
import io.brokermeter.brokers.process.BrokerProcess;

/**
 * The broker kind ActiveMQ Classic. The journal type determines when the journal is forced to the disk. The properties are those of its
 * {@code BrokerService}, by name or by a path through its parts.
 *
 * <p>{@code master-slave}: two processes over one store, of which the second takes over when the first is gone. {@code network}: two
 * brokers, each with a store of its own, that forward messages to where their consumers are; the URLs of the second broker have {@code #2}
 * after the name of the protocol.
 */
public final class ActiveMqKind extends HostKind {

    static final String DEFAULT_VERSION = "6.3.1";

    private static final String MASTER_SLAVE = "master-slave";
    private static final String NETWORK = "network";
    private static final String MASTER = "master";
    private static final String SLAVE = "slave";
    private static final String GROUP = "org.apache.activemq:";
    private static final List<String> MODULES =
        List.of("activemq-broker", "activemq-kahadb-store", "activemq-stomp", "activemq-mqtt", "activemq-amqp");

    public ActiveMqKind() {
        super("activemq", "Apache ActiveMQ Classic", "activemq.ActiveMqHost", DEFAULT_VERSION, "OPENWIRE", "STOMP", "MQTT", "AMQP");
        topologies(MASTER_SLAVE, NETWORK);
        journals("always", "periodic", "never");
        features(Feature.LOGIN, Feature.TLS, Feature.FORBIDDEN, Feature.DISK_LIMIT);
    }

    @Override
    public void check(BrokerOptions options) {
        super.check(options);
        require(options.persistent() || !options.topology().equals(MASTER_SLAVE),
            "no store that master and slave could share when it is not persistent");
        require(options.tls().isEmpty() || !options.topology().equals(NETWORK), "no topology network with TLS");
    }

    @Override
    public void requireDiskLimit(BrokerOptions options) {
        super.requireDiskLimit(options);
        require(options.persistent(), "nothing on its disk when it is not persistent");
    }

    @Override
    public List<String> roles(String topology) {
        return switch (topology) {
            case MASTER_SLAVE -> List.of(MASTER, SLAVE);
            case NETWORK -> List.of("broker 1", "broker 2");
            default -> super.roles(topology);
        };
    }

    @Override
    public List<String> roots(String version) {
        return Stream.concat(MODULES.stream().map(module -> GROUP + module + ":" + version), Stream.of(LOGGER)).toList();
    }

    @Override
    public List<String> descriptions(String version) {
        return List.of(GROUP + "activemq-broker:" + version + ":pom", archive(version) + ":pom");
    }

    @Override
    public List<Path> jars(MavenArtifacts artifacts, String version) throws BrokerException {
        return modulesOrArchive(artifacts, roots(version), archive(version) + ":tar.gz:bin", "lib", "lib/optional");
    }

    private static String archive(String version) {
        return GROUP + "apache-activemq:" + version;
    }

    @Override
    public Broker start(BrokerGroup group) throws BrokerException {
        return switch (group.options().topology()) {
            case MASTER_SLAVE -> masterSlave(group);
            case NETWORK -> network(group);
            default -> {
                BrokerProcess process = group.startAlone(group.command());
                yield running(group, urls(process, group.options()), process);
            }
        };
    }

    private static Broker masterSlave(BrokerGroup group) throws BrokerException {
        BrokerOptions options = group.options();
        String store = group.directory().resolve("kahadb").toString();
        BrokerProcess master = group.start(
            new BrokerGroup.Launch(group.command().withSetting("store", store), MASTER, options.port()));
        BrokerProcess slave = group.start(
            new BrokerGroup.Launch(group.command().withSetting("store", store).withSetting("role", SLAVE), SLAVE, 0));
        Map<String, String> first = urls(master, options);
        Map<String, String> second = urls(slave, options);
        Map<String, String> urls = new LinkedHashMap<>();
        // Limited to half a minute: without a limit the clients would retry forever once both brokers are gone.
        urls.put("OPENWIRE", "failover:(" + first.get("OPENWIRE") + "," + second.get("OPENWIRE")
            + ")?randomize=false&maxReconnectAttempts=300&initialReconnectDelay=100&useExponentialBackOff=false");
        for (String protocol : List.of("STOMP", "MQTT")) {
            urls.put(protocol, first.get(protocol) + "," + after("://", Objects.requireNonNull(second.get(protocol))));
        }
        urls.put("AMQP", "failover:(" + first.get("AMQP") + "," + second.get("AMQP")
            + ")?failover.maxReconnectAttempts=300&failover.reconnectDelay=100&failover.useReconnectBackOff=false");
        // A process that is started again while the other one serves waits for the store, whatever its first role was.
        group.again(process -> Map.of("role", group.hasOther(process) ? SLAVE : MASTER));
        return running(group, urls, master, slave);
    }

    private static String after(String mark, String text) {
        return text.substring(text.indexOf(mark) + mark.length());
    }

    private static Broker network(BrokerGroup group) throws BrokerException {
        BrokerProcess first = group.start(new BrokerGroup.Launch(
            group.command().withSetting("name", "brokermeter-1"), "broker 1", group.options().port()));
        BrokerProcess second = group.start(new BrokerGroup.Launch(group.command().withSetting("name", "brokermeter-2")
            .withSetting("peer", "tcp://127.0.0.1:" + first.port()), "broker 2", 0));
        Map<String, String> urls = new LinkedHashMap<>(urls(first, group.options()));
        urls(second, group.options()).forEach((protocol, url) -> urls.put(protocol + "#2", url));
        return running(group, urls, first, second);
    }

    private static Broker running(BrokerGroup group, Map<String, String> urls, BrokerProcess... nodes) {
        Map<String, String> complete = new LinkedHashMap<>(urls);
        // The broker refuses MQTT 5.
        complete.replaceAll((protocol, url) -> protocol.startsWith("MQTT") ? url + "?version=3.1.1" : url);
        return group.broker(complete, List.of(nodes));
    }

    private static Map<String, String> urls(BrokerProcess process, BrokerOptions options) {
        boolean tls = options.tls().isPresent();
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("OPENWIRE", (tls ? "ssl" : "tcp") + "://127.0.0.1:" + process.port());
        urls.put("STOMP", (tls ? "stomps" : "stomp") + "://127.0.0.1:" + process.ports().port("STOMP"));
        urls.put("MQTT", (tls ? "mqtts" : "mqtt") + "://127.0.0.1:" + process.ports().port("MQTT"));
        urls.put("AMQP", (tls ? "amqps" : "amqp") + "://127.0.0.1:" + process.ports().port("AMQP"));
        return urls;
    }
}
