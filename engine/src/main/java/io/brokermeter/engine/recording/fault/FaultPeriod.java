package io.brokermeter.engine.recording.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.DueRates;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.scenario.Fault;

/**
 * A period of a run from a fault to the next one, or to the end, with the pauses in it and the time at which everything was as before.
 *
 * @param fault when the fault took effect, in milliseconds from the run's start
 * @param times times of the fault
 * @param sends the longest time without a confirmation
 * @param deliveries the longest time without a delivery
 * @param calm first millisecond at which rates are back to normal
 */
record FaultPeriod(int fault, FaultTimes times, Gap sends, Gap deliveries, int calm) {

    /** The share of the rate before the fault that counts as recovered. */
    private static final double BACK = 0.95;
    /** The least number of messages in a window, at the rate before the fault. */
    private static final int LEAST_MESSAGES = 20;
    private static final int WINDOW = 1000;
    /** The number of milliseconds with deliveries, before and after a late one, in which others are late if there is a backlog. */
    private static final int NEAR = 10;
    /** The least number of late milliseconds, with their neighbours, that are a backlog. */
    private static final int BACKLOG = 3;
    /** The nanoseconds before a fault in which clients may notice it: connections break before a killed process is seen to be gone. */
    private static final long SEEN_LATE = 1_000_000_000L;
    /** The silence at the end of the load up to which nothing counts as stopped, in milliseconds. */
    private static final int SILENT = 100;
    static final double NEVER = Double.POSITIVE_INFINITY;

    /**
     * The time at which a fault took effect and that at which it was undone, in nanoseconds from the run's start; equal if nothing
     * undoes the fault.
     *
     * @param number number of the fault among those of the run; 0 if unknown
     * @param asked when the fault was asked for; 0 if unknown
     */
    record Effect(int number, long asked, long began, long undone) {}

    /** The data from which all periods are computed. */
    record Seen(Activity.Trace trace, List<Event> outages, Scorecard.Load load) {}

    /**
     * Scores one period.
     *
     * @param from first millisecond of the time that counts as before the fault
     * @param fault the fault with which the period begins
     * @param undone when all faults of the period were undone, in nanoseconds from the run's start
     * @param limit millisecond at which the next period begins; the end of the trace if none does
     */
    private static FaultPeriod of(Seen run, int from, Effect fault, long undone, int limit) {
        Activity.Trace trace = run.trace;
        Scorecard.Load load = run.load;
        int at = (int) (fault.began / 1_000_000);
        int before = usualFrom(load.due(), Math.min(from, at), at);
        int loadEnd = (int) Math.max(at, load.to() / 1_000_000);
        // Nothing may have been recorded in the last part of the load.
        int end = load.due().lastDue(at, limit < trace.length() ? Math.min(limit, loadEnd) : loadEnd);
        int silence = load.due().silence(at);
        if (silence - at < WINDOW) {
            end = Math.min(end, silence); // what comes after the silence does not show what the fault did
        }
        double rate = rateBefore(trace::confirmed, before, at);
        boolean cut = load.cut() && limit == trace.length();
        double back = to95(trace::confirmed, load.due(), at, end, rate);
        if (cut && rate > 0 && !(back > 0)) {
            back = NEVER; // the load ended before a whole second with a lower rate could pass
        }
        // A pause long after everything was as before has another cause. If the rate never fell, it does not tell when that was.
        int settled = back > 0 && back < NEVER
            ? Math.min(end, (int) Math.max(at + Math.round(back * 1e3), undone / 1_000_000) + WINDOW) : cut ? limit : end;
        // If it is unknown whether anything went on before the fault, there is neither a pause nor a recovery.
        boolean known = rate > 0;
        Gap sends = known ? Gap.longest(trace::confirmed, before, at, settled, silence, end, limit, cut) : Gap.NONE;
        Gap deliveries = known && load.receives() ? Gap.longest(trace::delivered, before, at, settled, silence, end, limit, cut) : Gap.NONE;
        // A load that ends right after the fault shows neither that the rate fell nor that it did not, unless a pause lasted to the
        // end. If the load ended before the fault took effect, nothing was due any more.
        if (Double.isNaN(back) && known && load.to() > fault.began && (sends.isOpen() || deliveries.isOpen())) {
            back = sends.isOpen() || sum(trace::confirmed, at, end) < BACK * rate * (end - at) / 1e3 ? NEVER : 0;
        }
        boolean judged = known && !Double.isNaN(back);
        boolean receives = load.receives() && judged;
        long noticed = noticed(trace, run.outages, Math.max(fault.asked, fault.began - SEEN_LATE), limit);
        double backAfter = back;
        double catchUp = receives ? catchUp(trace, before, at, deliveries, limit) : Double.NaN;
        long calm = back > 0 ? settled : at;
        if (undone > fault.began) {
            calm = Math.max(calm, undone / 1_000_000 + WINDOW);
        }
        // A gap that is no longer than usual may have come at any time.
        if (receives && deliveries.to - deliveries.from > Gap.pause(trace::delivered, before, at)) {
            calm = Math.max(calm, deliveries.to + WINDOW + millis(catchUp));
        }
        return new FaultPeriod(at,
            FaultTimes.of(its -> {
                its.fault = fault.number;
                its.faultAt = fault.began / 1e9;
                its.detect = noticed < 0 ? Double.NaN : Math.max(0, noticed - fault.began) / 1e9;
                its.withoutSend = judged ? sends.seconds() : Double.NaN;
                its.withoutDelivery = receives ? deliveries.seconds() : Double.NaN;
                its.to95 = backAfter;
                its.catchUp = catchUp;
                its.longestWait = load.receives() && sum(trace::delivered, at, limit) > 0 ? longest(trace, at, limit) / 1e9 : Double.NaN;
                its.rateBefore = rate;
                its.sendsStopped = judged ? sends.begin() : Double.NaN;
                its.deliveriesStopped = receives ? deliveries.begin() : Double.NaN;
            }),
            sends, deliveries, (int) calm);
    }

