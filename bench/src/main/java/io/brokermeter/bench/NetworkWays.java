package io.brokermeter.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.network.Namespace;
import io.brokermeter.network.NetworkProcess;
import io.brokermeter.network.NetworkRule;
import org.jspecify.annotations.Nullable;

/**
 * Measures what the two ways of {@code --network} add and carry, with plain sockets on both sides and without a broker: the round trip of
 * an echoed message of 1 KiB, 40 times a second after 3 s of continuous echoes, and how many messages of 1 KiB arrive at a given rate, on 8
 * connections in one direction. The ways alternate. A link requires root.
 */
public final class NetworkWays {

    private static final int MESSAGE = 1_024;
    private static final int CONNECTIONS = 8;
    private static final int WRITERS = 2;
    private static final int ROUNDS = 5;
    private static final int ECHOES = 80;
    private static final long ECHO_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final int UNCOUNTED = 10;
    /** The warm-up of the process between, which is a new JVM, in nanoseconds; a run has a warm-up as well. */
    private static final long ECHO_WARMUP_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long WARMUP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final String NONE = "none";
    private static final String PROXY = "proxy";
    private static final String LINK = "link";
    private static final NetworkRule FREE = NetworkRule.parse("bandwidth=100Gbit");
    private static final NetworkRule FAR = NetworkRule.parse("rtt=10ms");

    private NetworkWays() {}

    /** A way from clients to a port of this machine. */
    private record Way(String kind, NetworkRule rule) {

        @Override
        public String toString() {
            return kind.equals(NONE) ? kind : kind + " " + (rule.isNone() ? "without a rule" : rule);
        }
    }

    /** A measurement with connected sockets. */
    private interface Use<T> {
        T of(List<Socket> sockets, @Nullable NetworkProcess between) throws IOException, InterruptedException;
    }

    /**
     * Runs the measurements.
     *
     * @param args counted seconds of a run (default 7), messages per second (default 50,000)
     */
    public static void main(String[] args) throws Exception {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 7;
        int rate = args.length > 1 ? Integer.parseInt(args[1]) : 50_000;
        List<Way> ways = new ArrayList<>();
        ways.add(new Way(NONE, NetworkRule.NONE));
        String missing = Namespace.missing();
        for (NetworkRule rule : List.of(NetworkRule.NONE, FREE, FAR)) {
            ways.add(new Way(PROXY, rule));
            if (missing == null) {
                ways.add(new Way(LINK, rule));
            }
        }
        if (missing != null) {
            System.out.println("Without links: " + missing + ".");
        }
        echoes(ways);
        carried(ways, seconds, rate);
    }

