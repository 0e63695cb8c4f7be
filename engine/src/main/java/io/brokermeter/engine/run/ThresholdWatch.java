package io.brokermeter.engine.run;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.scenario.Count;
import io.brokermeter.engine.scenario.MeanRate;
import io.brokermeter.engine.scenario.Measure;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;

/**
 * Checks the thresholds that may end the run after each interval, and judges all thresholds at the end of the run. While the run goes on,
 * times and mean rates cover the time since the warm-up, or since the begin of the threshold's phase, mean rates from the third interval
 * on; other counts cover the whole run so far, or the phase. Used by the reporting thread only.
 */
final class ThresholdWatch {

    /** The smallest number of intervals over which a mean rate is judged; means over fewer say nothing. */
    static final int LEAST_INTERVALS = 3;

    private final Scenario scenario;
    private final Timetable timetable;
    private final Participants participants;
    private final Recording recording;
    private final EventLog events;
    private final Progress progress;
    private final RunState state;
    private final EndingThresholds ending;

    ThresholdWatch(Scenario scenario, Timetable timetable, Participants participants, Recording recording, EventLog events,
            Progress progress, RunState state) {
        this.scenario = scenario;
        this.timetable = timetable;
        this.participants = participants;
        this.recording = recording;
        this.events = events;
        this.progress = progress;
        this.state = state;
        this.ending = new EndingThresholds(scenario.thresholds());
    }

    /** Checks the thresholds at the end of an interval. Requests the end of the run when a threshold that may end it is missed. */
    void look(long now) {
        if (state.isAtLeast(RunState.Stage.DRAINING)) {
            return;
        }
        Finding.ThresholdMissed missed = ending.look(threshold -> live(threshold, now));
        if (missed != null) {
            events.add(Event.Kind.WARNING, missed);
            state.stop(0);
        }
    }

    /** Returns whether a threshold ended the run. */
    boolean hasEnded() {
        return ending.missed() >= 0;
    }

    /** Returns the result together with its figures for all thresholds and whether each was kept. */
    RunResult judged(RunResult result) {
        return result.but(its -> its.thresholds = ThresholdResult.all(scenario.thresholds(), result, ending.missed()));
    }

    /** Returns the current figure of a threshold; NaN as long as it is not known. */
    private double live(Threshold threshold, long now) {
        int phase = phase(threshold);
        long from = phase < 0 ? timetable.measuredFrom() : timetable.phaseBegin(phase);
        return switch (threshold.figure()) {
            case Threshold.Time time -> Measurements.of(time,
                (phase < 0 ? recording.total() : recording.phase(phase)).get(Measurements.metric(time.timing())));
            case Threshold.Single single -> switch (single.quantity()) {
                case Count count -> (phase < 0 ? participants.counts() : participants.countsIn(phase, phase + 1)).get(count);
                case MeanRate rate -> rate(rate.count(), phase,
                    phase < 0 && rate.count().isOfReceivers() ? receivingFrom(from) : from, now);
                case Measure measure when measure == Measure.SUCCESS_PERCENT -> EndingThresholds.successPercent(participants.counts());
                case Measure _ -> Double.NaN;
            };
        };
    }

    /**
     * Returns from when deliveries count for their mean rate: as in {@link Spans} not before a consumer is open; {@link Long#MAX_VALUE}
     * while none is.
     */
    private long receivingFrom(long measuredFrom) {
        long opened = progress.firstOpened();
        return opened == 0 ? Long.MAX_VALUE : Math.max(measuredFrom, opened);
    }

    private int phase(Threshold threshold) {
        return threshold.phase() == null ? -1
            : timetable.warmups() + scenario.phases().stream().map(Phase::name).toList().indexOf(threshold.phase());
    }

    private double rate(Count count, int phase, long from, long now) {
        long until = phase < 0 ? now : Math.min(now, timetable.phaseEnd(phase));
        double seconds = (until - from) / 1e9;
        if (until < from || until - from < LEAST_INTERVALS * scenario.limits().interval().toNanos()) {
            return Double.NaN;
        }
        return (phase < 0 ? participants.countsIn(timetable.warmups(), timetable.phaseCount()) : participants.countsIn(phase, phase + 1))
            .get(count) / seconds;
    }
}