    /**
     * Returns the first millisecond of the time that shows what was usual before a fault at {@code at}: from {@code from} on, and in the
     * same step of the load. Returns {@code at} where there is none, since the load changes then, or has for less than a second been what
     * it is.
     */
    private static int usualFrom(DueRates due, int from, int at) {
        int begin = due.begin(at);
        return !due.isSteady(at) || begin > from && at - begin < WINDOW ? at : Math.max(from, begin);
    }

    /**
     * Returns when clients first noticed a fault that ends a process, and {@code effective} for any other fault. A process that is asked
     * to end may close its connections long before it is gone, and on a busy machine a killed process is seen to be gone late.
     */
    static long began(Activity.Trace trace, List<Event> outages, long effective, Finding.FaultDone fault) {
        if (!fault.action().endsProcess() || Double.isNaN(fault.askedSeconds())) {
            return effective;
        }
        long asked = asked(fault);
        long noticed = noticed(trace, outages, asked, (int) Math.min(trace.length(), effective / 1_000_000));
        return noticed >= asked ? Math.min(noticed, effective)
            : fault.action() == Fault.Action.KILL ? Math.min(stopped(trace, asked, effective), effective) : effective;
    }

    /** Returns when a fault was asked for, in nanoseconds from the run's start; 0 if unknown. */
    static long asked(Finding.FaultDone fault) {
        // The rounded value of an unknown time is 0.
        return Math.max(0, Math.round(fault.askedSeconds() * 1e9));
    }

    /**
     * Returns the end of the last millisecond in which a process that was killed still confirmed something, or delivered something if
     * nothing is sent, but no time before it was to be killed. The system takes the memory of the process away before it closes the
     * connections, and the process is gone only then. If the next confirmation or delivery came as soon as others did in the second
     * before the fault, other processes go on, and it does not show when this one stopped: the method returns {@code effective}.
     */
    private static long stopped(Activity.Trace trace, long asked, long effective) {
        int from = (int) (asked / 1_000_000);
        boolean sends = IntStream.range(Math.max(0, from - WINDOW), Math.min(from, trace.length())).anyMatch(i -> trace.confirmed(i) > 0);
        int last = (int) Math.min(trace.length(), effective / 1_000_000) - 1;
        IntUnaryOperator counts = sends ? trace::confirmed : trace::delivered;
        while (last >= from && counts.applyAsInt(last) == 0) {
            last--;
        }
        int next =
            IntStream.range(last + 1, trace.length()).filter(i -> counts.applyAsInt(i) > 0).findFirst().orElse(Integer.MAX_VALUE / 2);
        return next - last <= longestPause(counts, Math.max(0, from - WINDOW), from) ? effective : Math.max(asked, (last + 1) * 1_000_000L);
    }

    /** Returns the longest time from one event to the next in a span, in milliseconds; 0 if there are fewer than two. */
    private static int longestPause(IntUnaryOperator counts, int from, int to) {
        int longest = 0;
        int before = Integer.MAX_VALUE;
        for (int i = from; i < to; i++) {
            if (counts.applyAsInt(i) > 0) {
                longest = Math.max(longest, i - before);
                before = i;
            }
        }
        return longest;
    }

