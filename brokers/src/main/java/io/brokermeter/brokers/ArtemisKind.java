package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.spi.Secret;

/**
 * Apache Artemis: one version from the jars in {@code artemis/} of the directory that the property
 * {@code brokermeter.brokers} names, any other from Maven Central, by its modules or else by its archive. Serves all its
 * protocols on one port.
 */
final class ArtemisKind implements BrokerKind {

    private static final String MAIN = "io.brokermeter.hosts.artemis.ArtemisHost";
    private static final String TITLE = "Apache Artemis";
    private static final String PAIR = "primary-backup";
    private static final String LOGGER = "org.slf4j:slf4j-jdk14:2.0.20";
    private static final Set<String> JOURNALS = ordered("nio", "asyncio", "mapped");
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+");
    // From this version on the project has a group of its own in Maven Central.
    private static final int OWN_GROUP = 50;

    @Override
    public String name() {
        return "artemis";
    }

    @Override
    public Set<String> protocols() {
        return ordered("CORE", "AMQP", "OPENWIRE", "STOMP", "MQTT");
    }

    @Override
    public Set<String> topologies() {
        return ordered(BrokerOptions.SINGLE, PAIR);
    }

    private static Set<String> ordered(String... names) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(names)));
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        options.journal().ifPresent(journal -> {
            if (!JOURNALS.contains(journal)) {
                throw new IllegalArgumentException("Broker artemis has no journal '" + journal + "'; it has "
                    + String.join(", ", JOURNALS) + ".");
            }
            if (!options.persistent()) {
                throw new IllegalArgumentException("Broker artemis has no journal when it is not persistent, so none of the "
                    + "type " + journal + ".");
            }
        });
        if (options.topology().equals(PAIR)) {
            if (!options.persistent()) {
                throw new IllegalArgumentException(
                    "Broker artemis must be persistent as " + PAIR + ", since the backup takes over what is stored.");
            }
            if (options.tls().isPresent() || options.training().isPresent()) {
                throw new IllegalArgumentException("Broker artemis is started without TLS as " + PAIR + ".");
            }
        }
    }

    @Override
    public List<String> descriptions(String version) {
        Path bundle = HostCommand.hostJar("artemis").resolveSibling("brokermeter-host-artemis-bundle.jar");
        if (version(bundle).filter(version::equals).isPresent()) {
            return List.of();
        }
        String group = group(new BrokerName(name(), Optional.of(version)), version);
        return List.of(group + ":artemis-server:" + version + ":pom", group + ":apache-artemis:" + version + ":pom");
    }

    @Override
    public Broker start(BrokerName name, BrokerOptions options) throws BrokerException {
        Path jar = HostCommand.hostJar("artemis");
        Path bundle = jar.resolveSibling("brokermeter-host-artemis-bundle.jar");
        String bundled = version(bundle).orElseThrow(() -> new IllegalArgumentException(
            "Broker artemis has no " + bundle + "; build brokermeter again or unpack its archive again."));
        String version = name.version().orElse(bundled);
        BrokerName full = new BrokerName(name(), Optional.of(version));
        boolean isBundled = version.equals(bundled);
        List<Path> classPath = isBundled ? List.of(jar, bundle) : classPath(jar, full, version, options);
        if (options.topology().equals(PAIR)) {
            return pair(full, classPath, isBundled, options);
        }
        Path directory = options.place();
        BrokerProcess process = command(classPath, isBundled, options).start(full, "broker", options.port(), directory);
        String address = "://127.0.0.1:" + process.port();
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("CORE", "tcp" + address);
        urls.put("AMQP", "amqp" + address);
        urls.put("OPENWIRE", "tcp" + address);
        urls.put("STOMP", "stomp" + address);
        urls.put("MQTT", "mqtt" + address);
        return new RunningBroker(full, TITLE, urls, List.of(process), process::close);
    }

    private static HostCommand command(List<Path> classPath, boolean isBundled, BrokerOptions options) {
        HostCommand command = new HostCommand(MAIN, classPath, options);
        if (isBundled) {
            // What the JVM has to say about a cache that does not match is of no use to anybody here.
            command.withJvm("-Xlog:disable");
            options.training().ifPresentOrElse(cache -> command.withJvm("-XX:AOTCacheOutput=" + cache),
                () -> trainedCache().ifPresent(cache ->
                    // Mode 0 takes the cache where it was written for; the default moves it about, for a tenth of a second.
                    command.withJvm("-XX:AOTCache=" + cache, "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")));
        }
        options.journal().ifPresent(journal -> command.withSetting("journal", journal));
        if (options.journal().filter("asyncio"::equals).isPresent()) {
            LibaioWrapper.directory(isBundled ? bundledJars(classPath.getFirst()) : classPath)
                .ifPresent(place -> command.withJvm("-Djava.library.path=" + place));
        }
        options.login().ifPresent(login -> command.withSetting("user", login.user()).withSecret("user", login.password()));
        options.tls().ifPresent(tls -> command.withSetting("key-store", tls.path().toAbsolutePath().toString())
            .withSecret("key-store", tls.password()));
        options.forbidden().forEach(prefix -> command.withSetting("forbid", prefix));
        return command;
    }

    private static List<Path> bundledJars(Path host) {
        try (Stream<Path> files = Files.list(host.resolveSibling("."))) {
            return files.toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Two brokers over one store: the backup takes over as soon as the primary is gone. */
    private static Broker pair(BrokerName name, List<Path> classPath, boolean isBundled, BrokerOptions options)
        throws BrokerException {
        List<Integer> ports = new ArrayList<>(BrokerGroup.freePorts(name, 2));
        if (options.port() != 0) {
            ports.set(0, options.port());
        }
        Secret secret = Secret.of(UUID.randomUUID().toString());
        BrokerGroup group = new BrokerGroup(name, options);
        try {
            List<BrokerProcess> nodes = new ArrayList<>();
            for (String role : List.of("primary", "backup")) {
                int own = ports.get(nodes.size());
                int peer = ports.get(1 - nodes.size());
                nodes.add(group.start(command(classPath, isBundled, group.options())
                    .withSetting("role", role).withSetting("peer", Integer.toString(peer))
                    .withSetting("store", group.directory().resolve("store").toString())
                    .withSecret("pair", secret), role, own));
            }
            String first = "127.0.0.1:" + nodes.getFirst().port();
            String second = "127.0.0.1:" + nodes.getLast().port();
            Map<String, String> urls = new LinkedHashMap<>();
            // Bounded at half a minute: without a bound the client would try for ever once both are gone.
            urls.put("CORE", "(tcp://" + first + ",tcp://" + second + ")?ha=true&retryInterval=100&reconnectAttempts=300");
            urls.put("AMQP", "failover:(amqp://" + first + ",amqp://" + second + ")?failover.maxReconnectAttempts=300"
                + "&failover.reconnectDelay=100&failover.useReconnectBackOff=false");
            urls.put("OPENWIRE", "failover:(tcp://" + first + ",tcp://" + second + ")?maxReconnectAttempts=300"
                + "&initialReconnectDelay=100&useExponentialBackOff=false");
            urls.put("STOMP", "stomp://" + first + "," + second);
            urls.put("MQTT", "mqtt://" + first + "," + second);
            return new RunningBroker(name, TITLE, urls, nodes, group::close);
        } catch (BrokerException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    private static List<Path> classPath(Path host, BrokerName name, String version, BrokerOptions options)
        throws BrokerException {
        String group = group(name, version);
        MavenArtifacts artifacts = new MavenArtifacts(TITLE + " " + version, options.progress());
        List<Path> classPath = new ArrayList<>(List.of(host, HostCommand.hostJar("base")));
        List<String> modules = new ArrayList<>();
        for (String module : List.of("server", "amqp-protocol", "stomp-protocol", "mqtt-protocol", "openwire-protocol")) {
            modules.add(group + ":artemis-" + module + ":" + version);
        }
        modules.add(LOGGER);
        try {
            classPath.addAll(artifacts.classPath(modules, List.of()));
        } catch (MissingArtifactException missing) {
            // Maven Central lacks modules of some versions, and whole archives of others.
            classPath.addAll(artifacts.classPath(List.of(LOGGER), List.of()));
            try {
                artifacts.archiveJars(group + ":apache-artemis:" + version + ":tar.gz:bin", List.of("lib")).stream()
                    .filter(jar -> !String.valueOf(jar.getFileName()).startsWith("log4j-")).forEach(classPath::add);
            } catch (MissingArtifactException e) {
                missing.addSuppressed(e);
                throw missing;
            }
        }
        return classPath;
    }

    private static String group(BrokerName name, String version) {
        Matcher numbers = VERSION.matcher(version);
        if (!numbers.matches()) {
            throw new IllegalArgumentException("Broker " + name + " has a version that Artemis has not; it must look like 2.44.0.");
        }
        boolean own = Integer.parseInt(numbers.group(1)) > 2 || Integer.parseInt(numbers.group(2)) >= OWN_GROUP;
        return own ? "org.apache.artemis" : "org.apache.activemq";
    }

    private static Optional<String> version(Path bundle) {
        try (JarFile file = new JarFile(bundle.toFile())) {
            return Optional.ofNullable(file.getManifest())
                .map(manifest -> manifest.getMainAttributes().getValue("Broker-Version"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The launcher makes it once for each build and JVM; a JVM that it does not match starts without it. */
    private static Optional<Path> trainedCache() {
        return Optional.ofNullable(System.getProperty("brokermeter.aot"))
            .map(directory -> Path.of(directory, "artemis.aot")).filter(Files::isReadable);
    }
}
