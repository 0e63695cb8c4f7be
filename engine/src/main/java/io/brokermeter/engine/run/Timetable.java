package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Seeds;

/**
 * The moments of a run: its phases, a warm-up counted as one, and the end of its load. All follow from its start, which {@link #begin} fixes once, and
 * from the moment at which consumers are open in a run that only receives.
 * Moments are nanoseconds since the epoch. Reporting thread only.
 */
final class Timetable {

    /** The end of a load that the time does not end. */
    static final long NO_END = Long.MAX_VALUE;

    private final Scenario scenario;
    private final int warmups;
    private final int phaseCount;
    private long start;
    private long countedFrom;
    private long measuredFrom;
    private long loadEnd = NO_END;
    private long[] begins = new long[0];
    private long[] ends = new long[0];
    private PhaseTimes phaseTimes = PhaseTimes.ONE;

    Timetable(Scenario scenario) {
        this.scenario = scenario;
        this.warmups = scenario.limits().warmup().isZero() ? 0 : 1;
        this.phaseCount = warmups + Math.max(1, scenario.phases().size());
    }

    /** Number of phases before the measured part: 0 or 1. */
    int warmups() {
        return warmups;
    }

    /** Number of phases, a warm-up included; at least 1. */
    int phaseCount() {
        return phaseCount;
    }

    void begin(long startNanos) {
        start = startNanos;
        count(start);
    }

    /**
     * In a run that only receives: all consumers are open that are there from its start on. Its warm-up, its phases and its duration are counted from
     * then on; what came before belongs to the first of them.
     */
    void opened(long moment) {
        count(moment);
        begins[0] = start;
    }

    private void count(long from) {
        countedFrom = from;
        measuredFrom = warmups == 0 ? start : from + scenario.limits().warmup().toNanos();
        long[] bounds = new long[phaseCount - 1];
        long[] starts = new long[phaseCount];
        starts[0] = from;
        for (int phase = 0; phase < phaseCount; phase++) {
            Duration length = phase < warmups ? scenario.limits().warmup()
                : scenario.phases().isEmpty() ? null : scenario.phases().get(phase - warmups).length();
            if (phase < bounds.length) {
                bounds[phase] = starts[phase] + (length == null ? 0 : length.toNanos());
                starts[phase + 1] = bounds[phase];
            } else if (length != null && !scenario.phases().isEmpty()) {
                loadEnd = starts[phase] + length.toNanos();
            }
        }
        Duration duration = scenario.limits().duration();
        if (!duration.isZero()) {
            loadEnd = from + duration.toNanos();
        }
        phaseTimes = PhaseTimes.of(warmups > 0, bounds);
        begins = starts;
        ends = Arrays.copyOf(bounds, phaseCount);
        ends[phaseCount - 1] = loadEnd;
    }

    long start() {
        return start;
    }

    /** From when on warm-up, duration and faults are counted: the start, or what {@link #opened} gave. */
    long countedFrom() {
        return countedFrom;
    }

    /** The planned end of the load; {@link #NO_END} where the time does not end it. */
    long loadEnd() {
        return loadEnd;
    }

    /** The begin of the measured part. */
    long measuredFrom() {
        return measuredFrom;
    }

    PhaseTimes phaseTimes() {
        return phaseTimes;
    }

    long phaseBegin(int phase) {
        return begins[phase];
    }

    long phaseEnd(int phase) {
        return ends[phase];
    }

    /** The name of the phase of a moment; empty when the scenario has no phases. */
    String phaseName(long moment) {
        int phase = phaseTimes.at(moment) - warmups;
        return scenario.phases().isEmpty() ? "" : phase < 0 ? "warmup" : scenario.phases().get(phase).name();
    }

    /** When the interval after one that ended at {@code ended} ends. */
    long nextInterval(long ended) {
        return Spans.nextInterval(start, scenario.limits().interval().toNanos(), ended);
    }

    /** The load of a group in each phase, the warm-up with that of the first; one load where phases do not change it. */
    List<Load> loads(ProducerGroup group) {
        if (!followsPhases(group)) {
            return List.of(group.side().load());
        }
        List<Load> loads = new ArrayList<>();
        for (int phase = -warmups; phase < scenario.phases().size(); phase++) {
            Load load = scenario.phases().get(Math.max(0, phase)).loadOf(group.side());
            // Groups and phases may share what was written once: not its arrivals, which are independent of each other.
            loads.add(load instanceof Load.Poisson(double mean, long seed)
                ? new Load.Poisson(mean, Seeds.of(Seeds.of(seed, group.index()), phase)) : load);
        }
        return loads;
    }

    /** Whether a group has a schedule at any time. */
    boolean isScheduled(ProducerGroup group) {
        return loads(group).stream().anyMatch(Timetable::hasTimes);
    }

    /** Whether a group sends as fast as it can for a part of the run, so that its rate says nothing of how it kept its schedule. */
    boolean isPartlyUnscheduled(ProducerGroup group) {
        return loads(group).stream().anyMatch(load -> load instanceof Load.AllOut);
    }

    private static boolean hasTimes(Load load) {
        return !(load instanceof Load.AllOut || load instanceof Load.Silence);
    }

    /** Begin and end of each load of a group. */
    List<SendLoop.Span> spans(ProducerGroup group) {
        boolean phases = followsPhases(group);
        long delayed = start + group.side().start().delay().toNanos();
        List<SendLoop.Span> spans = new ArrayList<>();
        for (int phase = 0; phase < (phases ? phaseCount : 1); phase++) {
            spans.add(new SendLoop.Span(Math.max(begins[phase], delayed), phases ? ends[phase] : loadEnd));
        }
        return spans;
    }

    private boolean followsPhases(ProducerGroup group) {
        return !scenario.phases().isEmpty() && group.counts() == null;
    }
}
