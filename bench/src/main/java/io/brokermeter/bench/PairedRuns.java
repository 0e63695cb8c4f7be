package io.brokermeter.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.proc.ProcText;

/**
 * Runs brokermeter and another tool alternately, with the same work against one broker that belongs to neither, and prints the medians of
 * each figure and of the ratios of the pairs. The order within a pair alternates from pair to pair.
 */
public final class PairedRuns {

    /** A tool that {@code bench/run} does not fetch, since it is no Java program: it must be on the PATH. */
    private enum NativeTool {

        RDKAFKA("rdkafka_performance", "kafka-.*-native",
            "get the sources by `npm pack node-rdkafka@3.6.1`, and in its package/deps/librdkafka run "
                + "`./configure --disable-sasl --disable-zstd --disable-lz4-ext --disable-curl && make -C src librdkafka.a && "
                + "make -C examples rdkafka_performance`"),
        NATS("nats", "nats-.*-native", "run `go install github.com/nats-io/natscli/nats@v0.5.0`"),
        REDIS("redis-benchmark", "redis-.*", "install redis-tools"),
        MOSQUITTO("mosquitto_pub", "mqtt-.*-native", "install mosquitto-clients"),
        NETCAT("nc", "stomp-.*-native", "install netcat-openbsd");

        private final String command;
        private final String comparisons;
        private final String how;

        NativeTool(String command, String comparisons, String how) {
            this.command = command;
            this.comparisons = comparisons;
            this.how = how;
        }

        /** Returns what to do before a comparison can be run, in one sentence; empty if nothing is missing. */
        static Optional<String> missing(String comparison) {
            for (NativeTool tool : values()) {
                if (comparison.matches(tool.comparisons) && !tool.isThere()) {
                    return Optional.of(comparison + " needs " + tool.command + " on the PATH: " + tool.how + ".");
                }
            }
            return Optional.empty();
        }

        private boolean isThere() {
            String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
            return List.of(path.split(File.pathSeparator)).stream().anyMatch(each -> Files.isExecutable(Path.of(each, command)));
        }
    }

    static final String CPU = "client CPU per message, us";
    static final String RATE = "throughput, msg/s";

    private final BenchLayout layout;
    private final int pairs;
    /** The rows of the table of all comparisons. */
    private final List<String> rows = new ArrayList<>();

    private PairedRuns(BenchLayout layout, int pairs) {
        this.layout = layout;
        this.pairs = pairs;
    }

