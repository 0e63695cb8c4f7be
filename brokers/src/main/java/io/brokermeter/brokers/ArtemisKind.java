package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Apache Artemis, from the jars that stand in {@code artemis/} of the directory {@code brokermeter.brokers}. */
final class ArtemisKind implements BrokerKind {

    private static final String MAIN = "io.brokermeter.hosts.artemis.ArtemisHost";
    private static final String SERVER_JAR = "artemis-server-";

    private final Path jars;
    private final String version;

    private ArtemisKind(Path jars, String version) {
        this.jars = jars;
        this.version = version;
    }

    static ArtemisKind of(BrokerName name) {
        String home = System.getProperty("brokermeter.brokers");
        if (home == null) {
            throw new IllegalArgumentException(
                "Broker artemis needs the system property brokermeter.brokers, which the brokermeter launcher sets.");
        }
        Path jars = Path.of(home, "artemis").toAbsolutePath();
        String bundled = version(jars).orElseThrow(() -> new IllegalArgumentException(
            "Broker artemis is not in " + jars + "; build brokermeter again or unpack its archive again."));
        if (name.version().isPresent() && !name.version().get().equals(bundled)) {
            throw new IllegalArgumentException(
                "Broker " + name + " is not available; the version here is artemis:" + bundled + ".");
        }
        return new ArtemisKind(jars, bundled);
    }

    private static Optional<String> version(Path jars) {
        try (Stream<Path> files = Files.list(jars)) {
            return files.map(file -> file.getFileName().toString())
                .filter(file -> file.startsWith(SERVER_JAR) && file.endsWith(".jar"))
                .map(file -> file.substring(SERVER_JAR.length(), file.length() - ".jar".length()))
                .findFirst();
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
        command.add("-cp");
        command.add(jars + "/*");
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
            directory, options.startLimit());
    }
}
