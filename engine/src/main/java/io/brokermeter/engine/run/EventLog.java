package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.spi.ConnectionListener;
import org.jspecify.annotations.Nullable;

/** What happens in a run. Any thread may add an event; the reporting thread is woken and takes it. */
final class EventLog implements ConnectionListener {

    private static final int MOST_FATAL = 10;
    private static final int MOST_OUTAGES = 100_000;

    private final Queue<Event> queue = new ConcurrentLinkedQueue<>();
    private final List<Finding.Failure> fatalFindings = new ArrayList<>();
    private final List<Event> outages = new ArrayList<>();
    private final Set<Finding.Notice> notices = ConcurrentHashMap.newKeySet();
    private final AtomicLong reconnects = new AtomicLong();
    /** Clients that make their connections anew by themselves and are not through with it. */
    private final AtomicLong reconnecting = new AtomicLong();
    private final RunState state;
    private final Failures failures;
    private final Clock clock;
    private final Runnable wakeReporter;
    private volatile long start;
    private volatile boolean fatal;
    private volatile boolean connectionLost;

    EventLog(RunState state, Failures failures, Clock clock, Runnable wakeReporter) {
        this.state = state;
        this.failures = failures;
        this.clock = clock;
        this.wakeReporter = wakeReporter;
    }

    /** Fixes the moment from which the times of events count; an event before it has the time 0. */
    void begin(long startNanos) {
        start = startNanos;
    }

    void add(Event.Kind kind, Finding what) {
        add(start == 0 ? 0 : clock.nanos() - start, kind, what);
    }

    /** @param elapsedNanos when it happened, since the run's start */
    void add(long elapsedNanos, Event.Kind kind, Finding what) {
        Event event = new Event(elapsedNanos, kind, what);
        queue.add(event);
        if (kind == Event.Kind.FAULT || kind == Event.Kind.INTERRUPTED || kind == Event.Kind.ATTEMPT || kind == Event.Kind.RESUMED) {
            synchronized (outages) {
                if (outages.size() < MOST_OUTAGES) {
                    outages.add(event);
                }
            }
        }
        wakeReporter.run();
    }

    /** What the scorecard needs to know so far: faults, losses, attempts, and restorations, as many as are kept. */
    List<Event> outages() {
        synchronized (outages) {
            return new ArrayList<>(outages);
        }
    }

    @Override
    public void notice(String sentence) {
        notice(new Finding.Said(sentence));
    }

    /** Adds a notice, unless an equal one was added before. */
    void notice(Finding.Notice what) {
        if (notices.add(what)) {
            add(Event.Kind.NOTICE, what);
        }
    }

    /** A step failed, and the run cannot go on. */
    void fatal(Finding.Step step, String subject, Throwable cause) {
        fatal(new Finding.Broken(step, subject, failures.text(cause)));
    }

    /** The run cannot go on and fails for this. */
    void fatal(Finding.Failure what) {
        synchronized (fatalFindings) {
            if (!fatalFindings.contains(what) && fatalFindings.size() < MOST_FATAL) {
                fatalFindings.add(what);
                add(Event.Kind.ERROR, what);
            }
        }
        fatal = true;
        wakeReporter.run();
    }

    @Override
    public void lost(Throwable cause) {
        if (!state.isAtLeast(RunState.Stage.CLOSING)) {
            connectionLost = true;
            fatal(Finding.Step.CONNECTION, "", cause);
        }
    }

    /** Whether clients that make their connections anew by themselves are at it. */
    boolean clientsReconnect() {
        return reconnecting.get() > 0;
    }

    /** A connection that was lost was made anew. */
    void restored(Finding.ConnectionRestored what) {
        reconnects.incrementAndGet();
        add(Event.Kind.RESUMED, what);
    }

    /** The run ended while a connection was lost. */
    void notRestored(Finding.Failure what) {
        connectionLost = true;
        fatal(what);
    }

    @Override
    public void interrupted(String cause) {
        if (!state.isAtLeast(RunState.Stage.CLOSING)) {
            reconnecting.incrementAndGet();
            add(Event.Kind.INTERRUPTED, new Finding.Reconnecting(cause));
        }
    }

    @Override
    public void resumed() {
        reconnects.incrementAndGet();
        reconnecting.updateAndGet(count -> Math.max(0, count - 1));
        add(Event.Kind.RESUMED, new Finding.Reconnected());
    }

    /** The oldest event that was not taken yet; null when there is none. */
    @Nullable Event poll() {
        return queue.poll();
    }

    /** Whether the run cannot go on. */
    boolean isFatal() {
        return fatal;
    }

    List<Finding.Failure> fatalFindings() {
        synchronized (fatalFindings) {
            return new ArrayList<>(fatalFindings);
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