    /**
     * Returns the periods of all faults. A fault that came before everything was undone and as before belongs to the period before
     * it.
     */
    static List<FaultPeriod> all(Seen run, List<Effect> faults) {
        List<FaultPeriod> all = new ArrayList<>();
        int begin = (int) (run.load.from() / 1_000_000);
        for (int i = 0, next; i < faults.size(); i = next) {
            FaultPeriod period;
            long undone = 0;
            boolean over;
            next = i;
            do {
                undone = Math.max(undone, faults.get(next++).undone);
                boolean last = next == faults.size();
                int limit = last ? run.trace.length() : Math.min(run.trace.length(), (int) (faults.get(next).began / 1_000_000));
                period = of(run, begin, faults.get(i), undone, limit);
                over = last || period.times.recovered() && undone / 1_000_000 <= limit;
            } while (!over);
            all.add(period);
            if (next < faults.size() && period.calm + WINDOW <= faults.get(next).began / 1_000_000) {
                begin = period.calm;
            }
        }
        return all;
    }

    /**
     * Returns the millisecond in which the last effect of the fault was over: everything was as before, and no further fault or loss
     * came. Returns {@code end} if the run did not recover.
     */
    int over(int end, List<Event> outages) {
        if (!times.recovered()) {
            return end;
        }
        int last =
            outages.stream().mapToInt(event -> (int) (event.elapsedNanos() / 1_000_000)).filter(at -> at <= end).max().orElse(fault);
        return IntStream.of(last, sends.to, deliveries.to + millis(times.catchUp()), fault + millis(times.to95())).max().orElse(end);
    }

    /** Returns a time in milliseconds; 0 for an unknown time. */
    private static int millis(double seconds) {
        return (int) (seconds * 1e3);
    }

    /** Returns when a client first reported a problem, from {@code fault} on and before millisecond {@code limit}; -1 if none did. */
    static long noticed(Activity.Trace trace, List<Event> outages, long fault, int limit) {
        long before = limit < trace.length() ? limit * 1_000_000L : Long.MAX_VALUE;
        long event = outages.stream().filter(one -> one.kind() == Event.Kind.INTERRUPTED && one.elapsedNanos() >= fault)
            .mapToLong(Event::elapsedNanos).filter(one -> one < before).min().orElse(-1);
        for (int i = (int) (fault / 1_000_000); i < limit; i++) {
            if (trace.failed(i) > 0) {
                long failed = Math.max(fault, i * 1_000_000L);
                return event < 0 ? failed : Math.min(event, failed);
            }
        }
        return event;
    }

