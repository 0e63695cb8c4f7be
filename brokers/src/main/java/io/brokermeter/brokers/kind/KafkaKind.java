package io.brokermeter.brokers.kind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerGroup;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.BrokerProcess;
import io.brokermeter.brokers.process.HostCommand;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;

/** The broker kind Apache Kafka without ZooKeeper, from Maven Central: one node, or three that replicate everything to each other. */
public final class KafkaKind extends HostKind {

    private static final String THREE = "3-nodes";
    /** The number of listeners for proxies that a node has, on the ports after that of its clients. */
    private static final int PROXIED = 2;
    /** The pattern of user names that Kafka's login configuration parses as a single word. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_-]+");

    /** Dependencies to leave out: libraries of the command-line tools, OAuth, and a module that some versions lack on Maven Central. */
    private static final List<String> NOT_NEEDED = List.of("org.apache.kafka:kafka-tools-api", "commons-beanutils:*",
        "commons-digester:*", "commons-collections:*", "commons-logging:*", "net.sourceforge.argparse4j:*",
        "org.scala-lang:scala-reflect", "com.fasterxml.jackson.dataformat:*", "org.bitbucket.b_c:jose4j", "org.jspecify:*");

    public KafkaKind() {
        super("kafka", "Apache Kafka", "kafka.KafkaHost", "4.3.1", "KAFKA");
        topologies(THREE);
        features(Feature.LOGIN);
    }

    @Override
    public void check(BrokerOptions options) {
        if (!options.persistent()) {
            throw new Refusal("Broker kafka keeps every message in its log on disk and has no other mode; "
                + "leave out %s, or give it a directory in memory with %s.", Setting.BROKER_PERSISTENCE, Setting.BROKER_DIRECTORY);
        }
        if (options.journal().isPresent()) {
            throw new Refusal("Broker kafka has one kind of log; leave out %s, and set how "
                + "often it is flushed with %s log.flush.interval.messages=N.", Setting.BROKER_JOURNAL, Setting.BROKER_PROPERTIES);
        }
        super.check(options);
        options.login().ifPresent(login -> require(WORD.matcher(login.user()).matches(),
            "user names of letters, digits, _ and - alone, not '" + login.user() + "'"));
        if (options.topology().equals(THREE) && options.properties().keySet().stream().anyMatch(KafkaKind::isOfOneNode)) {
            throw new Refusal("With %s %s the listeners and numbers of the nodes are given; leave out %s %s.",
                Setting.BROKER_TOPOLOGY, THREE, Setting.BROKER_PROPERTIES,
                options.properties().keySet().stream().filter(KafkaKind::isOfOneNode).sorted().findFirst().orElseThrow());
        }
    }

    private static boolean isOfOneNode(String property) {
        return Set.of("node.id", "listeners", "advertised.listeners", "log.dirs", "log.dir").contains(property);
    }

    @Override
    public List<String> roles(String topology) {
        return topology.equals(THREE) ? List.of("node 1", "node 2", "node 3") : super.roles(topology);
    }

    @Override
    public List<String> roots(String version) {
        return List.of("org.apache.kafka:kafka_2.13:" + version, "org.slf4j:slf4j-api:2.0.20", LOGGER);
    }

    @Override
    public List<String> exclusions() {
        return NOT_NEEDED;
    }

    @Override
    public Broker start(BrokerGroup group) throws BrokerException {
        List<BrokerProcess> nodes = group.options().topology().equals(THREE) ? group.startAll(members(group))
            : List.of(group.startAlone(group.command()));
        return group.broker(Map.of("KAFKA", "kafka://" + nodes.stream().map(node -> "127.0.0.1:" + node.port())
            .collect(Collectors.joining(","))), nodes);
    }

    /** Returns the launches of the three nodes. A node is ready when it knows all of them, so all must be started at the same time. */
    private static List<BrokerGroup.Launch> members(BrokerGroup group) throws BrokerException {
        List<Integer> ports = ordered(ports(group, 6));
        List<BrokerGroup.Launch> launches = new ArrayList<>();
        for (int node = 1; node <= 3; node++) {
            HostCommand command = group.command().withSetting("node", Integer.toString(node));
            for (int member = 1; member <= 3; member++) {
                command.withSetting("member", member + ":" + ports.get(member - 1) + ":" + ports.get(member + 2));
            }
            launches.add(new BrokerGroup.Launch(command, "node " + node, ports.get(node - 1)));
        }
        return launches;
    }

    /**
     * Orders ports: those of the nodes' clients, that of node 1 first, and then those of their controllers. The ports after that of a
     * node's clients are those of its listeners for proxies, which must not be the port of its controller.
     *
     * @param ports six ports, the first of them that of node 1, which the user may have requested
     */
    static List<Integer> ordered(List<Integer> ports) {
        List<Integer> others = ports.stream().skip(1).sorted(Comparator.reverseOrder()).toList();
        List<Integer> controllers = new ArrayList<>(others.subList(2, 5));
        // Three of them are lower than the other two, and at most two directly follow the first.
        int asked = ports.getFirst();
        Integer first = controllers.stream().filter(port -> port < asked || port > asked + PROXIED).findFirst().orElseThrow();
        controllers.remove(first);
        List<Integer> ordered = new ArrayList<>(List.of(asked, others.get(0), others.get(1), first));
        ordered.addAll(controllers);
        return ordered;
    }
}
