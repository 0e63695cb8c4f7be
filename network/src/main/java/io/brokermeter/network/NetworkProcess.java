package io.brokermeter.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.brokermeter.proc.ChildEnvironment;
import io.brokermeter.proc.LineProcess;
import org.jspecify.annotations.Nullable;

/**
 * A separate process that forwards the traffic of a network with rules, so that its CPU time counts neither as that of the clients nor as
 * that of the broker, and no pause of theirs delays the traffic. It ends with this process, however that ends.
 *
 * <p>Any thread may call any method.
 */
public final class NetworkProcess implements AutoCloseable {

    private static final Duration END = Duration.ofSeconds(5);
    /** The longest wait for an answer. A command takes seconds at most, but a busy machine may need longer to start the process. */
    private static final Duration ANSWER = Duration.ofSeconds(120);
    /** The marker in {@link #answers} that no more answers come; a real answer is never empty. */
    private static final String ENDED = "";

    private final LineProcess process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Object cpuLock = new Object();
    private Duration cpuAtEnd = Duration.ZERO;
    private boolean keepsWindows;
    private volatile boolean closed;

    private NetworkProcess(Process process) {
        this.process = new LineProcess(process);
        this.process.read("brokermeter-network-answers", answers::add, () -> answers.add(ENDED));
    }

    /**
     * Starts a process, and returns when it is ready.
     *
     * @throws IOException with one sentence, when the process does not start
     */
    public static NetworkProcess start() throws IOException {
        NetworkProcess network = new NetworkProcess(builder(List.of()).start());
        try {
            network.keepsWindows = Boolean.parseBoolean(network.ask("ready")[1]);
            return network;
        } catch (IOException | RuntimeException e) {
            network.close();
            throw e;
        }
    }

    /**
     * Returns the command of a JVM with the classes of this module alone.
     *
     * @param before words in front of the command
     */
    static ProcessBuilder builder(List<String> before) throws IOException {
        String classes;
        try {
            classes = Path.of(NetworkProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IOException("The classes of the network are at no path.", e);
        }
        List<String> command = new ArrayList<>(before);
        command
            .addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-Xms64m", "-Xmx256m",
                "-XX:MaxDirectMemorySize=1g", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", Linux.CHANNELS, "-cp", classes,
                NetworkProcessMain.class.getName()));
        ProcessBuilder builder =
            ChildEnvironment.withoutOwnVariables(new ProcessBuilder(command)).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().remove("JDK_JAVA_OPTIONS");
        return builder;
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the proxies keep no more bytes in flight than receivers advertise, which not every kernel reports. */
    public boolean keepsWindows() {
        return keepsWindows;
    }

    /** Returns whether the process runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns whether the process has ended though {@link #close} was not called. */
    public boolean isLost() {
        return !closed && !process.isAlive();
    }

    /** Returns the CPU time of the process; after its end, the time of the last call before it. Does not wait for an answer. */
    public Duration cpu() {
        synchronized (cpuLock) {
            process.handle().info().totalCpuDuration().ifPresent(time -> cpuAtEnd = time);
            return cpuAtEnd;
        }
    }

    /**
     * Opens a {@link Proxy} in the process, on a free port of the loopback interface.
     *
     * @throws IllegalArgumentException with one sentence, for a rule that a proxy cannot follow
     * @throws IOException with one sentence, when the host has no address or the proxy cannot listen
     */
    public NetworkPath proxy(String host, int port, NetworkRule rule) throws IOException {
        return proxy(host, port, rule, new InetSocketAddress("127.0.0.1", 0));
    }

    /**
     * Opens a {@link Proxy} in the process, at a given address.
     *
     * @param at an address of the loopback interface; port 0 for a free one
     */
    public NetworkPath proxy(String host, int port, NetworkRule rule, InetSocketAddress at) throws IOException {
        Proxy.refuseLoss(rule);
        String[] answer =
            ask("proxy", host, Integer.toString(port), rule.toString(), at.getHostString(), Integer.toString(at.getPort()));
        return new Remote(this, answer[1], new InetSocketAddress(at.getHostString(), Integer.parseInt(answer[2])));
    }

