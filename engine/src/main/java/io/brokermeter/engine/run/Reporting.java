package io.brokermeter.engine.run;

import java.util.Objects;
import java.util.Set;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.HealthMonitor;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.WarmUp;
import io.brokermeter.engine.recording.confidence.Sections;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.connect.DepthWatch;
import io.brokermeter.engine.run.judge.AutoWarmUp;
import io.brokermeter.engine.run.judge.Backlog;
import io.brokermeter.engine.run.judge.ThresholdWatch;
import io.brokermeter.engine.run.parts.IntervalMerger;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Reports intervals and events to a run's observer, and takes the readings at both ends of the measured part. Used by the reporting thread
 * only.
 */
final class Reporting {

    /** The longest time between two looks for stalls, in nanoseconds: what became due since the last one may seem due since then. */
    private static final long LOOK_EVERY = 1_000_000_000;

    private final Limits limits;
    private final Timetable timetable;
    private final Participants participants;
    private final Recording recording;
    private final EventLog events;
    private final Progress progress;
    private final HealthMonitor health;
    private final DepthWatch depths;
    private final @Nullable BrokerWatch watch;
    private final RunObserver observer;
    private final Clock clock;
    private final ThresholdWatch thresholds;

    private final IntervalMerger intervals;
    private long nextLook = Timetable.NO_END;
    private long intervalBegan;
    private long nextInterval = Timetable.NO_END;
    private Counts reported = Counts.NONE;
    private boolean observerFailed;
    private boolean measuringBegun;
    private boolean measuringEnded;
    private Cost cost = new Cost(Reading.NONE, Reading.NONE);
    private BrokerFigures broker = BrokerFigures.UNKNOWN;
    private final ColdStart cold;
    private final Backlog.Series backlog = new Backlog.Series();
    /** Extends the warm-up until the run has settled; null if it has a fixed length. */
    private final @Nullable AutoWarmUp settling;

    /** The counts at a reading of CPU times, and the time of that reading in nanoseconds since the epoch. */
    private record Reading(Counts counts, long at) {

        static final Reading NONE = new Reading(Counts.NONE, 0);
    }

    /** The readings at both ends of the time whose CPU use is divided by messages. */
    private record Cost(Reading from, Reading to) {}

    Reporting(Limits limits, Timetable timetable, Participants participants, Recording recording, EventLog events, Progress progress,
            HealthMonitor health, DepthWatch depths, @Nullable BrokerWatch watch, RunObserver observer, Clock clock,
            ThresholdWatch thresholds) {
        this.limits = limits;
        this.timetable = timetable;
        this.participants = participants;
        this.recording = recording;
        this.events = events;
        this.progress = progress;
        this.health = health;
        this.depths = depths;
        this.watch = watch;
        this.observer = observer;
        this.clock = clock;
        this.thresholds = thresholds;
        this.intervals = new IntervalMerger(limits.interval().toNanos(), false);
        this.cold = new ColdStart(timetable, recording, limits.interval());
        this.settling = limits.settles() ? new AutoWarmUp(timetable, recording, limits.warmup()) : null;
    }

    /**
     * Begins the first interval, at the start of the timetable.
     *
     * @param before the counts before the start was known: now the run may have begun
     */
    void begin(Counts before) {
        depths.start();
        intervalBegan = timetable.start();
        nextInterval = timetable.nextInterval(timetable.start());
        nextLook = timetable.start() + LOOK_EVERY;
        if (settling != null) {
            settling.begin();
        }
        if (timetable.mayReceiveBefore()) {
            // What was left in the queues is received before the first interval, and belongs to none.
            reported = before.with(participants.countsBefore(), count -> count.isOfPhases() && count.isOfReceivers())
                .with(Count.RECONNECTS, 0);
        }
    }

    /** Returns when {@link #report} next has something to do even if nothing happens, in nanoseconds since the epoch. */
    long nextDue() {
        long next = Math.min(Math.min(nextInterval, nextLook), measuringBegun ? Timetable.NO_END : timetable.measuredFrom());
        return settling == null ? next : Math.min(next, settling.nextDue());
    }

    /** Reports events, and the interval when it is over; takes the readings that are due, and looks for stalls and missed thresholds. */
    void report() {
        long now = clock.nanos();
        reportEvents();
        if (settling != null) {
            settling.look(now);
        }
        if (!measuringBegun && !measuringEnded && now >= timetable.measuredFrom()) {
            beginMeasuring();
        }
        if (now < nextInterval) {
            if (now >= nextLook) {
                lookForStalls(now);
            }
            return;
        }
        health.tick();
        // A reporter that was held up reports one long interval instead of several that never existed. The counts are read before the
        // clock: whatever is counted was done before the end of the interval, however late the clock is read.
        Counts counts = participants.counts();
        long ended = clock.nanos();
        recording.drain();
        cold.add(ended);
        Interval interval = nextInterval(counts, ended);
        report(() -> observer.interval(interval));
        nextInterval = timetable.nextInterval(ended);
        lookForStalls(now);
        thresholds.look(ended);
    }

    private void lookForStalls(long now) {
        nextLook = now + LOOK_EVERY;
        // The counts are read after the clock was, by less than a millisecond of a second.
        backlog.add(now - timetable.start(), participants.counts());
        progress.look(now);
    }

