package io.brokermeter.brokers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Apache RocketMQ: a name server, and one or two masters with or without a slave that copies each of them asynchronously.
 * Every one is a process with a directory of its own below the broker's. The main port is the name server's.
 */
final class RocketMqKind implements BrokerKind {

    private static final String MAIN = "io.brokermeter.hosts.rocketmq.RocketMqHost";
    private static final String DEFAULT_VERSION = "5.5.0";
    private static final String TITLE = "Apache RocketMQ";
    private static final Set<String> TOPOLOGIES = Collections.unmodifiableSet(new LinkedHashSet<>(
        List.of(BrokerOptions.SINGLE, "2-masters", "master-slave", "2-masters-2-slaves")));
    private static final Set<String> JOURNALS =
        Collections.unmodifiableSet(new LinkedHashSet<>(List.of("async-flush", "sync-flush")));

    /** What a broker needs only for its proxy, tiered storage, elections, traces in other systems, or TLS. */
    private static final List<String> EXCLUSIONS = List.of(
        "io.github.aliyunmq:rocketmq-logback-classic", "io.github.aliyunmq:rocketmq-shaded-slf4j-api-bridge",
        "io.grpc:*", "com.alipay.sofa:*", "io.jaegertracing:*", "io.opentracing:*", "io.opentracing.contrib:*",
        "org.apache.thrift:*", "com.squareup.okhttp3:*", "com.squareup.okio:*", "org.jetbrains.kotlin:*", "org.jetbrains:*",
        "org.bouncycastle:*", "com.github.luben:zstd-jni", "net.java.dev.jna:*", "org.apache.tomcat:*",
        "io.netty:netty-codec-dns", "io.netty:netty-codec-memcache", "io.netty:netty-codec-mqtt",
        "io.netty:netty-codec-redis", "io.netty:netty-codec-smtp", "io.netty:netty-codec-stomp", "io.netty:netty-codec-xml",
        "io.netty:netty-handler-ssl-ocsp", "io.netty:netty-resolver-dns", "io.netty:netty-resolver-dns-classes-macos",
        "io.netty:netty-resolver-dns-native-macos", "io.netty:netty-transport-rxtx", "io.netty:netty-transport-sctp",
        "io.netty:netty-transport-udt", "io.netty:netty-transport-classes-kqueue",
        "io.netty:netty-transport-native-kqueue", "com.google.protobuf:protobuf-java-util",
        "org.checkerframework:*", "com.google.errorprone:*", "com.google.j2objc:*", "com.google.code.findbugs:*",
        "org.codehaus.mojo:*", "com.google.android:*", "org.slf4j:jul-to-slf4j");

    @Override
    public String name() {
        return "rocketmq";
    }

    @Override
    public Set<String> protocols() {
        return Set.of("ROCKETMQ");
    }

    @Override
    public Set<String> topologies() {
        return TOPOLOGIES;
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        options.journal().ifPresent(journal -> {
            if (!JOURNALS.contains(journal)) {
                throw new IllegalArgumentException("Broker " + name() + " has no journal type '" + journal + "'; it has "
                    + String.join(", ", JOURNALS) + ".");
            }
            if (!options.persistent() && journal.equals("sync-flush")) {
                throw new IllegalArgumentException("Broker " + name()
                    + " writes every message to disk before it answers with sync-flush; leave that out or keep it persistent.");
            }
        });
        if (options.login().isPresent() || options.tls().isPresent() || !options.forbidden().isEmpty()) {
            throw new IllegalArgumentException("Broker " + name() + " can be started without a login, without TLS and open only.");
        }
    }

    @Override
    public List<String> descriptions(String version) {
        return List.of("org.apache.rocketmq:rocketmq-broker:" + version + ":pom");
    }

    @Override
    public Broker start(BrokerName name, BrokerOptions options) throws BrokerException {
        String version = name.version().orElse(DEFAULT_VERSION);
        BrokerName full = new BrokerName(name(), Optional.of(version));
        List<Path> classPath = new ArrayList<>();
        classPath.add(HostCommand.hostJar("rocketmq"));
        classPath.add(HostCommand.hostJar("base"));
        classPath.addAll(new MavenArtifacts(TITLE + " " + version, options.progress()).classPath(List.of(
            "org.apache.rocketmq:rocketmq-namesrv:" + version, "org.apache.rocketmq:rocketmq-broker:" + version,
            // otherwise only what is excluded would bring it
            "com.google.protobuf:protobuf-java:3.20.1",
            "org.slf4j:slf4j-api:2.0.20", "org.slf4j:slf4j-jdk14:2.0.20"), EXCLUSIONS));
        Start start = new Start(full, options, List.copyOf(classPath));
        try {
            return start.run();
        } catch (BrokerException | RuntimeException e) {
            start.group.close();
            throw e;
        }
    }

    /** One start. */
    private static final class Start {

        private final BrokerName name;
        private final List<Path> classPath;
        private final BrokerGroup group;

        Start(BrokerName name, BrokerOptions options, List<Path> classPath) {
            this.name = name;
            this.classPath = classPath;
            this.group = new BrokerGroup(name, options);
        }

        Broker run() throws BrokerException {
            BrokerOptions options = group.options();
            BrokerProcess nameServer = group.start(command("name-server", "name server"), "name server", options.port());
            String address = "127.0.0.1:" + nameServer.port();
            boolean slaves = options.topology().contains("slave");
            List<String> names = options.topology().startsWith("2-") ? List.of("broker-a", "broker-b") : List.of("broker-a");
            List<BrokerNode> nodes = new ArrayList<>(all("master", names, address));
            if (slaves) {
                nodes.addAll(all("slave", names, address));
            }
            nodes.add(nameServer);
            return new RunningBroker(name, TITLE, Map.of("ROCKETMQ", "rocketmq://" + address), nodes, group::close);
        }

        /** Starts brokers of one role at the same time, since each takes its seconds. */
        private List<BrokerProcess> all(String role, List<String> names, String nameServer) throws BrokerException {
            List<Future<BrokerProcess>> starts = new ArrayList<>();
            try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
                for (String broker : names) {
                    String full = role + " " + broker;
                    starts.add(executor.submit(() -> group.start(command(role, full)
                        .withSetting("name", broker)
                        .withSetting("name-server", nameServer)
                        .withSetting("journal", group.options().journal().orElse("async-flush")), full, 0)));
                }
            }
            List<BrokerProcess> started = new ArrayList<>();
            for (Future<BrokerProcess> start : starts) {
                try {
                    started.add(start.get());
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof BrokerException cause) {
                        throw cause;
                    }
                    throw new BrokerException("Broker " + name + " does not start: " + e.getCause() + ".", e);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new BrokerException("Broker " + name + " does not start: the wait for it was interrupted.", e);
                }
            }
            return started;
        }

        private HostCommand command(String role, String process) {
            // What has no setting of its own is written below the home directory.
            Path home = group.directory().resolve(process.replace(' ', '-'));
            return new HostCommand(MAIN, classPath, group.options())
                .withJvm("-Duser.home=" + home, "-Drocketmq.home.dir=" + home).withSetting("role", role);
        }
    }
}
