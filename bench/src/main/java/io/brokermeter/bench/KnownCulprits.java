package io.brokermeter.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.StoredResult.StoredFinding;
import org.jspecify.annotations.Nullable;

/**
 * Runs with a known culprit: each kind of run is disturbed in one way, once with nothing beside it and once beside two processes that use all
 * the CPU time that they get, and what the run says of itself is compared with what was done to it. Prints a table.
 *
 * <p>Requires Linux, root (for CPU quotas and an emulated network), the program taskset, Mosquitto and two processors.
 */
public final class KnownCulprits {

    private static final int WARMUP_SECONDS = 3;
    private static final int SECONDS = 18;
    private static final int BURNERS = 2;
    /** The kinds of findings that name somebody, the ones that explain most first. */
    private static final List<String> EXPLAINING = List.of("not-steady", "not-sent-in-time", "mostly-delay", "held-up", "garbage-collected",
        "cpu-limited", "cpu-stolen", "generator-busy", "starved", "thread-busy");

    /** Who kept a run from its rate or made its times longer. */
    enum Culprit {
        GENERATOR, BROKER, NETWORK, CONSUMERS, NOBODY;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What is done while a run lasts; it ends before the run is judged. */
    private interface Disturbance {

        Disturbance NONE = (_, _) -> List.of();

        /**
         * Begins to disturb the run.
         *
         * @param generator the process of the generator
         * @param broker process of the broker; 0 without one
         * @return what must be ended when the run is over
         */
        List<AutoCloseable> begin(ProcessHandle generator, long broker) throws IOException;
    }

    /**
     * A kind of run.
     *
     * @param truth who is made the culprit
     * @param broker broker to start outside the run; null for the loopback broker, which is a part of the generator's process
     * @param heap value of JAVA_ARGS for the generator; empty for the launcher's own
     * @param processor number of the only processor that the generator may use, -1 for all
     * @param options options of {@code client} beside those of all kinds
     */
    private record Kind(String name, Culprit truth, @Nullable String broker, String heap, int processor, Disturbance disturbance,
            List<String> options) {}

    /** What a run said of itself: who was named, and the words. */
    record Answer(@Nullable Culprit named, boolean invalid, String words) {

        /** Returns the judgement of the answer, against the truth. */
        String judge(Culprit truth) {
            if (truth == Culprit.NOBODY && named != Culprit.NOBODY) {
                return invalid ? "**wrong**: not valid" : "doubted";
            }
            if (named == null) {
                return "not told apart";
            }
            // A sound run without a reason for anything says that its times are those of what lies beyond the generator.
            if (named == Culprit.NOBODY && truth != Culprit.NOBODY) {
                return truth == Culprit.GENERATOR ? "nothing said" : "right";
            }
            return named == truth ? "right" : "**wrong**: " + named.word();
        }
    }

    private KnownCulprits() {}

    /**
     * Runs the kinds, and ends with status 1 when a name was wrong.
     *
     * @param args directory of the project, scratch directory, words of which one must be in the name of a kind (default: all kinds)
     */
    public static void main(String[] args) throws Exception {
        Children.endWithThisProcess();
        Path root = Path.of(args[0]);
        Path work = Path.of(args[1]);
        List<String> words = List.of(args).subList(2, args.length);
        List<Kind> kinds = kinds().stream()
            .filter(kind -> words.isEmpty() || words.stream().anyMatch(word -> kind.name.contains(word))).toList();
        if (kinds.isEmpty()) {
            System.err.println("No kind has such a name; these are the kinds: " + kinds().stream().map(Kind::name).toList());
            System.exit(2);
        }
        boolean wrong = false;
        print(System.out, "kind of run", "culprit", "nothing beside it", "two burners beside it", "its words, nothing beside it",
            "its words, beside two burners");
        System.out.println("|---|---|---|---|---|---|");
        for (Kind kind : kinds) {
            Answer alone = run(root, work, kind, 0);
            Answer beside = run(root, work, kind, BURNERS);
            String first = alone.judge(kind.truth);
            String second = beside.judge(kind.truth);
            wrong |= !first.equals("right") || second.startsWith("**wrong");
            print(System.out, kind.name, kind.truth.word(), first, second, alone.words, beside.words);
        }
        System.exit(wrong ? 1 : 0);
    }

    private static void print(PrintStream out, String... cells) {
        out.println("| " + String.join(" | ", Stream.of(cells).map(cell -> cell.replace("|", "/")).toList()) + " |");
        out.flush();
    }