    /**
     * Reports what has come since the last interval, if there is anything.
     *
     * @param before called when all samples are there, and before events and the interval are reported
     */
    void reportRest(Runnable before) {
        if (settling != null) {
            settling.look(clock.nanos());
        }
        // Whatever is counted was done before the end of the interval, however late the clock is read.
        Counts counts = participants.counts();
        long ended = clock.nanos();
        recording.drain();
        boolean samples = recording.measured().values().stream().anyMatch(d -> d.count() > 0)
            || recording.warmup().values().stream().anyMatch(d -> d.count() > 0);
        Interval rest = samples || !counts.equals(reported) ? nextInterval(counts, Math.max(ended, intervalBegan + 1)) : null;
        before.run();
        reportEvents();
        if (rest != null) {
            report(() -> observer.interval(rest));
        }
    }

    /**
     * Returns the current interval, and begins the next one.
     *
     * @param counts the counts at the end of the interval
     * @param ended the end of the interval, in nanoseconds since the epoch
     */
    private Interval nextInterval(Counts counts, long ended) {
        long waiting = depths.latest();
        intervals.add(0, Interval.of(its -> {
            its.warmup = intervalBegan < timetable.measuredFrom();
            its.startEpochNanos = intervalBegan;
            its.endEpochNanos = ended;
            its.elapsedNanos = ended - timetable.start();
            its.counts = counts.minus(reported).withoutLedger();
            its.measured = recording.measured();
            its.warmupSamples = recording.warmup();
            its.phase = timetable.phaseName(intervalBegan);
            its.broker = waiting < 0 ? null : BrokerSample.UNKNOWN.withDepth(waiting);
        }));
        reported = counts;
        intervalBegan = ended;
        return Objects.requireNonNull(intervals.next(Set.of(), watch));
    }

    private void reportEvents() {
        if (watch != null) {
            watch.notices().forEach(sentence -> events.notice(new Finding.Said(sentence)));
            watch.unseen().forEach(sentence -> events.add(Event.Kind.UNSEEN, new Finding.Said(sentence)));
        }
        Event event;
        while ((event = events.poll()) != null) {
            Event e = event;
            report(() -> observer.event(e));
        }
    }

    private interface Report {
        void run() throws Exception;
    }

    private void report(Report report) {
        try {
            report.run();
        } catch (Exception e) {
            if (!observerFailed) {
                observerFailed = true;
                events.fatal(Finding.Step.WRITE_REPORT, "", e);
            }
        }
    }

    /** Reports the result. Returns the cause if that failed, null otherwise. */
    @Nullable Exception finish(RunResult result) {
        try {
            observer.finished(result);
            return null;
        } catch (Exception e) {
            return e;
        }
    }

    // ---- the measured part ----

    /** Begins the measured part as far as CPU times are concerned: takes the first reading and the counts that belong to it. */
    void beginMeasuring() {
        measuringBegun = true;
        health.begin();
        if (watch != null) {
            watch.begin();
        }
        cost = new Cost(new Reading(participants.counts(), clock.nanos()), cost.to);
        depths.begin();
    }

    /** Ends the measured part as far as CPU times are concerned. Only the first call has an effect. */
    void endMeasuring() {
        if (measuringEnded) {
            return;
        }
        measuringEnded = true;
        depths.end();
        health.freeze();
        cost = new Cost(cost.from, new Reading(participants.counts(), clock.nanos()));
        if (!measuringBegun) {
            // A run that ended in its warm-up has no measured part, and no messages to relate its CPU time to.
            cost = new Cost(cost.to, cost.to);
        }
        broker = watch == null ? BrokerFigures.UNKNOWN : watch.end();
    }

    /** Stops watching the broker. Returns what was seen of the broker in the measured part, null when nothing was. */
    @Nullable BrokerFigures endWatching() {
        depths.close();
        BrokerFigures whole = broker.withDepthMax(depths.most());
        return whole.equals(BrokerFigures.UNKNOWN) ? null : whole;
    }

    /** Returns what lay between the clients and the broker in the measured part; null for nothing. */
    @Nullable NetworkFigures network() {
        return watch == null ? null : watch.network();
    }

    /** Returns what was sent, confirmed and received in the course of the run. */
    Backlog backlog() {
        return backlog.made(participants.counts());
    }

    /** Returns how a warm-up ended that lasted until the run had settled; null if it had a fixed length. */
    @Nullable WarmUp warmUp() {
        return settling == null ? null : settling.result();
    }

    /** Returns the measured part in sections. */
    Sections sections() {
        return intervals.sections();
    }

    /** Returns the number of messages sent between the two readings of CPU times; of messages received, for a run without producers. */
    long costMessages() {
        return cost.to.counts.minus(cost.from.counts).get(participants.load().isEmpty() ? Count.RECEIVED : Count.SENT);
    }

    /** Returns the time between the two readings of CPU times, in seconds; 0 when the measured part never began. */
    double costSeconds() {
        return (cost.to.at - cost.from.at) / 1e9;
    }

    /** Returns for how many seconds {@link #cold} has samples; 0 for a run with a warm-up. */
    double coldSeconds() {
        return cold.seconds();
    }

    /** Returns the samples of a metric from the first seconds of a run without a warm-up; null when there are none. */
    @Nullable Histogram cold(Metric metric) {
        return cold.of(metric);
    }
}
