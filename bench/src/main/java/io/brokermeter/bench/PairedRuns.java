package io.brokermeter.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs brokermeter and {@code artemis perf} in turns, with the same flags against one broker that belongs to neither, and
 * prints the median of each figure and of the ratio pair by pair. The order within a pair changes from pair to pair.
 *
 * <p>CPU time is user and system time of the whole process from its start to its end, as the kernel accounts it to the
 * parent that waited for it; memory is the process's peak resident size; wall time over the asked duration runs from the
 * start of the process to its end.
 */
public final class PairedRuns {

    private static final Pattern TOTAL = Pattern.compile("--- total (sent|received): +(\\d+)");
    private static final Pattern LIVE = Pattern.compile("--- (sent|received): +(\\d+) msg/sec");
    private static final Pattern DELAY = Pattern.compile(
            "--- aggregated delay send time: .*?50\\.00%: +([0-9.]+) us.*?99\\.00%: +([0-9.]+) us.*");
    private static final int TICKS_PER_SECOND = 100;

    private final Path root;
    private final Path artemis;
    private final Path work;
    private final int pairs;
    private final int seconds;
    private final int port;

    private PairedRuns(Path root, Path artemis, Path work, int pairs, int seconds, int port) {
        this.root = root;
        this.artemis = artemis;
        this.work = work;
        this.pairs = pairs;
        this.seconds = seconds;
        this.port = port;
    }

