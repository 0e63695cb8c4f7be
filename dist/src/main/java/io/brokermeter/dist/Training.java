package io.brokermeter.dist;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.cli.Main;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.spi.failure.OutOfMemory;

/**
 * The training run of the AOT caches (JEP 514). For some seconds it does what a user does, in this JVM and in that of a broker, both of
 * which record at their end which classes they needed and which methods were hot. It is started once for each build and JVM, in an empty
 * directory, with the option that names the cache of this JVM; the argument is the path of the broker's cache. It prints a line for each
 * step.
 */
public final class Training {

    /** The arguments of each run, the first of which is the protocol. */
    private static final List<List<String>> RUNS = List.of(
        List.of("CORE", "--max-pending", "100", "--show-latency"),
        List.of("CORE", "--max-pending", "100", "--rate", "5000", "--show-latency"),
        List.of("AMQP", "--max-pending", "100", "--show-latency"),
        List.of("STOMP", "--max-pending", "100", "--show-latency"),
        List.of("MQTT", "--max-pending", "100", "--show-latency"));

    /** The arguments of the run of a broker that has to be fetched; it is included only if the broker was fetched before. */
    private static final List<String> KAFKA = List.of("KAFKA", "--max-pending", "0");

    private Training() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream steps = System.out;
        // The output of the runs and of client libraries belongs into the log.
        System.setOut(System.err);
        OutOfMemory.endsProcess(System.err);
        loadDrivers();
        Thread.ofPlatform().daemon().name("brokermeter-parent").start(Training::endWithParent);
        Path reports = Files.createDirectory(Path.of("reports"));
        boolean kafka = Broker.isFetched(BrokerName.parse("kafka"));
        int count = RUNS.size() + (kafka ? 1 : 0);
        int step = 0;
        int status = 0;
        try {
            try (Broker broker = Broker.start(BrokerName.parse("artemis"),
                BrokerOptions.defaults().withTraining(Path.of(arguments[0])))) {
                for (List<String> run : RUNS) {
                    steps.println("step " + ++step + " of " + count);
                    status |= train(run, "topic://TRAINING" + run.getFirst(), broker, reports);
                }
            }
            deleteUnlessUsable(Path.of(arguments[0]));
            if (kafka) {
                steps.println("step " + ++step + " of " + count);
                try (Broker broker = Broker.start(BrokerName.parse("kafka"))) {
                    status |= train(KAFKA, "queue://TRAINING", broker, reports);
                }
            }
        } catch (BrokerException | IOException e) {
            // The caches are still worthwhile for the runs before the failure.
            System.err.println(e);
        }
        // Clients leave non-daemon threads behind.
        System.exit(status);
    }

    /**
     * Loads the classes of drivers for whose brokers there is no run here, and which have no client library. A start with one class that is
     * not in the cache opens all jars up to its own.
     */
    private static void loadDrivers() throws IOException {
        try (DirectoryStream<Path> jars =
            Files.newDirectoryStream(Path.of(System.getProperty("brokermeter.home"), "lib"),
                "brokermeter-driver-{beanstalkd,nats,redis,tls,wire}-*.jar")) {
            for (Path jar : jars) {
                try (JarFile file = new JarFile(jar.toFile())) {
                    file.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")).forEach(Training::load);
                }
            }
        }
    }

    private static void load(String file) {
        try {
            Class.forName(file.substring(0, file.length() - ".class".length()).replace('/', '.'), false, Training.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Deletes the cache if a broker does not start with it. The JVM verifies little of a cache and crashes on a wrong one at each start,
     * which must be detected here and not by a user.
     */
    private static void deleteUnlessUsable(Path cache) throws IOException {
        System.setProperty("brokermeter.aot", Objects.requireNonNull(cache.toAbsolutePath().getParent()).toString());
        try {
            Broker.start(BrokerName.parse("artemis")).close();
        } catch (BrokerException e) {
            System.err.println(e);
            Files.deleteIfExists(cache);
        }
    }

    /** Ends this JVM with its parent. The launching process holds the other end of standard input, which closes when that process ends. */
    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // no input is expected
            }
        } catch (IOException e) {
            // treated as the end of input
        }
        Runtime.getRuntime().halt(1);
    }

    /**
     * Executes a run.
     *
     * @return the exit code of the run
     */
    private static int train(List<String> run, String destination, Broker broker, Path reports) throws IOException {
        String protocol = run.getFirst();
        Path json = reports.resolve("training.json");
        Path hdr = reports.resolve("training.hdr");
        Path files = reports.resolve("run");
        List<String> command = new ArrayList<>(List.of("client", "--protocol", protocol, "--url",
            String.valueOf(broker.urls().get(protocol)), "--duration", "2", "--warmup", "1", "--json", json.toString(),
            "--hdr", hdr.toString(), "--out", files.toString()));
        command.addAll(run.subList(1, run.size()));
        command.add(destination);
        int status = new Main(System.err, System.err, Map.of()).run(command.toArray(String[]::new));
        Files.deleteIfExists(json);
        Files.deleteIfExists(hdr);
        DataDirectory.delete(files);
        return status;
    }
}