    private static List<Kind> kinds() {
        List<String> rate = List.of("--rate", "1000", "--max-pending", "100");
        List<String> quick = plus(rate, "--url", "loopback://x?delay=1ms");
        List<Kind> all = new ArrayList<>();
        for (long[] stop : new long[][] {{700, 4_000}, {150, 1_500}, {16, 1_000}}) {
            all.add(new Kind("generator stopped for " + stop[0] + " ms", Culprit.GENERATOR, null, "", -1,
                (generator, _) -> List.of(new Stops(generator.pid(), stop[0], stop[1])), quick));
        }
        all.add(new Kind("generator with a CPU quota", Culprit.GENERATOR, null, "", -1,
            (generator, _) -> List.of(new Quota(generator.pid(), 8)), quick));
        all.add(new Kind("generator with 64 MiB of heap", Culprit.GENERATOR, "artemis", "-Xmx64m", -1, Disturbance.NONE,
            List.of("--rate", "300", "--max-pending", "20", "--message-size", "200kB")));
        all.add(new Kind("generator on a crowded core", Culprit.GENERATOR, "mosquitto", "", 0,
            (_, _) -> burners(3, 0), plus(rate, "--property", "qos=1")));
        all.add(new Kind("broker frozen", Culprit.BROKER, "mosquitto", "", -1,
            (_, broker) -> List.of(new Stops(broker, 4_000, 6_000)), plus(rate, "--property", "qos=1")));
        all.add(new Kind("broker with a CPU quota", Culprit.BROKER, "mosquitto", "", -1,
            (_, broker) -> List.of(new Quota(broker, 1)), plus(rate, "--property", "qos=1")));
        all.add(new Kind("broker too slow", Culprit.BROKER, null, "", -1, Disturbance.NONE,
            plus(rate, "--url", "loopback://x?service-rate=900")));
        all.add(new Kind("broker too far", Culprit.NETWORK, "mosquitto", "", -1, Disturbance.NONE,
            List.of("--rate", "1000", "--max-pending", "20", "--network", "rtt=50ms", "--property", "qos=1")));
        all.add(new Kind("broker on a crowded core", Culprit.BROKER, "mosquitto", "", 0,
            (_, broker) -> Stream.concat(Stream.of(new Pinned(broker, 1)), burners(12, 1).stream()).toList(),
            List.of("--rate", "4000", "--max-pending", "100", "--property", "qos=1")));
        all.add(new Kind("overload without a window", Culprit.BROKER, null, "", -1, Disturbance.NONE,
            List.of("--rate", "1000", "--max-pending", "0", "--url", "loopback://x?service-rate=950")));
        all.add(new Kind("consumers too slow", Culprit.CONSUMERS, "mosquitto", "", -1, Disturbance.NONE,
            plus(rate, "--consumer-latency", "1500", "--property", "qos=1")));
        all.add(new Kind("nothing wrong, loopback", Culprit.NOBODY, null, "", -1, Disturbance.NONE, quick));
        all.add(new Kind("nothing wrong, Mosquitto", Culprit.NOBODY, "mosquitto", "", -1, Disturbance.NONE,
            plus(rate, "--property", "qos=1")));
        all.add(new Kind("nothing wrong, Artemis", Culprit.NOBODY, "artemis", "", -1, Disturbance.NONE, rate));
        return all;
    }

    private static List<String> plus(List<String> options, String... more) {
        return Stream.concat(options.stream(), Stream.of(more)).toList();
    }

    private static Answer run(Path root, Path work, Kind kind, int beside) throws Exception {
        List<AutoCloseable> ends = new ArrayList<>();
        Path out = work.resolve(kind.name.replaceAll("[^A-Za-z0-9]+", "-") + "-" + beside);
        try {
            Broker broker = null;
            if (kind.broker != null) {
                broker = Broker.start(BrokerName.parse(kind.broker));
                ends.add(broker);
            }
            List<String> command = new ArrayList<>();
            if (kind.processor >= 0) {
                command.addAll(List.of("taskset", "-c", String.valueOf(kind.processor)));
            }
            command.addAll(List.of(root.resolve("brokermeter").toString(), "client", "--out", out.toString(), "--warmup",
                String.valueOf(WARMUP_SECONDS), "--duration", String.valueOf(SECONDS)));
            command.addAll(kind.options);
            command.addAll(broker == null ? List.of("--protocol", "LOOPBACK")
                : List.of("--url", broker.url(), "--broker-pid", String.valueOf(broker.pid())));
            command.add("queue://CULPRIT");
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(work.resolve("log.txt").toFile());
            builder.environment().put("BROKERMETER_PREPARE", "off");
            if (!kind.heap.isEmpty()) {
                builder.environment().put("JAVA_ARGS", kind.heap);
            }
            Process process = builder.start();
            ends.add(process::destroyForcibly);
            // The launcher becomes the JVM, so the process keeps its id. The disturbance begins in the warm-up.
            await(process, out);
            ends.addAll(kind.disturbance.begin(process.toHandle(), broker == null ? 0 : broker.pid()));
            // Where the broker's processor is crowded, the burners would take the generator's, and make it a culprit as well.
            ends.addAll(burners(beside, kind.processor == 0 && kind.truth == Culprit.BROKER ? 1 : -1));
            if (!process.waitFor(3, TimeUnit.MINUTES)) {
                throw new IllegalStateException("A run did not end within 3 minutes: " + command);
            }
        } finally {
            for (AutoCloseable end : ends.reversed()) {
                end.close();
            }
        }
        Path log = work.resolve("log.txt");
        return StoredResult.in(out).map(KnownCulprits::answer).orElseGet(() -> new Answer(null, true, "no result: " + lastLine(log)));
    }

