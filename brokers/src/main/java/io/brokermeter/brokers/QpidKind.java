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

/**
 * Qpid Broker-J, resolved from Maven Central, so that AMQP 0-9-1 needs nothing that is installed. Persistent, it stores
 * messages in Derby, which is slow; otherwise in memory, where AMQP 1.0 must not send durable ones. Its properties are
 * context variables of the broker.
 */
final class QpidKind implements BrokerKind {

    private static final String MAIN = "io.brokermeter.hosts.qpid.QpidHost";
    private static final String VERSION = "10.1.0";
    private static final String LOGGER = "org.slf4j:slf4j-jdk14:2.0.20";
    private static final List<String> MODULES = List.of("qpid-broker-core", "qpid-broker-plugins-amqp-0-8-protocol",
        "qpid-broker-plugins-amqp-1-0-protocol", "qpid-broker-plugins-amqp-msg-conv-0-8-to-1-0",
        "qpid-broker-plugins-memory-store", "qpid-broker-plugins-derby-store");

    @Override
    public String name() {
        return "qpid";
    }

    @Override
    public Set<String> protocols() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of("AMQP091", "AMQP")));
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        Refusal.of(this, options).journal().tls().forbidden().training();
    }

    @Override
    public List<String> descriptions(String version) {
        return List.of("org.apache.qpid:qpid-broker-core:" + version + ":pom");
    }

    @Override
    public Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        String version = asked.version().orElse(VERSION);
        BrokerName name = new BrokerName(name(), Optional.of(version));
        List<Path> classPath = new ArrayList<>(List.of(HostCommand.hostJar("qpid"), HostCommand.hostJar("base")));
        List<String> roots = Stream.concat(
            MODULES.stream().map(module -> "org.apache.qpid:" + module + ":" + version), Stream.of(LOGGER)).toList();
        classPath.addAll(new MavenArtifacts("Qpid Broker-J " + version, options.progress()).classPath(roots, List.of()));
        Path directory = options.place();
        HostCommand command = new HostCommand(MAIN, classPath, options);
        options.login().ifPresent(login -> command.withSetting("user", login.user()).withSecret("user", login.password()));
        BrokerProcess process = command.start(name, "broker", options.port(), directory);
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("AMQP091", "amqp://127.0.0.1:" + process.port());
        urls.put("AMQP", "amqp://127.0.0.1:" + process.ports().of("AMQP"));
        return new RunningBroker(name, "Qpid Broker-J", urls, List.of(process), process::close);
    }
}
