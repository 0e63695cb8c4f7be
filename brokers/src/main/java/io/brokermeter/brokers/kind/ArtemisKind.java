package io.brokermeter.brokers.kind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerGroup;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.artifact.MavenArtifacts;
import io.brokermeter.brokers.process.BrokerProcess;
import io.brokermeter.brokers.process.HostCommand;
import io.brokermeter.spi.parameter.Secret;

/**
 * The broker kind Apache Artemis. One version is run from the jars in {@code artemis/} of the directory that the property
 * {@code brokermeter.brokers} names, any other from Maven Central, by its modules or else by its archive. The broker serves all its
 * protocols on one port.
 */
public final class ArtemisKind extends HostKind {

    private static final String PAIR = "primary-backup";
    private static final String PRIMARY = "primary";
    private static final String BACKUP = "backup";
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+");
    // The minor version of 2.x from which on the project has a group of its own in Maven Central.
    private static final int OWN_GROUP = 50;

    public ArtemisKind() {
        super("artemis", "Apache Artemis", "artemis.ArtemisHost", "", "CORE", "AMQP", "OPENWIRE", "STOMP", "MQTT");
        topologies(PAIR);
        journals("nio", "asyncio", "mapped");
        features(Feature.values());
    }

    @Override
    public void check(BrokerOptions options) {
        super.check(options);
        if (options.topology().equals(PAIR)) {
            if (!options.persistent()) {
                throw new IllegalArgumentException(
                    "Broker artemis must be persistent as " + PAIR + ", since the backup takes over what is stored.");
            }
            require(options.tls().isEmpty() && options.training().isEmpty(), "no TLS port as " + PAIR);
        }
    }

    @Override
    public List<String> roles(String topology) {
        return topology.equals(PAIR) ? List.of(PRIMARY, BACKUP) : super.roles(topology);
    }

    @Override
    public String defaultVersion() {
        return bundled().orElseThrow(() -> new IllegalArgumentException(
            "Broker artemis has no " + bundle() + "; build brokermeter again or unpack its archive again."));
    }

    private static Path bundle() {
        return HostCommand.hostJar("artemis").resolveSibling("brokermeter-host-artemis-bundle.jar");
    }

    @Override
    public List<String> roots(String version) {
        return Stream.concat(Stream.of("server", "amqp-protocol", "stomp-protocol", "mqtt-protocol", "openwire-protocol")
            .map(module -> group(version) + ":artemis-" + module + ":" + version), Stream.of(LOGGER)).toList();
    }

    @Override
    public List<String> descriptions(String version) {
        return bundled().filter(version::equals).isPresent() ? List.of()
            : List.of(group(version) + ":artemis-server:" + version + ":pom", archive(version) + ":pom");
    }

    private static String archive(String version) {
        return group(version) + ":apache-artemis:" + version;
    }

    @Override
    public List<Path> classPath(String version, BrokerOptions options) throws BrokerException {
        return version.equals(defaultVersion()) ? List.of(HostCommand.hostJar("artemis"), bundle())
            : super.classPath(version, options);
    }

    /** Returns the jars of the modules or of the archive: Maven Central lacks modules of some versions, and whole archives of others. */
    @Override
    public List<Path> jars(MavenArtifacts artifacts, String version) throws BrokerException {
        return modulesOrArchive(artifacts, roots(version), archive(version) + ":tar.gz:bin", "lib");
    }

    @Override
    public Broker start(BrokerGroup group) throws BrokerException {
        if (group.options().topology().equals(PAIR)) {
            return pair(group);
        }
        BrokerProcess process = group.startAlone(command(group));
        String address = group.options().at(process.port());
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("CORE", "tcp" + address);
        urls.put("AMQP", "amqp" + address);
        urls.put("OPENWIRE", "tcp" + address);
        urls.put("STOMP", "stomp" + address);
        urls.put("MQTT", "mqtt" + address);
        return group.broker(urls, List.of(process));
    }

