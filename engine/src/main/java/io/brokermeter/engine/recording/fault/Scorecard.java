package io.brokermeter.engine.recording.fault;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.DueRates;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.lane.Activity;
import org.jspecify.annotations.Nullable;

/**
 * The score of a run: how it recovered from its first fault and from those that followed. A fault belongs to the one before it unless
 * that was undone and everything was as before; a pause that begins more than a second after that belongs to neither.
 *
 * @param first times of the first fault
 * @param faultKnown whether the moment at which the first fault took effect is known, and not only that at which it was noticed
 * @param attempts number of attempts to connect again by the run itself
 * @param restored number of connections that were restored, by the run or by a client
 * @param fates fates of the messages of the whole run
 * @param course course of the run around the faults, the first and later ones; null if it was not recorded
 * @param further times of faults after the first was over; counts are of the whole run
 */
public record Scorecard(
        FaultTimes first, boolean faultKnown, long attempts, long restored, MessageFates fates, @Nullable FaultCourse course,
        List<FaultTimes> further) {

    /** Mutable components of a {@link Scorecard}. */
    public static final class Values {

        public FaultTimes first = FaultTimes.of(_ -> {});
        public boolean faultKnown;
        public long attempts;
        public long restored;
        public MessageFates fates = new MessageFates(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        public @Nullable FaultCourse course;
        public List<FaultTimes> further = List.of();

        private Values() {}
    }

    /**
     * The load of a run with faults. Times are in nanoseconds from the run's start.
     *
     * @param due the rates at which messages were due
     * @param from start of the time that counts as before a fault
     * @param to end of the load
     * @param receives whether the run receives
     * @param cut whether the load ended because a connection was lost for good, so that a pause at that time has no end
     */
    public record Load(DueRates due, long from, long to, boolean receives, boolean cut) {}

    /**
     * How often connections were restored.
     *
     * @param attempts number of attempts to connect again by the run itself
     * @param restored number of connections that were restored, by the run or by a client
     */
    public record Reconnects(long attempts, long restored) {

        public static final Reconnects NONE = new Reconnects(0, 0);

        public Reconnects and(Reconnects other) {
            return new Reconnects(attempts + other.attempts, restored + other.restored);
        }
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static Scorecard of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Scorecard(its.first, its.faultKnown, its.attempts, its.restored, its.fates, its.course, its.further);
    }

    public Scorecard {
        further = List.copyOf(further);
    }

    /**
     * Scores a run.
     *
     * @param trace record of each millisecond of the run
     * @param outages faults, losses of connections and restorations, in their order
     * @return null if there was no fault and no client noticed a problem
     */
    public static @Nullable Scorecard of(Activity.Trace trace, Load load, List<Event> outages, Reconnects reconnects, MessageFates fates) {
        List<FaultPeriod.Effect> faults = new ArrayList<>();
        for (Event event : outages) {
            if (event.what() instanceof Finding.FaultDone fault && fault.step() == Finding.FaultStep.BEGAN) {
                faults.add(new FaultPeriod.Effect(fault.number(), FaultPeriod.asked(fault),
                    FaultPeriod.began(trace, outages, event.elapsedNanos(), fault),
                    outages.stream()
                        .filter(other -> other.what() instanceof Finding.FaultDone end && end.number() == fault.number()
                            && end.step() == Finding.FaultStep.ENDED)
                        .mapToLong(Event::elapsedNanos).findFirst().orElse(event.elapsedNanos())));
            }
        }
        faults.sort(Comparator.comparingLong(FaultPeriod.Effect::began));
        return of(trace, load, faults, outages, reconnects, fates);
    }

    /**
     * Scores a run with a single fault, which nothing undid.
     *
     * @param fault when the fault took effect; negative if unknown
     */
    public static @Nullable Scorecard of(Activity.Trace trace, long from, long to, long fault, List<Event> outages, boolean receives,
            MessageFates fates) {
        return of(trace, new Load(DueRates.STEADY, from, to, receives, false),
            fault < 0 ? List.of() : List.of(new FaultPeriod.Effect(0, 0, fault, fault)), outages, Reconnects.NONE, fates);
    }

    private static @Nullable Scorecard of(Activity.Trace trace, Load load, List<FaultPeriod.Effect> faults, List<Event> outages,
            Reconnects reconnects, MessageFates fates) {
        List<FaultPeriod.Effect> all = faults;
        if (faults.isEmpty()) {
            long noticed = FaultPeriod.noticed(trace, outages, 0, trace.length());
            if (noticed < 0) {
                return null;
            }
            all = List.of(new FaultPeriod.Effect(0, 0, noticed, noticed));
        }
        List<FaultPeriod> periods = FaultPeriod.all(new FaultPeriod.Seen(trace, outages, load), all);
        FaultPeriod first = periods.getFirst();
        FaultTimes times = first.times();
        int fault = first.fault();
        int end = (int) Math.max(fault, load.to / 1_000_000);
        int over = periods.stream().mapToInt(one -> one.over(end, outages)).max().orElse(end);
        return Scorecard.of(its -> {
            its.first = times;
            its.faultKnown = !faults.isEmpty();
            its.attempts = reconnects.attempts;
            its.restored = reconnects.restored;
            its.fates = fates;
            its.course = FaultCourse.of(trace, fault, over, times.rateBefore(), times.sendsStopped(), times.deliveriesStopped());
            its.further = periods.stream().skip(1).map(FaultPeriod::times).toList();
        });
    }

    /**
     * Returns whether sends and any deliveries returned to what they were after each fault; false if that is not
     * {@linkplain #judged() judged}.
     */
    public boolean recovered() {
        return first.recovered() && further.stream().allMatch(FaultTimes::recovered);
    }

    /**
     * Returns whether it is known if the run recovered: there was a rate before each fault that could return, and the load lasted long
     * enough after the fault to show whether it did; or the run did not recover from a fault of which this is so.
     */
    public boolean judged() {
        return first.judged()
            && (!first.recovered() || further.stream().allMatch(FaultTimes::judged) || further.stream().anyMatch(Scorecard::isUndone));
    }

    private static boolean isUndone(FaultTimes later) {
        return later.judged() && !later.recovered();
    }
}
