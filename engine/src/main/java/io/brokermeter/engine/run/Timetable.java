package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.DueRates;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.run.judge.AutoWarmUp;
import io.brokermeter.engine.run.parts.Spans;
import io.brokermeter.engine.run.send.SendLoop;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Seeds;

/**
 * The moments of a run: its phases, where a warm-up counts as one, and the end of its load. All of them follow from the run's start, which
 * {@link #begin} sets once, and, in a run that only receives, from the moment at which its consumers are open. Moments are nanoseconds
 * since the epoch. Used by the reporting thread, unless a method says otherwise.
 */
public final class Timetable {

    /** The end of a load that no time limits. */
    public static final long NO_END = Long.MAX_VALUE;

    private final Scenario scenario;
    private final int phaseCount;
    /** The number of phases before the measured part, as far as it is known. */
    private int warmups;
    private volatile boolean begun;
    private long start;
    private long countedFrom;
    private volatile long measuredFrom;
    private long loadEnd = NO_END;
    private long[] begins = new long[0];
    private long[] ends = new long[0];
    private PhaseTimes phaseTimes;

    public Timetable(Scenario scenario) {
        this.scenario = scenario;
        this.warmups = scenario.limits().warmup().isZero() ? 0 : 1;
        // A warm-up that may be extended has its parts as phases in any case, so that no sample has to change its phase.
        this.phaseCount = (scenario.limits().settles() ? AutoWarmUp.PARTS : warmups) + Math.max(1, scenario.phases().size());
        this.phaseTimes = mayReceiveBefore() ? PhaseTimes.notBegun(phaseCount) : PhaseTimes.ONE;
    }

    /** Returns the number of phases before the measured part: 0 or 1, or more if the warm-up was extended. */
    public int warmups() {
        return warmups;
    }

    /** Extends the warm-up by the next phase. */
    public void extendWarmup() {
        measuredFrom = ends[warmups++];
    }

    /** Returns the number of phases, a warm-up included; at least 1. */
    public int phaseCount() {
        return phaseCount;
    }

    public void begin(long startNanos) {
        start = startNanos;
        count(start);
        begun = true;
    }

    /** Returns whether the moments of the run are set. Any thread may call this, and read them then. */
    public boolean hasBegun() {
        return begun;
    }

    /**
     * Notes, in a run that only receives, that all consumers are open that take part from its start. Warm-up, phases and duration are
     * counted from then on; what came before belongs to the first phase.
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
            Duration length = phase < warmups || scenario.limits().settles() && phase < AutoWarmUp.PARTS ? scenario.limits().warmup()
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
        PhaseTimes times = PhaseTimes.of(warmups > 0, bounds);
        phaseTimes = mayReceiveBefore() ? times.from(start) : times;
        begins = starts;
        ends = Arrays.copyOf(bounds, phaseCount);
        ends[phaseCount - 1] = loadEnd;
    }

    /** Returns whether consumers may be open before the start, and receive what was left in their queues. */
    boolean mayReceiveBefore() {
        return scenario.sends();
    }

    public long start() {
        return start;
    }

    /** Returns the moment from which warm-up, duration and faults are counted: the start, or the moment given to {@link #opened}. */
    long countedFrom() {
        return countedFrom;
    }

    /** Returns the planned end of the load; {@link #NO_END} where no time limits it. */
    public long loadEnd() {
        return loadEnd;
    }

    /** Returns the begin of the measured part, which moves when a warm-up is extended. Any thread may call this. */
    public long measuredFrom() {
        return measuredFrom;
    }

    public PhaseTimes phaseTimes() {
        return phaseTimes;
    }

    public long phaseBegin(int phase) {
        return begins[phase];
    }

    public long phaseEnd(int phase) {
        return ends[phase];
    }

    /** Returns the name of the phase to which a moment belongs; empty when the scenario has no phases. */
    String phaseName(long moment) {
        int phase = phaseTimes.at(moment) - warmups;
        return scenario.phases().isEmpty() ? "" : phase < 0 ? "warmup" : scenario.phases().get(phase).name();
    }

    /** Returns when the interval that follows one which ended at {@code ended} is to end. */
    long nextInterval(long ended) {
        return Spans.nextInterval(start, scenario.limits().interval().toNanos(), ended);
    }