    private static long sum(IntUnaryOperator counts, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += counts.applyAsInt(i);
        }
        return sum;
    }

    /**
     * Returns the median of the confirmations per second before a fault, the lower of two middle values, since a second that works off
     * a backlog says nothing; NaN if the median is 0 although something was confirmed.
     */
    private static double rateBefore(IntUnaryOperator confirmed, int from, int fault) {
        double rate = middleBefore(confirmed, from, fault);
        return rate > 0 ? rate : sum(confirmed, 0, fault) > 0 ? Double.NaN : 0;
    }

    private static double middleBefore(IntUnaryOperator confirmed, int from, int fault) {
        long[] seconds = IntStream.rangeClosed(1, (fault - from) / WINDOW)
            .mapToLong(back -> sum(confirmed, fault - back * WINDOW, fault - (back - 1) * WINDOW)).sorted().toArray();
        return seconds.length > 0 ? seconds[(seconds.length - 1) / 2]
            : sum(confirmed, from, fault) * 1e3 / (fault - from);
    }

    /** Returns the median of the longest waits of those of these seconds that have a delivery, in nanoseconds. */
    private static long waitBefore(Activity.Trace waits, int from, int fault) {
        long[] seconds = IntStream.rangeClosed(1, (fault - from) / WINDOW)
            .filter(back -> sum(waits::delivered, fault - back * WINDOW, fault - (back - 1) * WINDOW) > 0)
            .mapToLong(back -> longest(waits, fault - back * WINDOW, fault - (back - 1) * WINDOW)).sorted().toArray();
        return seconds.length > 0 ? seconds[(seconds.length - 1) / 2] : longest(waits, from, fault);
    }

    private static long longest(Activity.Trace waits, int from, int to) {
        long longest = 0;
        for (int i = from; i < to; i++) {
            longest = Math.max(longest, waits.longestWait(i));
        }
        return longest;
    }

    /**
     * A time without events.
     *
     * @param from last millisecond with an event before the gap
     * @param to first millisecond with an event after the gap; -1 if there was none
     */
    private record Gap(int from, int to) {

        private static final Gap NONE = new Gap(0, 0);

        /** Returns whether no event came after the gap. */
        private boolean isOpen() {
            return to < 0;
        }

        private double seconds() {
            return to < 0 ? NEVER : (to - from) / 1e3;
        }

        /** Returns the start in seconds; NaN for no gap. */
        private double begin() {
            return to == from ? Double.NaN : from / 1e3;
        }

        /** Returns the length of the longest gap in a span, or of the whole span if fewer than two messages came in it. */
        private static int usual(IntUnaryOperator counts, int from, int until) {
            int longest = longestPause(counts, from, until);
            return longest == 0 ? until - from : longest;
        }

        /** Returns the length up to which a gap may be a usual one, in milliseconds. */
        private static int pause(IntUnaryOperator counts, int from, int until) {
            return Math.max(SILENT, 2 * usual(counts, from, until));
        }

        /**
         * Returns the longest gap that ended after {@code after} and began before {@code settled}. A gap that lasts up to the limit
         * has no end if up to the end of the load it is much longer than any from {@code usualFrom} to {@code after}; after the end of
         * the load nothing need happen, nor in a silence of the load: a gap that is not much longer before it does not count. If the
         * load was cut, a gap that lasts up to the limit has no end however short it is.
         */
        private static Gap longest(IntUnaryOperator counts, int usualFrom, int after, int settled, int silence, int end, int limit,
                boolean cut) {
            int pause = pause(counts, usualFrom, after);
            int until = silence < end ? Math.min(settled, silence - pause) : settled;
            int before = 0;
            for (int i = 0; i < after; i++) {
                before = counts.applyAsInt(i) > 0 ? i : before;
            }
            Gap longest = NONE;
            for (int i = after; i < limit && before < until; i++) {
                if (counts.applyAsInt(i) > 0) {
                    if (i - before > longest.to - longest.from) {
                        longest = new Gap(before, i);
                    }
                    before = i;
                }
            }
            return before < until && (cut || end - before > pause) ? new Gap(before, -1) : longest;
        }
    }

    /**
     * Returns the time until a second makes 95 % of the rate. Only a second of the fault's own step of the load shows that the rate fell; it
     * may return in a later one, where fewer messages may be due.
     */
    private static double to95(IntUnaryOperator confirmed, DueRates due, int fault, int end, double rate) {
        int window = (int) Math.min(Integer.MAX_VALUE / 2, Math.max(WINDOW, Math.ceil(LEAST_MESSAGES * 1e3 / rate)));
        // It is 0 for an unknown rate.
        if (window == 0 || fault + window > end) {
            return Double.NaN;
        }
        int own = due.end(fault);
        double all = rate * window / 1e3;
        double enough = 0;
        long inWindow = sum(confirmed, fault, fault + window);
        boolean low = false;
        for (int i = fault; i + window <= end && (low || i < own); i++) {
            enough = BACK * (own - i >= window ? all : due.expected(fault, rate, i, i + window));
            if (inWindow < enough) {
                low = true;
            } else if (low && inWindow >= enough && confirmed.applyAsInt(i) > 0) {
                return (i - fault) / 1e3;
            }
            inWindow += confirmed.applyAsInt(i + window) - confirmed.applyAsInt(i);
        }
        // If the rate changes all the time at the end, nothing shows whether it would be back.
        return low ? Double.isNaN(enough) ? Double.NaN : NEVER : 0;
    }

    /**
     * Returns the time from the end of a gap to the last message of the backlog, which is followed by a second of usual waits. A message
     * that waits long beside others that do not is no backlog: it may have met a pause of the broker or of the machine.
     */
    private static double catchUp(Activity.Trace trace, int from, int fault, Gap gap, int limit) {
        if (gap.to < 0) {
            return NEVER;
        }
        long usual = 2 * waitBefore(trace, from, fault) + 1_000_000;
        int begin = Math.max(gap.to, fault);
        int quietSince = begin;
        int[] delivering = IntStream.range(begin, limit).filter(i -> trace.delivered(i) > 0).toArray();
        int[] late = new int[delivering.length + 1];
        for (int k = 0; k < delivering.length; k++) {
            late[k + 1] = late[k] + (trace.longestWait(delivering[k]) > usual ? 1 : 0);
        }
        // The first delivery since then. Without a delivery, the consumers with the backlog may not be back yet.
        int deliveredAt = limit;
        for (int k = 0; k < delivering.length && delivering[k] - deliveredAt < WINDOW; k++) {
            // What came before the first of them was the outage, so a backlog of one message is one.
            int near = late[Math.min(delivering.length, k + NEAR + 1)] - late[Math.max(0, k - NEAR)] + Math.max(0, NEAR - k);
            if (late[k + 1] > late[k] && near >= BACKLOG) {
                quietSince = delivering[k] + 1;
                deliveredAt = limit;
            } else if (deliveredAt == limit) {
                deliveredAt = delivering[k];
            }
        }
        // The next fault came before the backlog was worked off.
        return quietSince == limit && limit < trace.length() ? NEVER : (quietSince - begin) / 1e3;
    }
}