    /**
     * A rule of a link for one server alone.
     *
     * @param server IPv4 address of the server
     */
    public record Alias(NetworkRule rule, String server) {}

    /**
     * Creates a link in the process, at most one: packets of clients in its namespace reach all servers of this machine, and nothing else.
     *
     * @param first the rule for every server that is not reached by an alias
     * @throws IOException with one sentence, when this machine does not allow it
     */
    public Namespace link(NetworkRule first, List<Alias> aliases) throws IOException {
        List<String> words = new ArrayList<>(List.of("link", first.toString()));
        aliases.forEach(alias -> words.addAll(List.of(alias.rule().toString(), alias.server())));
        String[] answer = ask(words.toArray(String[]::new));
        return new Namespace(this, answer[1], List.of(answer).subList(2, answer.length));
    }

    String[] ask(String... words) throws IOException {
        return ask(ANSWER, words);
    }

    /**
     * Sends a command, and waits for the answer.
     *
     * @param limit the longest wait; a process that does not answer in time is ended, as its late answer would be taken for that to another
     *     command
     * @return the words of the answer, of which the first is {@code ok}
     * @throws IOException with the sentence of an answer that reports an error, or when the process has ended or does not answer
     */
    synchronized String[] ask(Duration limit, String... words) throws IOException {
        String line;
        try {
            process.tell(String.join("\t", words));
            line = next(limit);
        } catch (IOException e) {
            line = ENDED;
        }
        if (line == null) {
            process.kill();
            throw new IOException("The process that hands over what passes the network did not answer within " + limit.toMillis() / 1e3
                + " s, and was ended.");
        }
        if (line.equals(ENDED)) {
            // for the next caller
            answers.add(ENDED);
            throw new IOException("The process that hands over what passes the network has ended.");
        }
        String[] answer = line.split("\t", -1);
        if (!answer[0].equals("ok")) {
            throw new IOException(answer.length > 1 ? answer[1] : line);
        }
        return answer;
    }

    /**
     * Returns the next answer; null when none comes in time. An interrupt does not end the wait, but is restored after it: an answer that
     * was not taken would be taken for that to the next command.
     */
    private @Nullable String next(Duration limit) {
        long until = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return answers.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the process, and with it all connections through it. */
    @Override
    public void close() {
        closed = true;
        cpu();
        process.kill();
        try {
            process.awaitExit(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A path in the other process. */
    private static final class Remote implements NetworkPath {

        private final NetworkProcess network;
        private final String id;
        private final InetSocketAddress address;

        Remote(NetworkProcess network, String id, InetSocketAddress address) {
            this.network = network;
            this.id = id;
            this.address = address;
        }

        private String[] tell(String what, String... more) {
            String[] words = new String[more.length + 2];
            words[0] = what;
            words[1] = id;
            System.arraycopy(more, 0, words, 2, more.length);
            try {
                return network.ask(words);
            } catch (IOException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
        }

        @Override
        public InetSocketAddress address() {
            return address;
        }

        @Override
        public void rule(NetworkRule other) {
            Proxy.refuseLoss(other);
            tell("rule", other.toString());
        }

        @Override
        public void cut() {
            tell("cut");
        }

        @Override
        public void reset() {
            tell("reset");
        }

        @Override
        public void blackHole(boolean on) {
            tell("blackHole", Boolean.toString(on));
        }

        @Override
        public void heal() {
            tell("heal");
        }

        @Override
        public int connections() {
            return Integer.parseInt(tell("connections")[1]);
        }

        @Override
        public void close() {
            if (network.isAlive()) {
                tell("close");
            }
        }
    }
}
