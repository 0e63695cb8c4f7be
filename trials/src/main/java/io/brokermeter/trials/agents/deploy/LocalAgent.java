package io.brokermeter.trials.agents.deploy;

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
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.trials.agents.Agent;
import io.brokermeter.trials.agents.AgentService;
import io.brokermeter.trials.agents.MemberFile;
import org.jspecify.annotations.Nullable;

/**
 * An agent that a coordinator starts on its own machine: a child process that listens on loopback, takes orders only from coordinators that
 * know its token, and ends with its standard input, which ends when the coordinator is gone.
 */
public final class LocalAgent implements AutoCloseable {

    /** The command of this class, which is not listed by the help. */
    public static final String COMMAND = "local-agent";

    private static final Duration END = Duration.ofSeconds(5);
    private static final int FAILED = 1;

    /** The line that the process reads from its standard input. */
    private record Told(String name, String version, String token) {}

    /** The line that the process writes to its standard output: its port, or why it has none. */
    private record Listening(int port, @Nullable String failed) {}

    private final Process process;
    private final BufferedReader out;

    private LocalAgent(Process process) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    // ---- the coordinator's side ----

    /**
     * Starts an agent; {@link #port} waits for it.
     *
     * @param builder builds a process of this tool with {@link #COMMAND}
     */
    public static LocalAgent start(ProcessBuilder builder, String name, String version, String token) throws IOException {
        LocalAgent agent = new LocalAgent(builder.start());
        agent.process.getOutputStream().write((RecordJson.text(new Told(name, version, token)) + "\n").getBytes(StandardCharsets.UTF_8));
        agent.process.getOutputStream().flush();
        return agent;
    }

    /**
     * Returns the port on which the agent listens. Blocks until it does.
     *
     * @throws IOException when the agent has ended, or does not listen in time; then it is killed
     */
    public int port(Duration within) throws IOException, InterruptedException {
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
        Listening said = RecordJson.read(Listening.class, line);
        if (said.failed() != null) {
            throw new IOException(said.failed());
        }
        return said.port();
    }

    long pid() {
        return process.pid();
    }

    /** Ends the agent. Blocks for a few seconds at most. */
    @Override
    public void close() {
        close(List.of(this));
    }

    /**
     * Ends several agents at the same time. Blocks for a few seconds at most, however many there are; one that has not ended by then is
     * killed.
     */
    public static void close(List<LocalAgent> agents) {
        close(agents, END);
    }

    /** @param within the time in which all of them must have ended */
    public static void close(List<LocalAgent> agents, Duration within) {
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

    /** @param limit the end of the wait, by {@link System#nanoTime()} */
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
     * Runs an agent until the input ends; returns the exit status.
     *
     * @param stores returns the parameters of a protocol that may name files: those that came with a run
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
                out.println(RecordJson.text(new Listening(service.address().getPort(), null)));
                out.flush();
                Thread.ofPlatform().daemon().name("brokermeter-agent").start(() -> {
                    try {
                        service.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                while (lines.readLine() != null) {
                    // no further lines are expected
                }
                return 0;
            }
        } catch (ClusterException | IOException | IllegalArgumentException e) {
            out.println(RecordJson.text(new Listening(0, String.valueOf(e.getMessage()))));
            out.flush();
            return FAILED;
        }
    }
}
