package io.brokermeter.brokers.kind;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerGroup;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.BrokerProcess;
import io.brokermeter.brokers.process.HostCommand;

/**
 * The broker kind Apache RocketMQ: a name server, and one or two masters, with or without a slave for each that replicates it
 * asynchronously. Each is a process with a directory of its own below the broker's. The main port is that of the name server.
 */
public final class RocketMqKind extends HostKind {

    /** Dependencies to leave out, which a broker needs only for its proxy, tiered storage, elections, traces in other systems, or TLS. */
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

    public RocketMqKind() {
        super("rocketmq", "Apache RocketMQ", "rocketmq.RocketMqHost", "5.5.0", "ROCKETMQ");
        topologies("2-masters", "master-slave", "2-masters-2-slaves");
        journals("async-flush", "sync-flush");
    }

    @Override
    public boolean needsStore(String journal) {
        return journal.equals("sync-flush");
    }

    @Override
    public List<String> roles(String topology) {
        List<String> brokers = topology.startsWith("2-") ? List.of("broker-a", "broker-b") : List.of("broker-a");
        List<String> roles = new ArrayList<>();
        for (String role : topology.contains("slave") ? List.of("master", "slave") : List.of("master")) {
            brokers.forEach(broker -> roles.add(role + " " + broker));
        }
        roles.add("name server");
        return roles;
    }

    @Override
    public List<String> roots(String version) {
        return List.of("org.apache.rocketmq:rocketmq-broker:" + version, "org.apache.rocketmq:rocketmq-namesrv:" + version,
            // otherwise it would be missing: only excluded artifacts depend on it
            "com.google.protobuf:protobuf-java:3.20.1", "org.slf4j:slf4j-api:2.0.20", LOGGER);
    }

    @Override
    public List<String> exclusions() {
        return EXCLUSIONS;
    }

    @Override
    public List<Path> classPath(String version, BrokerOptions options) throws BrokerException {
        List<Path> jars = new ArrayList<>(super.classPath(version, options));
        jars.add(HostCommand.hostJar(name()).resolveSibling("brokermeter-rocketmq-log.jar"));
        return jars;
    }

    @Override
    public Broker start(BrokerGroup group) throws BrokerException {
        BrokerProcess nameServer = group.start(launch(group, "name-server", "name server", group.options().port()));
        String address = "127.0.0.1:" + nameServer.port();
        String topology = group.options().topology();
        List<BrokerNode> nodes = new ArrayList<>();
        for (String role : topology.contains("slave") ? List.of("master", "slave") : List.of("master")) {
            List<BrokerGroup.Launch> launches = new ArrayList<>();
            for (String broker : topology.startsWith("2-") ? List.of("broker-a", "broker-b") : List.of("broker-a")) {
                BrokerGroup.Launch launch = launch(group, role, role + " " + broker, 0);
                launch.command().withSetting("name", broker).withSetting("name-server", address);
                launches.add(launch);
            }
            nodes.addAll(group.startAll(launches));
        }
        nodes.add(nameServer);
        return group.broker(Map.of("ROCKETMQ", "rocketmq://" + address), nodes);
    }

    private static BrokerGroup.Launch launch(BrokerGroup group, String role, String process, int port) {
        // Files whose location has no setting of its own are written below the home directory.
        String home = group.directory(process).toString();
        // The native library of RocksDB, 13 MB, is unpacked there instead of into the system's temporary directory, where it would stay.
        HostCommand command = group.command().withJvm("-Duser.home=" + home, "-Drocketmq.home.dir=" + home)
            .withEnvironment("ROCKSDB_SHAREDLIB_DIR", home).withSetting("role", role);
        boolean broker = !role.equals("name-server");
        if (broker) {
            // Each second the broker's timer compares 38 MB byte by byte: with the cheap compilers of tests, that takes a quarter of a
            // core.
            command.withJvm("-XX:TieredStopAtLevel=4");
        }
        return new BrokerGroup.Launch(command.withPart(broker ? "broker" : role), process, port);
    }
}