    /** Returns the load of a group in each phase, for a warm-up that of the first phase; a single load where phases do not change it. */
    public List<Load> loads(ProducerGroup group) {
        if (!followsPhases(group)) {
            return List.of(group.spec().load());
        }
        List<Load> loads = new ArrayList<>();
        for (int phase = -warmups; phase < scenario.phases().size(); phase++) {
            Load load = scenario.phases().get(Math.max(0, phase)).loadOf(group.spec());
            // Groups and phases may share a load that was written once, but not its arrivals, which are to be independent of each other.
            loads.add(load instanceof Load.Poisson(double mean, long seed)
                ? new Load.Poisson(mean, Seeds.of(Seeds.of(seed, group.index()), phase)) : load);
        }
        return loads;
    }

    /** Returns whether a group has a schedule in any part of the run. */
    public boolean isScheduled(ProducerGroup group) {
        return loads(group).stream().anyMatch(Timetable::hasTimes);
    }

    /** Returns whether a group sends as fast as it can in a part of the run, so that its rate does not show how it kept its schedule. */
    public boolean isPartlyUnscheduled(ProducerGroup group) {
        return loads(group).stream().anyMatch(load -> load instanceof Load.AllOut);
    }

    private static boolean hasTimes(Load load) {
        return !(load instanceof Load.AllOut || load instanceof Load.Silence);
    }

    /** Returns the begin and end of each load of a group. */
    List<SendLoop.Span> spans(ProducerGroup group) {
        boolean phases = followsPhases(group);
        long delayed = start + group.spec().start().delay().toNanos();
        List<SendLoop.Span> spans = new ArrayList<>();
        for (int phase = 0; phase < (phases ? phaseCount : 1); phase++) {
            spans.add(new SendLoop.Span(Math.max(begins[phase], delayed), phases ? ends[phase] : loadEnd));
        }
        return spans;
    }

    /**
     * Returns the rates at which the messages of the load are due, from the run's start. A group with a number of messages has nothing due
     * after them, except for the last such group: the run goes on until all of its messages are sent, however late.
     */
    public DueRates dueRates(List<ProducerGroup> groups) {
        List<ProducerGroup> load = groups.stream().filter(group -> group.counts() == null).toList();
        List<DueRates> rates = load.stream().map(this::dueRates).toList();
        long[] ends = IntStream.range(0, load.size()).mapToLong(i -> load.get(i).spec().messageCount() == 0 ? NO_END
            : rates.get(i).dueAt(load.get(i).spec().messageCount())).toArray();
        long last = LongStream.of(ends).max().orElse(NO_END);
        return DueRates.sum(IntStream.range(0, ends.length)
            .mapToObj(i -> ends[i] < last ? rates.get(i).until(ends[i]) : rates.get(i)).toList());
    }

    private DueRates dueRates(ProducerGroup group) {
        List<DueRates.Step> steps = new ArrayList<>(List.of(new DueRates.Step(0, 0)));
        List<Load> loads = loads(group);
        List<SendLoop.Span> spans = spans(group);
        for (int i = 0; i < spans.size(); i++) {
            long begin = spans.get(i).start() - start;
            long end = spans.get(i).end() - start;
            dueRates(loads.get(i)).steps().stream().map(step -> new DueRates.Step(begin + step.from(), step.rate()))
                .filter(step -> step.from() < end).forEach(steps::add);
        }
        return new DueRates(steps);
    }

    private static DueRates dueRates(Load load) {
        List<DueRates.Step> steps = new ArrayList<>();
        long from = 0;
        if (load instanceof Load.Steps(List<Load.Step> pieces)) {
            for (Load.Step piece : pieces) {
                steps.add(new DueRates.Step(from, piece.from() == piece.to() ? piece.from() : Double.NaN));
                from += piece.length().toNanos();
            }
        }
        steps.add(new DueRates.Step(from, switch (load) {
            case Load.AllOut _ -> Double.POSITIVE_INFINITY;
            case Load.Silence _ -> 0;
            case Load.Constant(Rate rate) -> rate.perSecond();
            case Load.Steps(List<Load.Step> pieces) -> pieces.getLast().to();
            case Load.Sine sine -> withinSecond(sine.period()) ? sine.mean() : Double.NaN;
            case Load.Bursts bursts -> withinSecond(bursts.on().plus(bursts.off()))
                ? bursts.rate().perSecond() * bursts.on().toNanos() / bursts.on().plus(bursts.off()).toNanos() : Double.NaN;
            case Load.Poisson poisson -> poisson.mean();
            case Load.Trace _ -> Double.NaN;
        }));
        return new DueRates(steps);
    }

    /** Returns whether a load of this period has the same rate in each second. */
    private static boolean withinSecond(Duration period) {
        return period.toNanos() <= 1_000_000_000L;
    }

    private boolean followsPhases(ProducerGroup group) {
        return !scenario.phases().isEmpty() && group.counts() == null;
    }
}
