package io.brokermeter.trials.agents;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.brokermeter.cluster.clock.ClockLine;
import io.brokermeter.cluster.clock.Offset;
import io.brokermeter.cluster.clock.ProbeClient;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator's clock, as an agent knows it during one run. Unless noted, methods may be called from any thread; none of them blocks.
 */
final class AgentClock implements AutoCloseable {

    /**
     * An estimate of the clock.
     *
     * @param offset the agent's clock minus the coordinator's, nanoseconds
     * @param bound the greatest error of the worker's time since the load began, or since there was a worker, nanoseconds
     */
    record Known(double offset, double bound) {

        static final Known SAME = new Known(0, 0);
    }

    private final @Nullable ClockAccess access;
    private final @Nullable ProbeClient client;
    private final Queue<String> news = new ConcurrentLinkedQueue<>();
    private @Nullable ClockLine last;
    private volatile long from;

    private AgentClock(@Nullable ClockAccess access) throws IOException {
        this.access = access;
        client = access == null ? null : ProbeClient.start(new InetSocketAddress(access.host(), access.port()), null, access.key(),
            event -> news.add(event.sentence()));
    }

    /**
     * Begins to query the clock.
     *
     * @param access where the clock is; null when this machine reads the same clock
     * @throws IOException when no socket can be opened
     */
    static AgentClock open(@Nullable ClockAccess access) throws IOException {
        return new AgentClock(access);
    }

    /** Returns the newest line as text, each line once; null when there is no new one. Called by one thread. */
    @Nullable String next() {
        ClockLine line = client == null ? ClockLine.SAME : client.line();
        if (line == null || line.equals(last)) {
            return null;
        }
        if (last == null) {
            from = System.nanoTime();
        }
        last = line;
        return line.text();
    }

    /** @param wake called when there may be a new line, by a thread that must not be blocked */
    void whenNext(Runnable wake) {
        if (client != null) {
            client.whenRenewed(wake);
        }
    }

    /** Notes that the load begins at a moment of the coordinator's {@link System#nanoTime()}: errors before it do not count. */
    void begins(long coordinator) {
        ClockLine line = client == null ? null : client.line();
        if (line != null) {
            from = line.agent(coordinator);
        }
    }

    /** Returns the current estimate; null when there is none. */
    @Nullable Known known() {
        if (client == null) {
            return Known.SAME;
        }
        Offset now = client.offset();
        if (now == null || from == 0) {
            return null;
        }
        OptionalLong bound = client.bound(from, System.nanoTime());
        return new Known(now.offset(), bound.isEmpty() ? now.bound() : bound.getAsLong() == Long.MAX_VALUE ? Double.POSITIVE_INFINITY
            : bound.getAsLong());
    }

    /** Returns what happened to the clock since the last call, as sentences. */
    List<String> news() {
        List<String> all = new ArrayList<>();
        for (String sentence = news.poll(); sentence != null; sentence = news.poll()) {
            all.add(sentence);
        }
        return all;
    }

    /** Returns where the clock is. */
    @Override
    public String toString() {
        return String.valueOf(access);
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
