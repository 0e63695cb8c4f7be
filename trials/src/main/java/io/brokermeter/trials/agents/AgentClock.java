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

/** The coordinator's clock, as an agent knows it during one run. Any thread; nothing blocks. */
final class AgentClock implements AutoCloseable {

    /**
     * What is known.
     *
     * @param offset the agent's clock minus the coordinator's, nanoseconds
     * @param bound the most that the worker's time was wrong since the load began, or since there was a worker, nanoseconds
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
     * Begins to ask for it.
     *
     * @param access where it is; null when this machine reads the same
     * @throws IOException when no socket can be opened
     */
    static AgentClock open(@Nullable ClockAccess access) throws IOException {
        return new AgentClock(access);
    }

    /** The newest line, as text, each once; null when there is nothing new. One thread. */
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

    /** @param wake is called when there is something new, by a thread that must not be held up */
    void whenNext(Runnable wake) {
        if (client != null) {
            client.whenRenewed(wake);
        }
    }

    /** The load begins at this moment of the coordinator's {@link System#nanoTime()}: what was known before does no harm. */
    void begins(long coordinator) {
        ClockLine line = client == null ? null : client.line();
        if (line != null) {
            from = line.agent(coordinator);
        }
    }

    /** What is known; null for nothing. */
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

    /** What happened to it since the last call, sentences. */
    List<String> news() {
        List<String> all = new ArrayList<>();
        for (String sentence = news.poll(); sentence != null; sentence = news.poll()) {
            all.add(sentence);
        }
        return all;
    }

    /** Where it is. */
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
