package io.brokermeter.trials.agents;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.brokermeter.cluster.ClusterException;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.RecordJson;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.StoreParameter;
import org.jspecify.annotations.Nullable;

/**
 * An agent that a coordinator starts on its own machine: a child process that listens on loopback, takes orders of those alone who know its token, and ends with the
 * end of its standard input, which comes when the coordinator is gone.
 */
public final class LocalAgent implements AutoCloseable {

    /** The command of this class, which no help lists. */
    public static final String COMMAND = "local-agent";

    private static final Duration END = Duration.ofSeconds(5);
    private static final int FAILED = 1;

    /** What it reads from its standard input. */
    private record Told(String name, String version, String token) {}

    /** What it says on its standard output. */
    private record Listening(int port) {}

    private final Process process;
    private final BufferedReader out;

    private LocalAgent(Process process) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    // ---- the coordinator's side ----

    /**
     * Starts one; {@link #port} waits for it.
     *
     * @param builder a process of this tool with {@link #COMMAND}
     */
    static LocalAgent start(ProcessBuilder builder, String name, String version, String token) throws IOException {
        LocalAgent agent = new LocalAgent(builder.start());
        agent.process.getOutputStream().write((RecordJson.text(new Told(name, version, token)) + "\n").getBytes(StandardCharsets.UTF_8));
        agent.process.getOutputStream().flush();
        return agent;
    }

    /**
     * Where it listens. Blocks until it does.
     *
     * @throws IOException when it has ended, or does not listen in time; then it is ended
     */
    int port(Duration within) throws IOException, InterruptedException {
        String line;
        try {
            line = Bounded.call(within, "listening", () -> Optional.ofNullable(out.readLine())).orElse(null);
        } catch (TimeoutException e) {
            process.destroyForcibly();
            throw new IOException("the one that was started as process " + process.pid() + " does not listen after "
                + within.toMillis() / 1e3 + " s", e);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("its output cannot be read", e);
        }
        return port(line);
    }

    private static int port(@Nullable String line) throws IOException {
        if (line == null || !line.startsWith("{")) {
            throw new IOException(line == null ? "its process has ended" : line);
        }
        Map<String, ?> said = JsonText.read(line);
        if (said.get("failed") instanceof String sentence) {
            throw new IOException(sentence);
        }
        return RecordJson.of(Listening.class, said).port();
    }

    long pid() {
        return process.pid();
    }

    /** Ends it. Blocks for a few seconds at most. */
    @Override
    public void close() {
        close(List.of(this));
    }

    /** Ends some together. Blocks for a few seconds at most, however many they are; who has not ended by then is killed. */
    static void close(List<LocalAgent> agents) {
        close(agents, END);
    }

    /** @param within what they have for it together */
    static void close(List<LocalAgent> agents, Duration within) {
        agents.forEach(LocalAgent::ask);
        long limit = System.nanoTime() + within.toNanos();
        agents.forEach(agent -> agent.await(limit));
    }

    private void ask() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            process.destroyForcibly();
        }
    }

    /** @param limit by {@link System#nanoTime()} */
    private void await(long limit) {
        try {
            if (!process.waitFor(limit - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    // ---- its own side ----

    /**
     * Runs until the input ends; returns the exit status.
     *
     * @param stores which parameters of a protocol may name files: those that came with a run
     */
    public static int run(InputStream in, PrintStream out, Agent.Starter starter, Function<String, List<StoreParameter>> stores) {
        try {
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            String first = lines.readLine();
            if (first == null) {
                return FAILED;
            }
            Told told = RecordJson.read(Told.class, first);
            try (AgentService service =
                new AgentService(new Agent.Identity(told.name(), told.version(), Map.of(), false, told.token()), null, 0,
                    null, starter, stores, MemberFile.none(), _ -> {})) {
                out.println(RecordJson.text(new Listening(service.address().getPort())));
                out.flush();
                Thread.ofPlatform().daemon().name("brokermeter-agent").start(() -> {
                    try {
                        service.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                while (lines.readLine() != null) {
                    // nothing more is said to it
                }
                return 0;
            }
        } catch (ClusterException | IOException | IllegalArgumentException e) {
            out.println(JsonText.of(Map.of("failed", String.valueOf(e.getMessage()))));
            out.flush();
            return FAILED;
        }
    }
}
