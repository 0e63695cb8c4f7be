package io.brokermeter.dist;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.cli.Main;
import io.brokermeter.hosts.DataDirectory;

/**
 * The training run of the AOT caches (JEP 514): does for seconds what a user does, in this JVM and in that of a broker,
 * which both write down at their end which classes they needed and which methods ran hot. It is started once for each build
 * and JVM, in an empty directory, with the option that names the cache of this JVM; the argument is the cache of the
 * broker's. It prints a line for each step.
 */
public final class Training {

    /** A run: the protocol first. */
    private static final List<List<String>> RUNS = List.of(
        List.of("CORE", "--max-pending", "100", "--show-latency"),
        List.of("CORE", "--max-pending", "100", "--rate", "5000", "--show-latency"),
        List.of("AMQP", "--max-pending", "100", "--show-latency"),
        List.of("STOMP", "--max-pending", "100", "--show-latency"),
        List.of("MQTT", "--max-pending", "100", "--show-latency"));

    /** The protocol of a broker that has to be fetched; it is trained where that was done already. */
    private static final List<String> KAFKA = List.of("KAFKA", "--max-pending", "0");

    private Training() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream steps = System.out;
        // Whatever the runs and client libraries print belongs into the log.
        System.setOut(System.err);
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
            // What was trained before it is worth a cache all the same.
            System.err.println(e);
        }
        // Clients leave threads behind that are no daemons.
        System.exit(status);
    }

    /** The JVM checks little of a cache and crashes on a wrong one, at each start: that is to show here and not to a user. */
    private static void deleteUnlessUsable(Path cache) throws IOException {
        System.setProperty("brokermeter.aot", Objects.requireNonNull(cache.toAbsolutePath().getParent()).toString());
        try {
            Broker.start(BrokerName.parse("artemis")).close();
        } catch (BrokerException e) {
            System.err.println(e);
            Files.deleteIfExists(cache);
        }
    }

    /** The launching process holds the other end of standard input, which closes when that process ends. */
    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // nothing is said here
            }
        } catch (IOException e) {
            // as its end
        }
        Runtime.getRuntime().halt(1);
    }

    /** @return the exit code of the run */
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
