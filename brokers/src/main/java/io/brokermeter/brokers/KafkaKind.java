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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Apache Kafka without ZooKeeper, from Maven Central: one node, or three that replicate everything to each other. */
final class KafkaKind implements BrokerKind {

    private static final String MAIN = "io.brokermeter.hosts.kafka.KafkaHost";
    private static final String TITLE = "Apache Kafka";
    private static final String VERSION = "4.3.1";
    private static final String SLF4J = "2.0.20";
    private static final String THREE = "3-nodes";
    /** What a user name may be made of where Kafka's login configuration takes it for a word. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_-]+");

    /** The command-line tools' own libraries, OAuth, and a module that some versions lack on Maven Central. */
    private static final List<String> NOT_NEEDED = List.of("org.apache.kafka:kafka-tools-api", "commons-beanutils:*",
        "commons-digester:*", "commons-collections:*", "commons-logging:*", "net.sourceforge.argparse4j:*",
        "org.scala-lang:scala-reflect", "com.fasterxml.jackson.dataformat:*", "org.bitbucket.b_c:jose4j", "org.jspecify:*");

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public Set<String> protocols() {
        return Set.of("KAFKA");
    }

    @Override
    public Set<String> topologies() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(BrokerOptions.SINGLE, THREE)));
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        if (!options.persistent()) {
            throw new IllegalArgumentException("Broker kafka keeps every message in its log on disk and has no other mode; "
                + "leave out --broker-no-persistence, or give it a directory in memory with --broker-directory.");
        }
        if (options.journal().isPresent()) {
            throw new IllegalArgumentException("Broker kafka has one kind of log; leave out --broker-journal, and set how "
                + "often it is flushed with --broker-property log.flush.interval.messages=N.");
        }
        Refusal.of(this, options).tls().forbidden().training();
        if (options.login().isPresent() && !WORD.matcher(options.login().get().user()).matches()) {
            throw new IllegalArgumentException("Broker kafka needs a user name of letters, digits, _ and - alone, not '"
                + options.login().get().user() + "'.");
        }
        if (options.topology().equals(THREE) && options.properties().keySet().stream().anyMatch(KafkaKind::isOfOneNode)) {
            throw new IllegalArgumentException("With --broker-topology " + THREE + " the listeners and numbers of the nodes are "
                + "given; leave out --broker-property "
                + options.properties().keySet().stream().filter(KafkaKind::isOfOneNode).sorted().findFirst().orElseThrow() + ".");
        }
    }

    private static boolean isOfOneNode(String property) {
        return Set.of("node.id", "listeners", "advertised.listeners", "log.dirs", "log.dir").contains(property);
    }

    @Override
    public List<String> descriptions(String version) {
        return List.of("org.apache.kafka:kafka_2.13:" + version + ":pom");
    }

    @Override
    public Broker start(BrokerName name, BrokerOptions options) throws BrokerException {
        BrokerName full = new BrokerName(name(), Optional.of(name.version().orElse(VERSION)));
        List<Path> classPath = classPath(full.version().orElseThrow(), options);
        Path directory = options.place();
        if (options.topology().equals(THREE)) {
            return cluster(full, options, classPath);
        }
        BrokerProcess process = command(classPath, options).start(full, "broker", options.port(), directory);
        return new RunningBroker(full, TITLE, Map.of("KAFKA", url(List.of(process))), List.of(process), process::close);
    }

    private static List<Path> classPath(String version, BrokerOptions options) throws BrokerException {
        List<Path> classPath = new ArrayList<>();
        classPath.add(HostCommand.hostJar("kafka"));
        classPath.add(HostCommand.hostJar("base"));
        classPath.addAll(new MavenArtifacts(TITLE + " " + version, options.progress()).classPath(roots(version), NOT_NEEDED));
        return classPath;
    }

    @Override
    public boolean isFetched(BrokerName name) {
        String version = name.version().orElse(VERSION);
        return new MavenArtifacts(TITLE + " " + version, progress -> { }).isKnown(roots(version), NOT_NEEDED);
    }

    private static List<String> roots(String version) {
        return List.of("org.apache.kafka:kafka_2.13:" + version, "org.slf4j:slf4j-api:" + SLF4J,
            "org.slf4j:slf4j-jdk14:" + SLF4J);
    }

    private static HostCommand command(List<Path> classPath, BrokerOptions options) {
        HostCommand command = new HostCommand(MAIN, classPath, options);
        options.login().ifPresent(login -> command.withSetting("user", login.user()).withSecret("user", login.password()));
        return command;
    }

    /** A node is ready when it knows all of them, so all are started at once. */
    private static Broker cluster(BrokerName name, BrokerOptions options, List<Path> classPath) throws BrokerException {
        BrokerGroup group = new BrokerGroup(name, options);
        List<Integer> ports = BrokerGroup.freePorts(name, 6);
        if (options.port() != 0) {
            ports.set(0, options.port());
        }
        Map<Integer, FutureTask<BrokerProcess>> starting = new LinkedHashMap<>();
        for (int node = 1; node <= 3; node++) {
            HostCommand command = command(classPath, group.options()).withSetting("node", Integer.toString(node));
            for (int member = 1; member <= 3; member++) {
                command.withSetting("member", member + ":" + ports.get(member - 1) + ":" + ports.get(member + 2));
            }
            String role = "node " + node;
            int port = ports.get(node - 1);
            FutureTask<BrokerProcess> task = new FutureTask<>(() -> group.start(command, role, port));
            starting.put(node, task);
            Thread.ofPlatform().daemon().name("brokermeter-kafka-" + node).start(task);
        }
        List<BrokerProcess> nodes = new ArrayList<>();
        BrokerException failure = null;
        for (FutureTask<BrokerProcess> task : starting.values()) {
            try {
                nodes.add(uninterruptibly(task));
            } catch (ExecutionException e) {
                BrokerException told = e.getCause() instanceof BrokerException cause ? cause
                    : new BrokerException("Broker " + name + " does not start: " + e.getCause() + ".", e);
                // A node that waited in vain for another one knows less than the one that ended.
                if (failure == null || failure.getCause() instanceof TimeoutException) {
                    failure = told;
                }
            }
        }
        if (failure != null) {
            group.close();
            throw failure;
        }
        return new RunningBroker(name, TITLE, Map.of("KAFKA", url(nodes)), nodes, group::close);
    }

    /** Each start has a limit of its own, and what was started must be known to be ended. */
    private static BrokerProcess uninterruptibly(FutureTask<BrokerProcess> task) throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static String url(List<BrokerProcess> nodes) {
        return "kafka://" + nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
    }
}