    private static void echoes(List<Way> ways) throws Exception {
        System.out.printf("%-26s %s%n", "round trip of 1 KiB", "median of " + ROUNDS + " medians (least to most), added to none");
        Map<Way, double[]> all = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Way way : ways) {
                try (ServerSocket server = server()) {
                    serve(server, NetworkWays::echo);
                    all.computeIfAbsent(way, _ -> new double[ROUNDS])[round] = through(way, server.getLocalPort(), 1, NetworkWays::echoed);
                }
            }
        }
        double[] near = all.values().iterator().next();
        all.forEach((way, medians) -> System.out.printf(Locale.ROOT, "%-26s %.3f ms (%.3f to %.3f) %+.3f%n", way, Figures.median(medians),
            Arrays.stream(medians).min().orElseThrow(), Arrays.stream(medians).max().orElseThrow(),
            Figures.median(medians) - Figures.median(near)));
    }

    /** Measures the median round trip, in milliseconds. */
    private static double echoed(List<Socket> sockets, @Nullable NetworkProcess between) throws IOException {
        Socket socket = sockets.getFirst();
        byte[] message = new byte[MESSAGE];
        double[] millis = new double[ECHOES];
        long warm = System.nanoTime() + ECHO_WARMUP_NANOS;
        while (System.nanoTime() < warm) {
            roundTrip(socket, message);
        }
        long due = System.nanoTime();
        for (int i = -UNCOUNTED; i < ECHOES; i++) {
            due += ECHO_NANOS;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            long sent = System.nanoTime();
            roundTrip(socket, message);
            if (i >= 0) {
                millis[i] = (System.nanoTime() - sent) / 1e6;
            }
        }
        return Figures.median(millis);
    }

    private static void roundTrip(Socket socket, byte[] message) throws IOException {
        socket.getOutputStream().write(message);
        if (socket.getInputStream().readNBytes(message, 0, MESSAGE) < MESSAGE) {
            throw new EOFException("An echo ended early.");
        }
    }

    private static void carried(List<Way> ways, int seconds, int rate) throws Exception {
        System.out.printf("%n%-26s %s%n", rate + "/s of 1 KiB",
            "messages/s at the receiver, median of " + ROUNDS + " (least to most), CPU of the process between");
        Map<Way, List<double[]>> all = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Way way : ways) {
                LongAdder bytes = new LongAdder();
                try (ServerSocket server = server()) {
                    serve(server, socket -> drain(socket, bytes));
                    all.computeIfAbsent(way, _ -> new ArrayList<>()).add(through(way, server.getLocalPort(), CONNECTIONS,
                        (sockets, between) -> counted(sockets, between, bytes, seconds, rate)));
                }
            }
        }
        all.forEach((way, runs) -> {
            double[] rates = runs.stream().mapToDouble(run -> run[0]).toArray();
            double[] loads = runs.stream().mapToDouble(run -> run[1]).toArray();
            System.out.printf(Locale.ROOT, "%-26s %.0f (%.0f to %.0f) %s%n", way, Figures.median(rates),
                Arrays.stream(rates).min().orElseThrow(),
                Arrays.stream(rates).max().orElseThrow(), way.kind().equals(NONE) ? ""
                    : String.format(Locale.ROOT, "%.0f %% of a core, %.1f us a message", Figures.median(loads) * 100,
                        Figures.median(loads) * 1e6 / Figures.median(rates)));
        });
    }

    /** Measures the messages per second that arrived, and the share of a core that the process between used. */
    private static double[] counted(List<Socket> sockets, @Nullable NetworkProcess between, LongAdder bytes, int seconds,
            int rate) throws InterruptedException {
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            List<Socket> own = sockets.subList(w * CONNECTIONS / WRITERS, (w + 1) * CONNECTIONS / WRITERS);
            writers.add(Thread.ofPlatform().daemon().start(() -> write(own, rate / WRITERS)));
        }
        TimeUnit.NANOSECONDS.sleep(WARMUP_NANOS);
        long began = System.nanoTime();
        long before = bytes.sum();
        double cpu = between == null ? 0 : between.cpu().toNanos();
        TimeUnit.SECONDS.sleep(seconds);
        double span = System.nanoTime() - began;
        double[] figures = {(bytes.sum() - before) / (double) MESSAGE / span * 1e9,
            (between == null ? 0 : between.cpu().toNanos() - cpu) / span};
        writers.forEach(Thread::interrupt);
        for (Thread writer : writers) {
            writer.join(TIMEOUT_MILLIS);
        }
        return figures;
    }

    private static void write(List<Socket> sockets, int rate) {
        byte[] message = new byte[MESSAGE];
        long period = TimeUnit.SECONDS.toNanos(1) / rate;
        long due = System.nanoTime();
        try {
            for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                due += period;
                long left = due - System.nanoTime();
                if (left > 0) {
                    LockSupport.parkNanos(left);
                }
                OutputStream to = sockets.get(i % sockets.size()).getOutputStream();
                to.write(message);
            }
        } catch (IOException e) {
            // the run is over
        }
    }

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, CONNECTIONS, InetAddress.getByName("127.0.0.1"));
    }

    /** Serves each connection on a thread of its own until the server is closed. */
    private static void serve(ServerSocket server, Serving each) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    Thread.ofPlatform().daemon().start(() -> {
                        try (socket) {
                            each.serve(socket);
                        } catch (IOException e) {
                            // the client is gone
                        }
                    });
                }
            } catch (IOException e) {
                // closed
            }
        });
    }

    /** Serves one connection. */
    private interface Serving {
        void serve(Socket socket) throws IOException;
    }

    private static void echo(Socket socket) throws IOException {
        byte[] message = new byte[MESSAGE];
        while (socket.getInputStream().readNBytes(message, 0, MESSAGE) == MESSAGE) {
            socket.getOutputStream().write(message);
        }
    }

    private static void drain(Socket socket, LongAdder bytes) throws IOException {
        byte[] buffer = new byte[64 * MESSAGE];
        for (int count = socket.getInputStream().read(buffer); count >= 0; count = socket.getInputStream().read(buffer)) {
            bytes.add(count);
        }
    }

    private static <T> T through(Way way, int port, int connections, Use<T> use) throws Exception {
        if (way.kind().equals(NONE)) {
            return connected(new InetSocketAddress("127.0.0.1", port), connections, null, use);
        }
        try (NetworkProcess between = NetworkProcess.start()) {
            if (way.kind().equals(PROXY)) {
                return connected(between.proxy("127.0.0.1", port, way.rule()).address(), connections, between, use);
            }
            Namespace far = between.link(way.rule(), List.of());
            try (Namespace.Stay _ = far.enter()) {
                return connected(new InetSocketAddress("127.0.0.1", port), connections, between, use);
            }
        }
    }

    private static <T> T connected(InetSocketAddress to, int connections, @Nullable NetworkProcess between, Use<T> use) throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.connect(to, TIMEOUT_MILLIS);
            }
            return use.of(sockets, between);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
