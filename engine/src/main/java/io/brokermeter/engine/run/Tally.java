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
 * The counts of a run, or of a part of it, that make the run fail or qualify its figures. The tally of several processes is their sum.
 *
 * @param signal the signal that ended the run, 0 for none
 * @param drainCut whether the drain was cut short or left out
 * @param mayBeLate whether the run was ended too early to distinguish late messages from lost ones
 * @param fatal why the run could not go on
 * @param broken other failures that were found before the counts are judged
 * @param schedule how the asked rate was kept
 * @param failed number of sends that failed
 * @param failureCauses number of failed sends by cause
 * @param unconfirmed number of sends whose fate is unknown
 * @param unconfirmedCauses number of those sends by cause, as far as causes are known
 * @param unanswered number of requests that got no reply in time, or none until the end
 * @param unreplied number of those requests that still waited for a reply
 * @param strayConfirmations number of confirmations of messages that were not in flight
 * @param otherClock number of deliveries of messages whose sender had another clock
 * @param orderUnknown number of deliveries whose order was not followed for lack of memory
 * @param unknownSendTime number of deliveries whose send time is not known
 * @param stillArriving whether deliveries still came when the time of the drain was over
 * @param taken number of messages that each group with a quota took, by number of the group
 * @param requeued number of deliveries that consumers gave back
 * @param sentTo number of sends to each destination, by its number; those that publish counts are left out
 * @param receivedFrom number of deliveries from each destination that has consumers, of any message; empty if they are not known
 * @param backlog what was sent, confirmed and received in the course of the run
 */
public record Tally(
        int signal, boolean drainCut, boolean mayBeLate, List<Finding.Failure> fatal, List<Finding.Failure> broken, Schedule schedule,
        long failed, Map<String, Long> failureCauses, long unconfirmed, Map<String, Long> unconfirmedCauses, long unanswered,
        long unreplied,
        long strayConfirmations, long otherClock, long orderUnknown, long unknownSendTime, boolean stillArriving,
        Map<Integer, Long> taken, long requeued, Map<Integer, Long> sentTo, Map<Integer, Long> receivedFrom, Backlog backlog) {

    /** The components of a tally by name; zero or empty as long as they are not set. */
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
        public long requeued;
        public Map<Integer, Long> sentTo = Map.of();
        public Map<Integer, Long> receivedFrom = Map.of();
        public Backlog backlog = Backlog.NONE;

        private Values() {}
    }

    /** Creates a tally of what {@code change} sets. */
    public static Tally of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** Creates a copy in which {@code change} sets some components. */
    Tally but(Consumer<Values> change) {
        Values its = new Values();
        its.signal = signal;
        its.drainCut = drainCut;
        its.mayBeLate = mayBeLate;
        its.fatal = fatal;
        its.broken = broken;
        its.schedule = schedule;
        its.failed = failed;
        its.failureCauses = failureCauses;
        its.unconfirmed = unconfirmed;
        its.unconfirmedCauses = unconfirmedCauses;
        its.unanswered = unanswered;
        its.unreplied = unreplied;
        its.strayConfirmations = strayConfirmations;
        its.otherClock = otherClock;
        its.orderUnknown = orderUnknown;
        its.unknownSendTime = unknownSendTime;
        its.stillArriving = stillArriving;
        its.taken = taken;
        its.requeued = requeued;
        its.sentTo = sentTo;
        its.receivedFrom = receivedFrom;
        its.backlog = backlog;
        return made(its, change);
    }

    private static Tally made(Values its, Consumer<Values> change) {
        change.accept(its);
        return new Tally(its.signal, its.drainCut, its.mayBeLate, its.fatal, its.broken, its.schedule, its.failed, its.failureCauses,
            its.unconfirmed, its.unconfirmedCauses, its.unanswered, its.unreplied, its.strayConfirmations, its.otherClock,
            its.orderUnknown, its.unknownSendTime, its.stillArriving, its.taken, its.requeued, its.sentTo, its.receivedFrom, its.backlog);
    }

    /** Returns the sum of the tallies of all parts. */
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
            its.requeued = sum(parts, Tally::requeued);
            its.sentTo = sums(parts, Tally::sentTo);
            its.receivedFrom = sums(parts, Tally::receivedFrom);
            its.backlog = Backlog.sum(parts.stream().map(Tally::backlog).toList());
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