    /**
     * Runs comparisons.
     *
     * @param args project directory, directory in which other tools are kept, scratch directory, number of pairs, duration of a run in
     *     seconds, then the names of the comparisons to run (all if none is named)
     */
    public static void main(String[] args) throws Exception {
        Children.endWithThisProcess();
        BenchLayout layout = new BenchLayout(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[4]));
        new PairedRuns(layout, Integer.parseInt(args[3])).run(List.of(args).subList(5, args.length));
        // Client libraries of other tools may leave threads behind.
        System.exit(0);
    }

    private void run(List<String> names) throws Exception {
        Files.createDirectories(layout.work());
        List<BenchBroker> arenas = new ArrayList<>(ArtemisArena.all(layout));
        arenas.addAll(List.of(new RabbitMqArena(layout), new KafkaArena(layout), new RocketMqArena(layout), new RedisArena(layout),
            new NatsArena(layout), new MosquittoArena(layout)));
        List<String> known = arenas.stream().flatMap(broker -> broker.names().stream()).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                System.err.println("bench/run: there is no comparison " + name + "; there are " + String.join(", ", known) + ".");
                System.exit(2);
            }
        }
        List<String> asked = new ArrayList<>(names.isEmpty() ? known : names);
        for (String name : List.copyOf(asked)) {
            NativeTool.missing(name).ifPresent(sentence -> {
                System.err.println("bench/run: " + sentence);
                if (!names.isEmpty()) {
                    System.exit(2);
                }
                asked.remove(name);
            });
        }
        System.out.println(machine());
        for (BenchBroker broker : arenas) {
            if (broker.names().stream().anyMatch(asked::contains)) {
                try (broker) {
                    for (ToolComparison comparison : broker.open()) {
                        if (asked.contains(comparison.name())) {
                            hold(comparison, broker);
                        }
                    }
                }
            }
        }
        System.out.printf("%n| comparison | CPU, ours / theirs | rate, ours / theirs | date |%n|---|---|---|---|%n%s%n",
            String.join(System.lineSeparator(), rows));
    }

    private void hold(ToolComparison comparison, BenchBroker broker) throws Exception {
        MeasuredRun run = new MeasuredRun(layout.work(), broker::processes, 120L + 10L * layout.seconds());
        List<Map<String, Double>> theirs = new ArrayList<>();
        List<Map<String, Double>> ours = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            boolean oursFirst = pair % 2 == 1;
            for (int turn = 0; turn < 2; turn++) {
                boolean mine = (turn == 0) == oursFirst;
                String destination = comparison.name().toUpperCase(Locale.ROOT).replace('-', '_') + pair + (mine ? "a" : "b");
                Map<String, Double> figures = run.of(mine ? comparison.ours() : comparison.theirs(), destination,
                    comparison.timed() ? layout.seconds() : 0);
                (mine ? ours : theirs).add(figures);
                System.err.printf(Locale.ROOT, "%s pair %d/%d %s %s%n", comparison.name(), pair + 1, pairs, mine ? "ours  " : "theirs",
                    figures);
            }
        }
        print(comparison, theirs, ours);
    }

    /** Returns the ratios of the pairs in a figure. */
    private static List<Double> ratios(String figure, List<Map<String, Double>> theirs, List<Map<String, Double>> ours) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < theirs.size(); i++) {
            ratios.add(ours.get(i).getOrDefault(figure, Double.NaN) / theirs.get(i).getOrDefault(figure, Double.NaN));
        }
        return ratios;
    }

    private void print(ToolComparison comparison, List<Map<String, Double>> theirs, List<Map<String, Double>> ours) {
        System.out.printf(Locale.ROOT, "%n### %s (%d pairs of about %d s)%n%n| figure | theirs, median | ours, median | "
            + "ours / theirs: median (least to most) |%n|---|---|---|---|%n", comparison.title(), pairs, layout.seconds());
        for (String figure : ours.getFirst().keySet()) {
            if (!theirs.getFirst().containsKey(figure)) {
                System.out.printf(Locale.ROOT, "| %s | | %,.2f | |%n", figure,
                    Figures.median(ours.stream().map(m -> m.getOrDefault(figure, Double.NaN)).toList()));
                continue;
            }
            List<Double> t = theirs.stream().map(m -> m.getOrDefault(figure, Double.NaN)).toList();
            List<Double> o = ours.stream().map(m -> m.getOrDefault(figure, Double.NaN)).toList();
            if (t.stream().allMatch(d -> d == 0) && o.stream().allMatch(d -> d == 0)) {
                System.out.printf("| %s | 0 | 0 | |%n", figure);
                continue;
            }
            List<Double> ratios = ratios(figure, theirs, ours);
            System.out.printf(Locale.ROOT, figure.equals(CPU) ? "| %s | %,.2f | %,.2f | **%.2f** (%.2f to %.2f) |%n"
                : "| %s | %,.1f | %,.1f | **%.2f** (%.2f to %.2f) |%n", figure, Figures.median(t),
                Figures.median(o), Figures.median(ratios), ratios.stream().mapToDouble(d -> d).min().orElse(0),
                ratios.stream().mapToDouble(d -> d).max().orElse(0));
        }
        rows.add(String.format(Locale.ROOT, "| %s | %.2f | %.2f | %s |", comparison.name(), Figures.median(ratios(CPU, theirs, ours)),
            Figures.median(ratios(RATE, theirs, ours)), LocalDate.now(ZoneOffset.UTC)));
    }

    private static String machine() throws IOException {
        return "Machine: " + Runtime.getRuntime().availableProcessors() + " processors, " + cpuModel() + ", kernel "
            + System.getProperty("os.version") + ", Java " + Runtime.version() + ", " + Instant.now();
    }

    private static String cpuModel() throws IOException {
        return ProcText.cpuModel(ProcText.read(Path.of("/proc/cpuinfo"))).orElse("unknown processor");
    }
}
