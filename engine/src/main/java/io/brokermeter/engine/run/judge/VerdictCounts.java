package io.brokermeter.engine.run.judge;

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
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.HasCounts;

/**
 * The counts of a run, or of a part of it, that make the run fail or qualify its figures. The tally of several processes is their sum.
 *
 * @param signal the signal that ended the run, 0 for none
 * @param drainCut whether the drain was cut short or left out
 * @param mayBeLate whether the run was ended too early to distinguish late messages from lost ones
 * @param fatal why the run could not go on
 * @param broken other failures that were found before the counts are judged
 * @param schedule how the asked rate was kept
 * @param counts everything that was counted, except by the ledger
 * @param failureCauses number of failed sends by cause
 * @param unconfirmedCauses number of those sends by cause, as far as causes are known
 * @param unreplied number of those requests that still waited for a reply
 * @param strayConfirmations number of confirmations of messages that were not in flight
 * @param otherClock number of deliveries of messages whose sender had another clock
 * @param orderUnknown number of deliveries whose order was not followed for lack of memory
 * @param unknownSendTime number of deliveries whose send time is not known
 * @param stillArriving whether deliveries still came when the time of the drain was over
 * @param taken number of messages that each group with a quota took, by number of the group
 * @param sentTo number of sends to each destination, by its number; those that publish counts are left out
 * @param receivedFrom number of deliveries from each destination that has consumers, of any message; empty if they are not known
 * @param backlog what was sent, confirmed and received in the course of the run
 */
public record VerdictCounts(
        int signal, boolean drainCut, boolean mayBeLate, List<Finding.Failure> fatal, List<Finding.Failure> broken, Schedule schedule,
        Counts counts, Map<String, Long> failureCauses, Map<String, Long> unconfirmedCauses, long unreplied,
        long strayConfirmations, long otherClock, long orderUnknown, long unknownSendTime, boolean stillArriving,
        Map<Integer, Long> taken, Map<Integer, Long> sentTo, Map<Integer, Long> receivedFrom, Backlog backlog)
        implements
            HasCounts {

    /** The components of a tally by name; zero or empty as long as they are not set. */
    public static final class Values extends HasCounts.Values {

        public int signal;
        public boolean drainCut;
        public boolean mayBeLate;
        public List<Finding.Failure> fatal = List.of();
        public List<Finding.Failure> broken = List.of();
        public Schedule schedule = Schedule.NONE;
        public Map<String, Long> failureCauses = Map.of();
        public Map<String, Long> unconfirmedCauses = Map.of();
        public long unreplied;
        public long strayConfirmations;
        public long otherClock;
        public long orderUnknown;
        public long unknownSendTime;
        public boolean stillArriving;
        public Map<Integer, Long> taken = Map.of();
        public Map<Integer, Long> sentTo = Map.of();
        public Map<Integer, Long> receivedFrom = Map.of();
        public Backlog backlog = Backlog.NONE;

        private Values() {}
    }

    /** Creates a tally of what {@code change} sets. */
    public static VerdictCounts of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new VerdictCounts(its.signal, its.drainCut, its.mayBeLate, its.fatal, its.broken, its.schedule, its.counts,
            its.failureCauses,
            its.unconfirmedCauses, its.unreplied, its.strayConfirmations, its.otherClock,
            its.orderUnknown, its.unknownSendTime, its.stillArriving, its.taken, its.sentTo, its.receivedFrom, its.backlog);
    }

    /** Returns the sum of the tallies of all parts, in which {@code change} then changes some components. */
    public static VerdictCounts sum(List<VerdictCounts> parts, Consumer<Values> change) {
        return VerdictCounts.of(its -> {
            its.signal = parts.stream().mapToInt(VerdictCounts::signal).max().orElse(0);
            its.drainCut = parts.stream().anyMatch(VerdictCounts::drainCut);
            its.mayBeLate = parts.stream().anyMatch(VerdictCounts::mayBeLate);
            its.fatal = distinct(parts, VerdictCounts::fatal);
            its.broken = distinct(parts, VerdictCounts::broken);
            its.schedule = Schedule.sum(parts.stream().map(VerdictCounts::schedule).toList());
            its.counts = parts.stream().map(VerdictCounts::counts).collect(Counts.sum());
            its.failureCauses = sums(parts, VerdictCounts::failureCauses);
            its.unconfirmedCauses = sums(parts, VerdictCounts::unconfirmedCauses);
            its.unreplied = sum(parts, VerdictCounts::unreplied);
            its.strayConfirmations = sum(parts, VerdictCounts::strayConfirmations);
            its.otherClock = sum(parts, VerdictCounts::otherClock);
            its.orderUnknown = sum(parts, VerdictCounts::orderUnknown);
            its.unknownSendTime = sum(parts, VerdictCounts::unknownSendTime);
            its.stillArriving = parts.stream().anyMatch(VerdictCounts::stillArriving);
            its.taken = sums(parts, VerdictCounts::taken);
            its.sentTo = sums(parts, VerdictCounts::sentTo);
            its.receivedFrom = sums(parts, VerdictCounts::receivedFrom);
            its.backlog = Backlog.sum(parts.stream().map(VerdictCounts::backlog).toList());
            change.accept(its);
        });
    }

    private static long sum(Collection<VerdictCounts> parts, ToLongFunction<VerdictCounts> count) {
        return parts.stream().mapToLong(count).sum();
    }

    private static <K> Map<K, Long> sums(Collection<VerdictCounts> parts, Function<VerdictCounts, Map<K, Long>> counts) {
        Map<K, Long> all = new LinkedHashMap<>();
        parts.forEach(part -> counts.apply(part).forEach((key, count) -> all.merge(key, count, Long::sum)));
        return all;
    }

    private static List<Finding.Failure> distinct(Collection<VerdictCounts> parts, Function<VerdictCounts, List<Finding.Failure>> of) {
        LinkedHashSet<Finding.Failure> all = new LinkedHashSet<>();
        parts.forEach(part -> all.addAll(of.apply(part)));
        return new ArrayList<>(all);
    }
}
