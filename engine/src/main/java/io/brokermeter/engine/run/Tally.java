package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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

    /** Of all parts together. */
    static Tally sum(Collection<Tally> parts) {
        return new Tally(parts.stream().mapToInt(Tally::signal).max().orElse(0), parts.stream().anyMatch(Tally::drainCut),
            parts.stream().anyMatch(Tally::mayBeLate), distinct(parts, Tally::fatal), distinct(parts, Tally::broken),
            Schedule.sum(parts.stream().map(Tally::schedule).toList()), sum(parts, Tally::failed), sums(parts, Tally::failureCauses),
            sum(parts, Tally::unconfirmed), sums(parts, Tally::unconfirmedCauses), sum(parts, Tally::unanswered),
            sum(parts, Tally::unreplied),
            sum(parts, Tally::strayConfirmations), sum(parts, Tally::otherClock), sum(parts, Tally::orderUnknown),
            sum(parts, Tally::unknownSendTime), parts.stream().anyMatch(Tally::stillArriving), sums(parts, Tally::taken));
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
