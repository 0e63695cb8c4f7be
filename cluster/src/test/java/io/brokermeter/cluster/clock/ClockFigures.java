package io.brokermeter.cluster.clock;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures the figures of docs/clusters.md: {@code server ADDRESS PORT} in one process and {@code client ADDRESS PORT SECONDS OFFSET_MS
 * DRIFT_PPM} in another one on the same machine, with any network between them. Both have the same clock, to which the client adds an
 * offset and a drift, so the true values are known. Prints the errors and bounds after the first two seconds, and the CPU time of the
 * threads.
 */
final class ClockFigures {

    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private ClockFigures() {}

    /** Runs the server or the client. */
    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        if (args[0].equals("server")) {
            try (ProbeServer server = ProbeServer.start(address, KEY)) {
                System.out.println("server at " + server.address());
                long begun = System.nanoTime();
                while (System.in.read() >= 0) {
                    System.out.println("more");
                }
                System.out.printf(Locale.ROOT, "answered %d, CPU of its threads %s%n", server.answered(), cpu(begun));
            }
            return;
        }
        long seconds = Long.parseLong(args[3]);
        long offset = Math.round(Double.parseDouble(args[4]) * 1e6);
        double drift = Double.parseDouble(args[5]) * 1e-6;
        long zero = System.nanoTime();
        try (ProbeClient client = ProbeClient.start(address, null, KEY, () -> {
            long now = System.nanoTime();
            return now + offset + Math.round((now - zero) * drift);
        }, event -> System.out.println(event.sentence()))) {
            int room = (int) (seconds * 100);
            double[] errors = new double[room];
            double[] bounds = new double[room];
            double[] lineErrors = new double[room];
            int count = 0;
            int within = 0;
            Offset first = null;
            boolean steady = false;
            long cpuSince = zero;
            double cpuBefore = 0;
            while (System.nanoTime() - zero < seconds * 1_000_000_000L) {
                Thread.sleep(50);
                if (!steady && System.nanoTime() - zero > seconds * 500_000_000L) {
                    steady = true;
                    cpuSince = System.nanoTime();
                    cpuBefore = cpuSeconds();
                }
                Offset known = client.offset();
                ClockLine line = client.line();
                if (known == null || line == null) {
                    continue;
                }
                if (first == null) {
                    first = known;
                    System.out.printf(Locale.ROOT, "first after %.0f ms: +-%.1f us%n", (System.nanoTime() - zero) / 1e6,
                        known.bound() / 1e3);
                }
                long error = known.offset() - truth(known.at(), zero, offset, drift);
                long lineError = line.at() - line.coordinator() - truth(line.at(), zero, offset, drift);
                if (System.nanoTime() - zero > 2_000_000_000L && count < room) {
                    errors[count] = Math.abs(error) / 1e3;
                    bounds[count] = known.bound() / 1e3;
                    lineErrors[count++] = Math.abs(lineError) / 1e3;
                    within += Math.abs(error) <= known.bound() + 2 ? 1 : 0;
                }
            }
            System.out.printf(Locale.ROOT, "asked %d, truth within the bound %d, answers %d, steps %d%n", count, within, client.answers(),
                client.steps().size());
            print("error of the estimate, us", errors, count);
            print("bound, us", bounds, count);
            print("error of the line, us", lineErrors, count);
            double[] judged = client.history().stream().mapToDouble(told -> told.bound() / 1e3).toArray();
            print("bound of the line by second, us", judged, judged.length);
            System.out.println("CPU of its threads " + cpu(zero));
            System.out.printf(Locale.ROOT, "in the second half %.3f %% of a core%n",
                100e9 * (cpuSeconds() - cpuBefore) / (System.nanoTime() - cpuSince));
        }
    }

    private static double cpuSeconds() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        double sum = 0;
        for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null && info.getThreadName().startsWith("brokermeter-clock")) {
                sum += threads.getThreadCpuTime(info.getThreadId()) / 1e9;
            }
        }
        return sum;
    }

    private static long truth(long agent, long zero, long offset, double drift) {
        long coordinator = zero + Math.round((agent - offset - zero) / (1 + drift));
        return agent - coordinator;
    }

    private static void print(String what, double[] values, int count) {
        double[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        if (count > 0) {
            System.out.printf(Locale.ROOT, "%s: median %.1f, 99 %% %.1f, worst %.1f%n", what, sorted[count / 2], sorted[count * 99 / 100],
                sorted[count - 1]);
        }
    }

    private static String cpu(long begun) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        StringBuilder text = new StringBuilder();
        double sum = 0;
        for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null && info.getThreadName().startsWith("brokermeter-clock")) {
                double part = 100.0 * threads.getThreadCpuTime(info.getThreadId()) / (System.nanoTime() - begun);
                sum += part;
                double user = 100.0 * threads.getThreadUserTime(info.getThreadId()) / (System.nanoTime() - begun);
                text.append(
                    String.format(Locale.ROOT, " %s %.3f %% (not in the kernel %.2f)", info.getThreadName().substring(18), part, user));
            }
        }
        return String.format(Locale.ROOT, "%.3f %% of a core:%s", sum, text);
    }
}