    private static String lastLine(Path log) {
        try {
            return Files.readString(log).strip().lines().reduce("", (_, line) -> line);
        } catch (IOException e) {
            return "its output cannot be read";
        }
    }

    /** Waits until a run writes its files, which it does when it is about to begin. */
    private static void await(Process process, Path out) throws InterruptedException {
        while (process.isAlive() && Files.notExists(out)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Returns what a run says about who was the limit: by its findings in the order of what they explain, else by marked percentiles. */
    static Answer answer(StoredResult result) {
        String verdict = result.isInvalid() ? "invalid" : result.success() ? "passed" : "failed";
        List<StoredFinding> all = result.findings();
        for (String kind : EXPLAINING) {
            for (StoredFinding finding : all) {
                if (finding.kind().equals(kind)) {
                    String blame = finding.blame();
                    return new Answer(named(finding), result.isInvalid(),
                        verdict + ": " + kind + (blame.isEmpty() ? "" : ", " + blame));
                }
            }
        }
        List<String> marked = result.marked(result.samples(Metric.RESPONSE) > 0 ? Metric.RESPONSE : Metric.SEND);
        if (!all.isEmpty()) {
            return new Answer(null, result.isInvalid(), verdict + ": " + all.getFirst().kind());
        }
        return marked.isEmpty() ? new Answer(Culprit.NOBODY, false, verdict + ", sound")
            : new Answer(marked.contains("p99") ? Culprit.GENERATOR : Culprit.NOBODY, false,
                verdict + ", own stalls from " + marked.getFirst());
    }

    private static @Nullable Culprit named(StoredFinding finding) {
        String blame = finding.blame();
        return switch (finding.kind()) {
            case "not-steady" -> finding.sentence().contains("consumers") ? Culprit.CONSUMERS : Culprit.BROKER;
            case "not-sent-in-time", "mostly-delay" -> switch (blame) {
                case "slow-broker", "calls-waited", "connections-lost" -> Culprit.BROKER;
                case "round-trip" -> Culprit.NETWORK;
                case "not-told-apart", "producers-rested", "" -> null;
                default -> Culprit.GENERATOR;
            };
            default -> Culprit.GENERATOR;
        };
    }

    private static List<AutoCloseable> burners(int number, int processor) throws IOException {
        List<AutoCloseable> burners = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            List<String> pin = processor < 0 ? List.of() : List.of("taskset", "-c", String.valueOf(processor));
            Process burner = new ProcessBuilder(
                Stream.concat(pin.stream(), Stream.of("timeout", "180", "sh", "-c", "while :; do :; done")).toList()).start();
            burners.add(() -> {
                burner.descendants().forEach(ProcessHandle::destroy);
                burner.destroy();
            });
        }
        return burners;
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).redirectErrorStream(true).start().waitFor();
    }

    /** Stops a process again and again, until it is closed. */
    private static final class Stops implements AutoCloseable {

        private final Thread thread;
        private final long pid;

        Stops(long pid, long stoppedMillis, long everyMillis) {
            this.pid = pid;
            thread = Thread.ofPlatform().daemon().name("stops").start(() -> {
                try {
                    while (true) {
                        TimeUnit.MILLISECONDS.sleep(everyMillis - stoppedMillis);
                        signal("STOP", pid);
                        TimeUnit.MILLISECONDS.sleep(stoppedMillis);
                        signal("CONT", pid);
                    }
                } catch (InterruptedException | IOException e) {
                    // It was closed, or the process has ended.
                }
            });
        }

        @Override
        public void close() throws IOException, InterruptedException {
            thread.interrupt();
            thread.join();
            signal("CONT", pid);
        }
    }

    /** Binds all threads of a process to one processor. */
    private record Pinned(long pid, int processor) implements AutoCloseable {

        Pinned {
            try {
                new ProcessBuilder("taskset", "-a", "-p", "-c", String.valueOf(processor), String.valueOf(pid)).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            // The broker ends with its run.
        }
    }

    /** A control group in which a process may use a part of one processor. */
    private static final class Quota implements AutoCloseable {

        private static final Path OLD = Path.of("/sys/fs/cgroup/cpu");
        private static final Path UNIFIED = Path.of("/sys/fs/cgroup");
        private static final long PERIOD_MICROS = 100_000;

        private final Path parent;
        private final Path group;

        Quota(long pid, int percent) throws IOException {
            boolean old = Files.exists(OLD.resolve("cpu.cfs_quota_us"));
            parent = old ? OLD : UNIFIED;
            group = Files.createDirectory(parent.resolve("brokermeter-bench-" + pid));
            long quota = PERIOD_MICROS * percent / 100;
            if (old) {
                Files.writeString(group.resolve("cpu.cfs_quota_us"), String.valueOf(quota));
            } else {
                Files.writeString(group.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
            }
            Files.writeString(group.resolve("cgroup.procs"), String.valueOf(pid));
        }

        @Override
        public void close() throws IOException, InterruptedException {
            for (String pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
                Files.writeString(parent.resolve("cgroup.procs"), pid);
            }
            Files.deleteIfExists(group);
        }
    }
}
