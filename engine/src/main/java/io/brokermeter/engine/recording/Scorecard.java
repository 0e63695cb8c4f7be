package io.brokermeter.engine.recording;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import org.jspecify.annotations.Nullable;

/**
 * How a run got over its first fault, and over those that followed. A fault belongs to the one before it unless that was undone and all was as
 * before; a stillness that begins more than a second after that is of neither.
 *
 * @param first the times of the first fault
 * @param faultKnown whether the moment at which that took effect is known, and not only the one at which it was noticed
 * @param attempts attempts to connect again by the run itself
 * @param restored connections that were restored, by the run or by a client
 * @param fates what became of the messages of the whole run
 * @param course what happened around the faults, the first and those that came later; null where nobody followed it
 * @param further the times of faults after the first was over; counts are of the whole run
 */
public record Scorecard(
        FaultTimes first, boolean faultKnown, int attempts, long restored, MessageFates fates, @Nullable FaultCourse course,
        List<FaultTimes> further) {

    /** What it is made of by name. */
    public static final class Values {

        public FaultTimes first = FaultTimes.of(_ -> {});
        public boolean faultKnown;
        public int attempts;
        public long restored;
        public MessageFates fates = MessageFates.of(_ -> {});
        public @Nullable FaultCourse course;
        public List<FaultTimes> further = List.of();

        private Values() {}
    }

    /** Of what {@code change} sets. */
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
     * @param trace what happened in each of its milliseconds
     * @param from the begin of what counts as before the fault, nanoseconds from the run's start, as all moments here
     * @param to the end of the load
     * @param outages faults, losses of connections, attempts and restorations, in their order
     * @param receives whether the run receives
     * @param cut whether the load ended since a connection was gone for good, so that what stood still then never came back
     * @return null when there was no fault and nothing was noticed
     */
    public static @Nullable Scorecard of(Activity.Trace trace, long from, long to, List<Event> outages, boolean receives, boolean cut,
            MessageFates fates) {
        List<FaultStretch.Effect> faults = new ArrayList<>();
        for (Event event : outages) {
            if (event.what() instanceof Finding.FaultDone fault && fault.step() == Finding.FaultStep.BEGAN) {
                faults.add(new FaultStretch.Effect(fault.number(), FaultStretch.began(trace, outages, event.elapsedNanos(), fault),
                    outages.stream()
                        .filter(other -> other.what() instanceof Finding.FaultDone end && end.number() == fault.number()
                            && end.step() == Finding.FaultStep.ENDED)
                        .mapToLong(Event::elapsedNanos).findFirst().orElse(event.elapsedNanos())));
            }
        }
        faults.sort(Comparator.comparingLong(FaultStretch.Effect::began));
        return of(trace, from, to, faults, outages, receives, cut, fates);
    }

    /**
     * The same.
     *
     * @param fault when the only fault took effect, which nothing undid; negative when that is not known
     */
    static @Nullable Scorecard of(Activity.Trace trace, long from, long to, long fault, List<Event> outages, boolean receives,
            MessageFates fates) {
        return of(trace, from, to, fault < 0 ? List.of() : List.of(new FaultStretch.Effect(0, fault, fault)), outages, receives, false,
            fates);
    }

    private static @Nullable Scorecard of(Activity.Trace trace, long from, long to, List<FaultStretch.Effect> faults, List<Event> outages,
            boolean receives, boolean cut, MessageFates fates) {
        List<FaultStretch.Effect> all = faults;
        if (faults.isEmpty()) {
            long noticed = FaultStretch.noticed(trace, outages, 0, trace.length());
            if (noticed < 0) {
                return null;
            }
            all = List.of(new FaultStretch.Effect(0, noticed, noticed));
        }
        List<FaultStretch> stretches = FaultStretch.all(new FaultStretch.Seen(trace, outages, receives, to, cut), from, all);
        FaultStretch first = stretches.getFirst();
        FaultTimes times = first.times();
        int fault = first.fault();
        int end = (int) Math.max(fault, to / 1_000_000);
        int over = stretches.stream().mapToInt(one -> one.over(end, outages)).max().orElse(end);
        return Scorecard.of(its -> {
            its.first = times;
            its.faultKnown = !faults.isEmpty();
            its.attempts = (int) outages.stream().filter(event -> event.kind() == Event.Kind.ATTEMPT).count()
                + (int) outages.stream().filter(event -> event.what() instanceof Finding.ConnectionRestored).count();
            its.restored = outages.stream().filter(event -> event.kind() == Event.Kind.RESUMED).count();
            its.fates = fates;
            its.course = FaultCourse.of(trace, fault, over, times.rateBefore(), times.sendsStopped(), times.deliveriesStopped());
            its.further = stretches.stream().skip(1).map(FaultStretch::times).toList();
        });
    }

    /**
     * Whether sends and, where there are any, deliveries came back to what they were after each fault; false where that is not
     * {@linkplain #judged() judged}.
     */
    public boolean recovered() {
        return first.recovered() && further.stream().allMatch(FaultTimes::recovered);
    }

    /**
     * Whether it is known if they did: there was a rate before each fault that could come back, and the load went on for long enough after
     * it to show whether it did; or the run did not get over one of which this is so.
     */
    public boolean judged() {
        return first.judged()
            && (!first.recovered() || further.stream().allMatch(FaultTimes::judged) || further.stream().anyMatch(Scorecard::isUndone));
    }

    private static boolean isUndone(FaultTimes later) {
        return later.judged() && !later.recovered();
    }
}
