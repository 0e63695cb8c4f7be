package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;

/** Apache Artemis, from the jars in {@code artemis/} of the directory that the property {@code brokermeter.brokers} names. */
final class ArtemisKind implements BrokerKind {

    private static final String MAIN = "io.brokermeter.hosts.artemis.ArtemisHost";
    private static final String HOST_JAR = "brokermeter-host-artemis.jar";

    private final Path jar;
    private final String version;

    private ArtemisKind(Path jar, String version) {
        this.jar = jar;
        this.version = version;
    }

    static ArtemisKind of(BrokerName name) {
        String home = System.getProperty("brokermeter.brokers");
        if (home == null) {
            throw new IllegalArgumentException(
                "Broker artemis needs the system property brokermeter.brokers, which the brokermeter launcher sets.");
        }
        Path jar = Path.of(home, "artemis", HOST_JAR).toAbsolutePath();
        String bundled = version(jar).orElseThrow(() -> new IllegalArgumentException(
            "Broker artemis has no " + jar + "; build brokermeter again or unpack its archive again."));
        if (name.version().isPresent() && !name.version().get().equals(bundled)) {
            throw new IllegalArgumentException(
                "Broker " + name + " is not available; the version here is artemis:" + bundled + ".");
        }
        return new ArtemisKind(jar, bundled);
    }

    private static Optional<String> version(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            return Optional.ofNullable(file.getManifest())
                .map(manifest -> manifest.getMainAttributes().getValue("Broker-Version"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public Broker start(BrokerOptions options) throws BrokerException {
        Path directory = options.directory().map(Path::toAbsolutePath).orElseGet(BrokerProcess::newDirectory);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + options.heap());
        // The broker shares the machine with the tool: few collector threads, short pauses matter less than their sum.
        command.add("-XX:+UseParallelGC");
        command.add("-XX:-UsePerfData");
        command.add("-XX:+UseCompactObjectHeaders");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.add("--enable-native-access=ALL-UNNAMED");
        // What the JVM has to say about a cache that does not match is of no use to anybody here.
        command.add("-Xlog:disable");
        options.training().ifPresentOrElse(cache -> command.add("-XX:AOTCacheOutput=" + cache),
            () -> trainedCache().ifPresent(cache -> {
                command.add("-XX:AOTCache=" + cache);
                // Takes the cache where it was written for; the default moves it about, for a tenth of a second.
                command.add("-XX:+UnlockDiagnosticVMOptions");
                command.add("-XX:ArchiveRelocationMode=0");
            }));
        command.add("-cp");
        command.add(jar.toString());
        command.add(MAIN);
        command.add("--port");
        command.add(Integer.toString(options.port()));
        command.add("--data");
        command.add(directory.toString());
        command.add("--persistent");
        command.add(Boolean.toString(options.persistent()));
        StringBuilder secrets = new StringBuilder();
        options.login().ifPresent(login -> {
            command.add("--user");
            command.add(login.user());
            secrets.append(login.password().reveal()).append('\n');
        });
        options.tls().ifPresent(tls -> {
            command.add("--key-store");
            command.add(tls.path().toAbsolutePath().toString());
            secrets.append(tls.password().reveal()).append('\n');
        });
        for (String prefix : options.forbidden()) {
            command.add("--forbid");
            command.add(prefix);
        }
        return BrokerProcess.start(new BrokerName("artemis", Optional.of(version)), command, secrets.toString(),
            directory, options.startLimit(), options.training().isPresent());
    }

    /** The launcher makes it once for each build and JVM; a JVM that it does not match starts without it. */
    private static Optional<Path> trainedCache() {
        return Optional.ofNullable(System.getProperty("brokermeter.aot"))
            .map(directory -> Path.of(directory, "artemis.aot")).filter(Files::isReadable);
    }
}