    private static HostCommand command(BrokerGroup group) {
        BrokerOptions options = group.options();
        boolean isBundled = group.classPath().contains(bundle());
        HostCommand command = group.command();
        if (isBundled) {
            // The messages of the JVM about a cache that does not match are of no use here.
            command.withJvm("-Xlog:disable");
            options.training().ifPresentOrElse(cache -> command.withJvm("-XX:AOTCacheOutput=" + cache),
                () -> trainedCache().ifPresent(cache ->
                // Mode 0 maps the cache at the address it was written for; the default relocates it, which takes a tenth of a second.
                command.withJvm("-XX:AOTCache=" + cache, "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")));
        }
        if (options.journal().filter("asyncio"::equals).isPresent()) {
            LibaioWrapper.directory(isBundled ? bundledJars(group.classPath().getFirst()) : group.classPath())
                .ifPresent(place -> command.withJvm("-Djava.library.path=" + place));
        }
        return command;
    }

    private static List<Path> bundledJars(Path host) {
        try (Stream<Path> files = Files.list(host.resolveSibling("."))) {
            return files.toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Starts two brokers over one store; the backup takes over as soon as the primary is gone. */
    private static Broker pair(BrokerGroup group) throws BrokerException {
        List<Integer> ports = ports(group, 2);
        Secret secret = Secret.of(UUID.randomUUID().toString());
        List<BrokerProcess> nodes = new ArrayList<>();
        for (String role : List.of(PRIMARY, BACKUP)) {
            int peer = ports.get(1 - nodes.size());
            nodes.add(group.start(new BrokerGroup.Launch(command(group)
                .withSetting("role", role).withSetting("peer", Integer.toString(peer))
                .withSetting("store", group.directory().resolve("store").toString())
                .withSecret("pair", secret), role, ports.get(nodes.size()))));
        }
        String first = "127.0.0.1:" + nodes.getFirst().port();
        String second = "127.0.0.1:" + nodes.getLast().port();
        Map<String, String> urls = new LinkedHashMap<>();
        // Limited to half a minute: without a limit the client would retry forever once both brokers are gone.
        urls.put("CORE", "(tcp://" + first + ",tcp://" + second + ")?ha=true&retryInterval=100&reconnectAttempts=300");
        urls.put("AMQP", "failover:(amqp://" + first + ",amqp://" + second + ")?failover.maxReconnectAttempts=300"
            + "&failover.reconnectDelay=100&failover.useReconnectBackOff=false");
        urls.put("OPENWIRE", "failover:(tcp://" + first + ",tcp://" + second + ")?maxReconnectAttempts=300"
            + "&initialReconnectDelay=100&useExponentialBackOff=false");
        urls.put("STOMP", "stomp://" + first + "," + second);
        urls.put("MQTT", "mqtt://" + first + "," + second);
        // A process that is started again while the other one serves becomes the backup, whatever its first role was.
        group.again(process -> Map.of("role", group.hasOther(process) ? BACKUP : PRIMARY));
        return group.broker(urls, nodes);
    }

    private static String group(String version) {
        Matcher numbers = VERSION.matcher(version);
        if (!numbers.matches()) {
            throw new IllegalArgumentException(
                "Broker artemis:" + version + " has a version that Artemis has not; it must look like 2.44.0.");
        }
        boolean own = Integer.parseInt(numbers.group(1)) > 2 || Integer.parseInt(numbers.group(2)) >= OWN_GROUP;
        return own ? "org.apache.artemis" : "org.apache.activemq";
    }

    /** Returns the bundled version, for which nothing is fetched; empty when there is no bundle. */
    private static Optional<String> bundled() {
        try (JarFile file = new JarFile(bundle().toFile())) {
            return Optional.ofNullable(file.getManifest())
                .map(manifest -> manifest.getMainAttributes().getValue("Broker-Version"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the AOT cache that the launcher creates once for each build and JVM. A JVM that the cache does not match starts without it.
     */
    private static Optional<Path> trainedCache() {
        return Optional.ofNullable(System.getProperty("brokermeter.aot"))
            .map(directory -> Path.of(directory, "artemis.aot")).filter(Files::isReadable);
    }
}