    /**
     * @param args project directory, unpacked Artemis distribution, scratch directory, number of pairs, seconds a run, then
     *     the names of the comparisons to run (all when none is named)
     */
    public static void main(String[] args) throws Exception {
        PairedRuns bench = new PairedRuns(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]),
                Integer.parseInt(args[4]), freePort());
        bench.run(List.of(args).subList(5, args.length));
    }

    /** One comparison: the same work by both. */
    private record Work(String name, String title, List<String> theirs, List<String> ours, boolean paced) {}

    private List<Work> works() {
        String core = "tcp://127.0.0.1:" + port;
        String amqp = "amqp://127.0.0.1:" + port;
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> flags = List.of("--warmup", "5", "--duration", String.valueOf(seconds), "--max-pending", "100",
                "--show-latency");
        List<String> theirs = plus(List.of(artemis.resolve("bin/artemis").toString(), "perf", "client", "--url",
                core + "?confirmationWindowSize=20000", "--consumer-url", core), flags);
        List<String> ours = plus(List.of(root.resolve("brokermeter").toString(), "client", "--url", core), flags);
        List<String> theirAmqp = plus(List.of(artemis.resolve("bin/artemis").toString(), "perf", "client", "--protocol", "AMQP",
                "--url", amqp), flags);
        List<String> ourAmqp = plus(List.of(root.resolve("brokermeter").toString(), "client", "--protocol", "AMQP", "--url",
                amqp), flags);
        List<String> bare = List.of(java, "-Xmx512m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
                BareLoop.class.getName(), core, String.valueOf(seconds));
        return List.of(
                new Work("core", "CORE, all-out, max-pending 100", theirs, ours, false),
                new Work("core-10k", "CORE, --rate 10000", plus(theirs, List.of("--rate", "10000")),
                        plus(ours, List.of("--rate", "10000")), true),
                new Work("core-10k-realtime", "CORE, --rate 10000, ours with --realtime",
                        plus(theirs, List.of("--rate", "10000")), plus(ours, List.of("--rate", "10000", "--realtime")), true),
                new Work("amqp", "AMQP 1.0, all-out, max-pending 100", theirAmqp, ourAmqp, false),
                new Work("amqp-10k", "AMQP 1.0, --rate 10000", plus(theirAmqp, List.of("--rate", "10000")),
                        plus(ourAmqp, List.of("--rate", "10000")), true),
                new Work("bare", "CORE, all-out, against a bare loop over the same client", bare, ours, false));
    }

    private static List<String> plus(List<String> command, List<String> more) {
        return Stream.concat(command.stream(), more.stream()).toList();
    }

    private void run(List<String> names) throws Exception {
        Files.createDirectories(work);
        System.out.println(machine());
        Process broker = startBroker();
        try {
            for (Work one : works()) {
                if (names.isEmpty() || names.contains(one.name)) {
                    compare(one);
                }
            }
        } finally {
            broker.destroy();
            if (!broker.waitFor(20, TimeUnit.SECONDS)) {
                broker.destroyForcibly();
            }
        }
    }

    private void compare(Work one) throws Exception {
        List<Map<String, Double>> theirs = new ArrayList<>();
        List<Map<String, Double>> ours = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            String queue = "queue://" + one.name.toUpperCase(Locale.ROOT) + pair;
            boolean oursFirst = pair % 2 == 1;
            for (int turn = 0; turn < 2; turn++) {
                boolean mine = (turn == 0) == oursFirst;
                boolean bare = !mine && one.name.equals("bare");
                List<String> command = mine ? one.ours : one.theirs;
                Map<String, Double> figures = measure(bare ? command : plus(command, List.of(queue + (mine ? "-a" : "-b"))));
                (mine ? ours : theirs).add(figures);
                System.err.printf(Locale.ROOT, "%s pair %d/%d %s %s%n", one.name, pair + 1, pairs, mine ? "ours  " : "theirs", figures);
            }
        }
        print(one, theirs, ours);
    }

    private void print(Work one, List<Map<String, Double>> theirs, List<Map<String, Double>> ours) {
        System.out.printf(Locale.ROOT, "%n### %s (%d pairs of %d s)%n%n| figure | theirs, median | ours, median | ours / theirs: median"
                + " (least to most) |%n|---|---|---|---|%n", one.title, pairs, seconds);
        for (String figure : ours.getFirst().keySet()) {
            if (!theirs.getFirst().containsKey(figure)) {
                continue;
            }
            List<Double> t = theirs.stream().map(m -> m.getOrDefault(figure, Double.NaN)).toList();
            List<Double> o = ours.stream().map(m -> m.getOrDefault(figure, Double.NaN)).toList();
            if (t.stream().allMatch(d -> d == 0) && o.stream().allMatch(d -> d == 0)) {
                System.out.printf("| %s | 0 | 0 | |%n", figure);
                continue;
            }
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < t.size(); i++) {
                ratios.add(o.get(i) / t.get(i));
            }
            System.out.printf(Locale.ROOT, "| %s | %,.1f | %,.1f | **%.2f** (%.2f to %.2f) |%n", figure, median(t), median(o),
                    median(ratios), ratios.stream().mapToDouble(d -> d).min().orElse(0),
                    ratios.stream().mapToDouble(d -> d).max().orElse(0));
        }
    }

    private Map<String, Double> measure(List<String> command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(
                work.resolve("stderr.txt").toFile()));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        long cpuBefore = childrenTicks();
        long began = System.nanoTime();
        Process process = builder.start();
        process.getOutputStream().close();
        PeakMemory memory = new PeakMemory(process);
        memory.start();
        double sent = 0;
        double received = 0;
        double p50 = Double.NaN;
        double p99 = Double.NaN;
        boolean warm = true;
        List<Double> live = new ArrayList<>();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String line;
            while ((line = out.readLine()) != null) {
                line = line.strip();
                Matcher total = TOTAL.matcher(line);
                Matcher rate = LIVE.matcher(line);
                Matcher delay = DELAY.matcher(line);
                if (line.startsWith("--- warmup")) {
                    warm = line.contains("true");
                } else if (rate.matches() && rate.group(1).equals("received") && !warm) {
                    live.add(Double.parseDouble(rate.group(2)));
                } else if (total.matches()) {
                    if (total.group(1).equals("sent")) {
                        sent = Double.parseDouble(total.group(2));
                    } else {
                        received = Double.parseDouble(total.group(2));
                    }
                } else if (delay.matches()) {
                    p50 = Double.parseDouble(delay.group(1));
                    p99 = Double.parseDouble(delay.group(2));
                }
            }
        }
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("A run did not end: " + command);
        }
        double wall = (System.nanoTime() - began) / 1e9;
        memory.join();
        if (received == 0) {
            throw new IllegalStateException("A run received nothing (see " + work.resolve("stderr.txt") + "): " + command);
        }
        double cpu = (double) (childrenTicks() - cpuBefore) / TICKS_PER_SECOND;
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("throughput, msg/s", live.isEmpty() ? received / seconds : median(live));
        figures.put("client CPU per message, us", cpu * 1e6 / received);
        if (!Double.isNaN(p50)) {
            figures.put("send delay p50, us", p50);
            figures.put("send delay p99, us", p99);
        }
        figures.put("wall time over --duration, s", wall - seconds);
        figures.put("peak resident memory, MB", memory.bytes / 1e6);
        figures.put("sent minus received", sent - received);
        return figures;
    }

    /** Watches the peak resident size of a process while it lives; a shell that starts it has exec'ed it by then. */
    private static final class PeakMemory extends Thread {

        private final Process process;
        private double bytes;

        PeakMemory(Process process) {
            super("peak-memory");
            this.process = process;
        }

        @Override
        public void run() {
            while (process.isAlive()) {
                Stream.concat(Stream.of(process.toHandle()), process.descendants()).forEach(p -> {
                    try {
                        for (String line : Files.readAllLines(Path.of("/proc/" + p.pid() + "/status"))) {
                            if (line.startsWith("VmHWM:")) {
                                bytes = Math.max(bytes, Long.parseLong(line.replaceAll("\\D", "")) * 1024.0);
                            }
                        }
                    } catch (IOException e) {
                        // It has ended.
                    }
                });
                try {
                    Thread.sleep(250);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** CPU time of all children that were waited for, with their own children: fields 16 and 17 of /proc/self/stat. */
    private static long childrenTicks() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(d -> d).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    // ---- the broker, outside both ----

    private Process startBroker() throws Exception {
        Path instance = work.resolve("broker-" + port);
        List<String> create = List.of(artemis.resolve("bin/artemis").toString(), "create", "--silent", "--user", "admin",
                "--password", "admin", "--allow-anonymous", "--no-web", "--nio", "--java-options", "-Xmx1g", "--host", "127.0.0.1", "--default-port",
                String.valueOf(port), "--no-hornetq-acceptor", "--no-mqtt-acceptor", "--no-stomp-acceptor", "--no-amqp-acceptor",
                instance.toString());
        Process creating = javaHome(new ProcessBuilder(create)).redirectErrorStream(true)
                .redirectOutput(work.resolve("create.txt").toFile()).start();
        if (creating.waitFor() != 0) {
            throw new IllegalStateException("The broker could not be created: " + Files.readString(work.resolve("create.txt")));
        }
        Path etc = instance.resolve("etc/broker.xml");
        // A partition that is fuller than the broker's limit would block every send.
        Files.writeString(etc, Files.readString(etc).replaceAll("<max-disk-usage>[^<]*</max-disk-usage>",
                "<max-disk-usage>-1</max-disk-usage>"));
        Process broker = javaHome(new ProcessBuilder(instance.resolve("bin/artemis").toString(), "run")).redirectErrorStream(true)
                .redirectOutput(work.resolve("broker.txt").toFile()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            broker.descendants().forEach(ProcessHandle::destroyForcibly);
            broker.destroyForcibly();
        }));
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
                return broker;
            } catch (IOException e) {
                if (System.nanoTime() > deadline || !broker.isAlive()) {
                    throw new IllegalStateException("The broker did not start: " + Files.readString(work.resolve("broker.txt")), e);
                }
                Thread.sleep(200);
            }
        }
    }

    private static ProcessBuilder javaHome(ProcessBuilder builder) {
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }

    private static int freePort() throws IOException {
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String machine() throws IOException {
        return "Machine: " + Runtime.getRuntime().availableProcessors() + " processors, " + cpuModel() + ", kernel "
                + System.getProperty("os.version") + ", Java " + Runtime.version() + ", " + Instant.now();
    }

    private static String cpuModel() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
            if (line.startsWith("model name")) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return "unknown processor";
    }
}
