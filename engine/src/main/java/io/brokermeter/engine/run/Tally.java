package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Schedule;

/**
 * What is counted of a run, or of a part of it, and makes it fail or be read with care. Of several processes it is the sum.
 *
 * @param signal the signal that ended it, 0 for none
 * @param drainCut whether its drain was ended early
 * @param mayBeLate whether it was ended too early to distinguish late messages from lost ones
 * @param fatal why it could not go on
 * @param broken what else was found to be wrong, before the counts
 * @param schedule how the asked rate was kept
 * @param failed sends that failed
 * @param failureCauses why, with how often
 * @param unconfirmed sends whose fate is unknown
 * @param unconfirmedCauses why, as far as that is known, with how often
 * @param unanswered requests that got no reply in time
 * @param unreplied those of them that still waited for one
 * @param strayConfirmations confirmations of nothing that was sent
 * @param otherClock deliveries of messages whose sender had another clock
 * @param orderUnknown deliveries whose order was not followed for want of memory
 * @param unknownSendTime deliveries whose time of sending is not known
 * @param stillArriving whether deliveries still came when the time of the drain was over
 * @param taken messages that were taken under a limit, by number of the group
 */
public record Tally(
        int signal, boolean drainCut, boolean mayBeLate, List<Finding.Failure> fatal, List<Finding.Failure> broken, Schedule schedule,
        long failed, Map<String, Long> failureCauses, long unconfirmed, Map<String, Long> unconfirmedCauses, long unanswered,
        long unreplied,
        long strayConfirmations, long otherClock, long orderUnknown, long unknownSendTime, boolean stillArriving,
        Map<Integer, Long> taken) {

    /** What it is made of by name. */
    public static final class Values {

        public int signal;
        public boolean drainCut;
        public boolean mayBeLate;
        public List<Finding.Failure> fatal = List.of();
        public List<Finding.Failure> broken = List.of();
        public Schedule schedule = Schedule.NONE;
        public long failed;
        public Map<String, Long> failureCauses = Map.of();
        public long unconfirmed;
        public Map<String, Long> unconfirmedCauses = Map.of();
        public long unanswered;
        public long unreplied;
        public long strayConfirmations;
        public long otherClock;
        public long orderUnknown;
        public long unknownSendTime;
        public boolean stillArriving;
        public Map<Integer, Long> taken = Map.of();

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static Tally of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Tally(its.signal, its.drainCut, its.mayBeLate, its.fatal, its.broken, its.schedule, its.failed, its.failureCauses,
            its.unconfirmed, its.unconfirmedCauses, its.unanswered, its.unreplied, its.strayConfirmations, its.otherClock,
            its.orderUnknown, its.unknownSendTime, its.stillArriving, its.taken);
    }

    /** Of all parts together. */
    static Tally sum(Collection<Tally> parts) {
        return Tally.of(its -> {
            its.signal = parts.stream().mapToInt(Tally::signal).max().orElse(0);
            its.drainCut = parts.stream().anyMatch(Tally::drainCut);
            its.mayBeLate = parts.stream().anyMatch(Tally::mayBeLate);
            its.fatal = distinct(parts, Tally::fatal);
            its.broken = distinct(parts, Tally::broken);
            its.schedule = Schedule.sum(parts.stream().map(Tally::schedule).toList());
            its.failed = sum(parts, Tally::failed);
            its.failureCauses = sums(parts, Tally::failureCauses);
            its.unconfirmed = sum(parts, Tally::unconfirmed);
            its.unconfirmedCauses = sums(parts, Tally::unconfirmedCauses);
            its.unanswered = sum(parts, Tally::unanswered);
            its.unreplied = sum(parts, Tally::unreplied);
            its.strayConfirmations = sum(parts, Tally::strayConfirmations);
            its.otherClock = sum(parts, Tally::otherClock);
            its.orderUnknown = sum(parts, Tally::orderUnknown);
            its.unknownSendTime = sum(parts, Tally::unknownSendTime);
            its.stillArriving = parts.stream().anyMatch(Tally::stillArriving);
            its.taken = sums(parts, Tally::taken);
        });
    }

    private static long sum(Collection<Tally> parts, ToLongFunction<Tally> count) {
        return parts.stream().mapToLong(count).sum();
    }

    private static <K> Map<K, Long> sums(Collection<Tally> parts, Function<Tally, Map<K, Long>> counts) {
        Map<K, Long> all = new LinkedHashMap<>();
        parts.forEach(part -> counts.apply(part).forEach((key, count) -> all.merge(key, count, Long::sum)));
        return all;
    }

    private static List<Finding.Failure> distinct(Collection<Tally> parts, Function<Tally, List<Finding.Failure>> of) {
        LinkedHashSet<Finding.Failure> all = new LinkedHashSet<>();
        parts.forEach(part -> all.addAll(of.apply(part)));
        return new ArrayList<>(all);
    }
}
