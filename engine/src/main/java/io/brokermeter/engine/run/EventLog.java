package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.spi.ConnectionListener;
import org.jspecify.annotations.Nullable;

/** What happens in a run. Any thread may add an event; the reporting thread is woken and takes it. */
final class EventLog implements RunEvents, ConnectionListener {

    private static final int MOST_FATAL = 10;

    private final Queue<Event> queue = new ConcurrentLinkedQueue<>();
    private final List<String> fatalSentences = new ArrayList<>();
    private final Set<String> notices = ConcurrentHashMap.newKeySet();
    private final AtomicLong reconnects = new AtomicLong();
    private final RunState state;
    private final Clock clock;
    private final Runnable wakeReporter;
    private volatile long start;
    private volatile boolean fatal;
    private volatile boolean connectionLost;

    EventLog(RunState state, Clock clock, Runnable wakeReporter) {
        this.state = state;
        this.clock = clock;
        this.wakeReporter = wakeReporter;
    }

    /** Fixes the moment from which the times of events count; an event before it has the time 0. */
    void begin(long startNanos) {
        start = startNanos;
    }

    void add(Event.Kind kind, String sentence) {
        queue.add(new Event(start == 0 ? 0 : clock.nanos() - start, kind, sentence));
        wakeReporter.run();
    }

    /** Adds a notice once, however many connections have the same to say. */
    @Override
    public void notice(String sentence) {
        if (notices.add(sentence)) {
            add(Event.Kind.NOTICE, sentence);
        }
    }

    @Override
    public void fatal(String sentence, Throwable cause) {
        synchronized (fatalSentences) {
            if (!fatalSentences.contains(sentence) && fatalSentences.size() < MOST_FATAL) {
                fatalSentences.add(sentence);
                add(Event.Kind.ERROR, sentence);
            }
        }
        fatal = true;
        wakeReporter.run();
    }

    @Override
    public void lost(Throwable cause) {
        if (!state.isAtLeast(RunState.Stage.CLOSING)) {
            connectionLost = true;
            fatal("Connection lost: " + Failures.sentence(cause), cause);
        }
    }

    @Override
    public void interrupted(String cause) {
        if (!state.isAtLeast(RunState.Stage.CLOSING)) {
            add(Event.Kind.INTERRUPTED, "Connection interrupted, the client is reconnecting: " + cause);
        }
    }

    @Override
    public void resumed() {
        reconnects.incrementAndGet();
        add(Event.Kind.RESUMED, "Connection restored");
    }

    /** The oldest event that was not taken yet; null when there is none. */
    @Nullable Event poll() {
        return queue.poll();
    }

    /** Whether the run cannot go on. */
    boolean isFatal() {
        return fatal;
    }

    List<String> fatalSentences() {
        synchronized (fatalSentences) {
            return new ArrayList<>(fatalSentences);
        }
    }

    /** Whether a connection is gone for good. */
    boolean isConnectionLost() {
        return connectionLost;
    }

    /** How often a client restored its connection. */
    long reconnects() {
        return reconnects.get();
    }
}
