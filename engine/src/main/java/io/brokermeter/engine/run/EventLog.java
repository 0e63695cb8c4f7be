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

/** The events of a run. Any thread may add an event; the reporting thread is woken and takes it. */
public final class EventLog implements ConnectionListener {

    private static final int MOST_FATAL = 10;
    private static final int MOST_OUTAGES = 100_000;

    private final Queue<Event> queue = new ConcurrentLinkedQueue<>();
    private final List<Finding.Failure> fatalFindings = new ArrayList<>();
    private final List<Event> outages = new ArrayList<>();
    private final Set<Finding.Notice> notices = ConcurrentHashMap.newKeySet();
    private final AtomicLong reconnects = new AtomicLong();
    /** Number of attempts to connect again, those that succeeded included. */
    private final AtomicLong attempts = new AtomicLong();
    /** Number of connections that their clients are restoring by themselves. */
    private final AtomicLong reconnecting = new AtomicLong();
    private final RunState state;
    private final Failures failures;
    private final Clock clock;
    private final Runnable wakeReporter;
    private volatile long start;
    private volatile boolean fatal;
    private volatile boolean connectionLost;

    public EventLog(RunState state, Failures failures, Clock clock, Runnable wakeReporter) {
        this.state = state;
        this.failures = failures;
        this.clock = clock;
        this.wakeReporter = wakeReporter;
    }

    /** Fixes the moment from which the times of events count; an event before it has the time 0. */
    public void begin(long startNanos) {
        start = startNanos;
    }

    public void add(Event.Kind kind, Finding what) {
        add(start == 0 ? 0 : clock.nanos() - start, kind, what);
    }

    /** @param elapsedNanos when the event happened, since the run's start */
    public void add(long elapsedNanos, Event.Kind kind, Finding what) {
        Event event = new Event(elapsedNanos, kind, what);
        queue.add(event);
        if (kind == Event.Kind.ATTEMPT) {
            attempts.incrementAndGet();
        } else if (kind == Event.Kind.FAULT || kind == Event.Kind.INTERRUPTED || kind == Event.Kind.RESUMED) {
            synchronized (outages) {
                if (kind == Event.Kind.FAULT || outages.size() < MOST_OUTAGES) {
                    outages.add(event);
                }
            }
        }
        wakeReporter.run();
    }

    /** Returns the events so far that the scorecard needs: all faults, and losses and restorations up to a limit. */
    public List<Event> outages() {
        synchronized (outages) {
            return new ArrayList<>(outages);
        }
    }

    @Override
    public void notice(String sentence) {
        notice(new Finding.Said(sentence));
    }

    /** Adds a notice, unless an equal one was added before. */
    public void notice(Finding.Notice what) {
        if (notices.add(what)) {
            add(Event.Kind.NOTICE, what);
        }
    }

    /** Notes that a step failed, and that the run cannot go on. */
    public void fatal(Finding.Step step, String subject, Throwable cause) {
        fatal(new Finding.Broken(step, subject, failures.text(cause)));
    }

    /** Notes a failure for which the run cannot go on. */
    public void fatal(Finding.Failure what) {
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
        lost(failures.text(cause));
    }

    /** Notes that a connection is lost for good, unless the run is closing its connections. */
    public void lost(String cause) {
        if (!state.isAtLeast(RunState.Stage.CLOSING)) {
            connectionLost = true;
            fatal(new Finding.Broken(Finding.Step.CONNECTION, "", cause));
        }
    }

    /** Returns whether a client is restoring its connection by itself. */
    boolean clientsReconnect() {
        return reconnecting.get() > 0;
    }

    /** Notes that the run has restored a lost connection. */
    public void restored(Finding.ConnectionRestored what) {
        attempts.incrementAndGet();
        reconnects.incrementAndGet();
        add(Event.Kind.RESUMED, what);
    }

    /** Notes that the run ended while a connection was lost, for which it fails. */
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

    /** Removes and returns the oldest event that was not taken yet; null when there is none. */
    public @Nullable Event poll() {
        return queue.poll();
    }

    /** Returns whether the run cannot go on. */
    public boolean isFatal() {
        return fatal;
    }

    List<Finding.Failure> fatalFindings() {
        synchronized (fatalFindings) {
            return new ArrayList<>(fatalFindings);
        }
    }

    /** Returns whether a connection is lost for good. */
    boolean isConnectionLost() {
        return connectionLost;
    }

    /** Returns how many times a lost connection was restored, by its client or by the run. */
    long reconnects() {
        return reconnects.get();
    }

    /** Returns how many attempts to connect again the run made, whether they failed or not. */
    long attempts() {
        return attempts.get();
    }
}
