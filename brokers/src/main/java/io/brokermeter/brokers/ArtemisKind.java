package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarFile;

/** Apache Artemis, from the jars in {@code artemis/} of the directory that the property {@code brokermeter.brokers} names. */
final class ArtemisKind implements BrokerKind {

    private static final String MAIN = "io.brokermeter.hosts.artemis.ArtemisHost";

    @Override
    public String name() {
        return "artemis";
    }

    @Override
    public Set<String> protocols() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of("CORE", "AMQP")));
    }

    @Override
    public Broker start(BrokerName name, BrokerOptions options) throws BrokerException {
        Path jar = HostCommand.hostJar("artemis");
        String bundled = version(jar).orElseThrow(() -> new IllegalArgumentException(
            "Broker artemis has no " + jar + "; build brokermeter again or unpack its archive again."));
        if (name.version().isPresent() && !name.version().get().equals(bundled)) {
            throw new IllegalArgumentException(
                "Broker " + name + " is not available; the version here is artemis:" + bundled + ".");
        }
        Path directory = options.directory().map(Path::toAbsolutePath).orElseGet(BrokerProcess::newDirectory);
        HostCommand command = new HostCommand(MAIN, List.of(jar), options);
        // What the JVM has to say about a cache that does not match is of no use to anybody here.
        command.withJvm("-Xlog:disable");
        options.training().ifPresentOrElse(cache -> command.withJvm("-XX:AOTCacheOutput=" + cache),
            () -> trainedCache().ifPresent(cache ->
                // Mode 0 takes the cache where it was written for; the default moves it about, for a tenth of a second.
                command.withJvm("-XX:AOTCache=" + cache, "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")));
        options.login().ifPresent(login -> command.withSetting("user", login.user()).withSecret("user", login.password()));
        options.tls().ifPresent(tls -> command.withSetting("key-store", tls.path().toAbsolutePath().toString())
            .withSecret("key-store", tls.password()));
        options.forbidden().forEach(prefix -> command.withSetting("forbid", prefix));
        BrokerName full = new BrokerName(name(), Optional.of(bundled));
        BrokerProcess process = command.start(full, "broker", options.port(), directory);
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("CORE", "tcp://127.0.0.1:" + process.port());
        urls.put("AMQP", "amqp://127.0.0.1:" + process.port());
        return new RunningBroker(full, "Apache Artemis", urls, List.of(process), process::close);
    }

    private static Optional<String> version(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
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
