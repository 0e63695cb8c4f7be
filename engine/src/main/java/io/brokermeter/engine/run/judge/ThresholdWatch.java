package io.brokermeter.engine.run.judge;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.run.Progress;
import io.brokermeter.engine.run.RunState;
import io.brokermeter.engine.run.Timetable;
import io.brokermeter.engine.run.parts.Spans;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.jspecify.annotations.Nullable;

/**
 * Has the thresholds that may end a run in one process checked after each interval. Times and mean rates cover the time since the warm-up,
 * or since the begin of the threshold's phase, mean rates from the third interval on; other counts cover the whole run so far, or the
 * phase. Used by the reporting thread only.
 */
public final class ThresholdWatch implements EndingThresholds.SoFar {

    private final Scenario scenario;
    private final Timetable timetable;
    private final Participants participants;
    private final Recording recording;
    private final EventLog events;
    private final Progress progress;
    private final RunState state;
    private final EndingThresholds thresholds;
    private long now;

    public ThresholdWatch(Scenario scenario, Timetable timetable, Participants participants, Recording recording, EventLog events,
            Progress progress, RunState state) {
        this.scenario = scenario;
        this.timetable = timetable;
        this.participants = participants;
        this.recording = recording;
        this.events = events;
        this.progress = progress;
        this.state = state;
        this.thresholds = new EndingThresholds(scenario);
    }

    /** Checks the thresholds at the end of an interval. Requests the end of the run when a threshold that may end it is missed. */
    public void look(long ended) {
        now = ended;
        Finding.ThresholdMissed missed = state.isAtLeast(RunState.Stage.DRAINING) ? null : thresholds.look(this);
        if (missed != null) {
            events.add(Event.Kind.WARNING, missed);
            state.stop(0);
        }
    }

    /** Returns the number of the threshold that ended the run; -1 for none. */
    public int missed() {
        return thresholds.missed();
    }

    @Override
    public Counts counts(@Nullable String phase) {
        return phase == null ? participants.counts() : participants.countsIn(number(phase), number(phase) + 1);
    }

    @Override
    public @Nullable Distribution times(Metric metric, @Nullable String phase) {
        return (phase == null ? recording.total() : recording.phase(number(phase))).get(metric);
    }

    @Override
    public double rate(Count count, @Nullable String phase) {
        long from = phase != null ? timetable.phaseBegin(number(phase))
            : count.isOfReceivers() ? receivingFrom(timetable.measuredFrom()) : timetable.measuredFrom();
        long until = phase == null ? now : Math.min(now, timetable.phaseEnd(number(phase)));
        if (until < from || until - from < EndingThresholds.LEAST_INTERVALS * scenario.limits().interval().toNanos()) {
            return Double.NaN;
        }
        return (phase == null ? participants.countsIn(timetable.warmups(), timetable.phaseCount()) : counts(phase)).get(count)
            / ((until - from) / 1e9);
    }

    /**
     * Returns from when deliveries count for their mean rate: as in {@link Spans} not before a consumer is open; {@link Long#MAX_VALUE}
     * while none is.
     */
    private long receivingFrom(long measuredFrom) {
        long opened = progress.firstOpened();
        return opened == 0 ? Long.MAX_VALUE : Math.max(measuredFrom, opened);
    }

    private int number(String phase) {
        return timetable.warmups() + scenario.phases().stream().map(Phase::name).toList().indexOf(phase);
    }
}
