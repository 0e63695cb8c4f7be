package io.brokermeter.engine.recording;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.scenario.Fault;
import org.jspecify.annotations.Nullable;

/**
 * How a run got over its first fault, and over those that followed. A fault belongs to the one before it unless that was undone and all was as
 * before; a stillness that begins more than a second after that is of neither. Times are in seconds and count from the moment at which the fault took effect, where that is known, else from
 * the moment at which a client noticed something; they are exact to the millisecond. A time that is not known is NaN, one that did not come
 * before the end of the run is infinite. Where nothing is known of what was usual before the fault, or the load ended too soon after it to
 * show whether that came back, nothing is {@linkplain #judged() judged}: what is measured against it is NaN.
 *
 * @param faultAt when the fault took effect, from the run's start; of one that ends a process, when clients first noticed it, where
 *     that came before the process was gone
 * @param faultKnown whether that moment is known, and not that at which it was noticed
 * @param detect until a client said that something is wrong: a broken connection or a failed send; NaN when none did
 * @param withoutSend the longest time between two confirmations that ended after the fault
 * @param withoutDelivery the longest time between two deliveries that ended after the fault
 * @param to95 until the confirmations of a second made 95 % of the rate before the fault again; 0 when they never made less, NaN when the
 *     load had no whole second after the fault and nothing stood still to its end
 * @param catchUp from the first delivery after the longest time without one until a second in which no message had waited longer than
 *     usual: twice the longest wait of a second before the fault, the middle one of these, and a millisecond; 0 when there was no
 *     backlog
 * @param longestWait the longest time from a message's intended time to its delivery, of messages that came after the fault
 * @param rateBefore confirmations in a second before the fault, the middle one of these; 0 when nothing at all was confirmed before it, NaN when
 *     nothing was in most of these seconds, or none of them was measured
 * @param attempts attempts to connect again by the run itself
 * @param restored connections that were restored, by the run or by a client
 * @param failed sends that failed: they never reached the broker, or it refused them
 * @param retried sends in flight when a client began to restore its connection that were confirmed all the same
 * @param lost messages that were confirmed, did not come, and are not in the broker
 * @param unaccounted messages that were confirmed and did not come, where the broker cannot say whether it has them
 * @param unknown sends of unknown fate
 * @param unknownDelivered those of them that were delivered
 * @param duplicatesFlagged deliveries of a message that was delivered before and marked as redelivered
 * @param duplicatesUnflagged those without the mark, {@code duplicatesResent} excepted
 * @param duplicatesResent those without the mark of messages that a client may have sent twice when it restored its connection
 * @param outOfOrder deliveries after a later message of the same producer
 * @param course what happened around the faults, the first and those that came later; null where nobody followed it
 * @param fault the number of that first fault among those of the run, from 1; 0 where it is not known
 * @param further faults after that was over; counts are of the whole run
 */
public record Scorecard(
        double faultAt, boolean faultKnown, double detect, double withoutSend, double withoutDelivery, double to95, double catchUp,
        double longestWait, double rateBefore, int attempts, long restored, long failed, long retried, long lost, long unaccounted,
        long unknown,
        long unknownDelivered, long duplicatesFlagged, long duplicatesUnflagged, long duplicatesResent, long outOfOrder,
        @Nullable FaultCourse course, int fault, List<Further> further) {

    /** What it is made of by name. */
    public static final class Values {

        public double faultAt;
        public boolean faultKnown;
        public double detect;
        public double withoutSend;
        public double withoutDelivery;
        public double to95;
        public double catchUp;
        public double longestWait;
        public double rateBefore;
        public int attempts;
        public long restored;
        public long failed;
        public long retried;
        public long lost;
        public long unaccounted;
        public long unknown;
        public long unknownDelivered;
        public long duplicatesFlagged;
        public long duplicatesUnflagged;
        public long duplicatesResent;
        public long outOfOrder;
        public @Nullable FaultCourse course;
        public int fault;
        public List<Further> further = List.of();

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static Scorecard of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Scorecard(its.faultAt, its.faultKnown, its.detect, its.withoutSend, its.withoutDelivery, its.to95, its.catchUp,
            its.longestWait, its.rateBefore, its.attempts, its.restored, its.failed, its.retried, its.lost, its.unaccounted, its.unknown,
            its.unknownDelivered, its.duplicatesFlagged, its.duplicatesUnflagged, its.duplicatesResent, its.outOfOrder, its.course,
            its.fault, its.further);
    }

    public Scorecard {
        further = List.copyOf(further);
    }

    /** The part of the rate before the fault that counts as being back. */
    private static final double BACK = 0.95;
    /** The least number of messages in a window, at the rate before the fault. */
    private static final int LEAST_MESSAGES = 20;
    private static final int WINDOW = 1000;
    /** A process that was killed is seen to be gone some milliseconds after its clients have seen their connections break. */
    private static final long SEEN_LATE = 1_000_000_000L;
    /** What is silent for less at the end of the load is not called gone. */
    private static final int SILENT = 100;
    private static final double NEVER = Double.POSITIVE_INFINITY;

    /** What became of messages, by the ledger and by the counts of the run. */
    public record Fates(
            long failed, long retried, long lost, long unaccounted, long unknown, long unknownDelivered, long duplicatesFlagged,
            long duplicatesUnflagged, long duplicatesResent, long outOfOrder) {

        /** What it is made of by name, none of each as long as it is not set. */
        public static final class Values {

            public long failed;
            public long retried;
            public long lost;
            public long unaccounted;
            public long unknown;
            public long unknownDelivered;
            public long duplicatesFlagged;
            public long duplicatesUnflagged;
            public long duplicatesResent;
            public long outOfOrder;

            private Values() {}
        }

        /** Of what {@code change} sets. */
        public static Fates of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return new Fates(its.failed, its.retried, its.lost, its.unaccounted, its.unknown, its.unknownDelivered, its.duplicatesFlagged,
                its.duplicatesUnflagged, its.duplicatesResent, its.outOfOrder);
        }

        /**
         * Those of a run.
         *
         * @param failed sends that failed
         * @param retried confirmed messages that were in flight when a client began to restore its connection
         * @param unconfirmed sends whose fate is unknown
         * @param resent duplicates that a client may have sent
         * @param ledger null for none
         */
        public static Fates of(long failed, long retried, long unconfirmed, long resent, @Nullable LedgerReport ledger) {
            return of(its -> {
                its.failed = failed;
                its.retried = retried;
                its.unknown = unconfirmed;
                its.duplicatesResent = resent;
                if (ledger != null) {
                    its.lost = ledger.lost();
                    its.unaccounted = ledger.left() + ledger.undelivered();
                    its.unknownDelivered = ledger.unconfirmedDelivered();
                    its.duplicatesFlagged = ledger.redeliveredDuplicates();
                    its.duplicatesUnflagged = ledger.duplicates() - ledger.redeliveredDuplicates() - resent;
                    its.outOfOrder = ledger.outOfOrder();
                }
            });
        }
    }

    /**
     * The times of a later fault, each as that of the first one.
     *
     * @param fault its number among those of the run, from 1; 0 where it is not known
     * @param faultAt when it took effect
     * @param sendsStopped the last confirmation before the longest time without one, from the run's start; NaN where there was none
     * @param deliveriesStopped the same of deliveries
     */
    public record Further(
            int fault, double faultAt, double detect, double withoutSend, double withoutDelivery, double to95, double catchUp,
            double longestWait,
            double rateBefore, double sendsStopped, double deliveriesStopped) {

        /** Whether sends and, where there are any, deliveries came back to what they were; false where that is not {@linkplain #judged() judged}. */
        public boolean recovered() {
            return judged() && areBack(withoutSend, withoutDelivery, to95, catchUp);
        }

        /** Whether there was a rate before the fault that could come back, and the load went on for long enough to show whether it did. */
        public boolean judged() {
            return isKnown(rateBefore, withoutSend);
        }
    }

    /**
     * When a fault took effect and when it was undone, nanoseconds from the run's start; the same where nothing undoes it.
     *
     * @param number its number among those of the run; 0 where it is not known
     */
    private record Effect(int number, long began, long undone) {}

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
            Fates fates) {
        List<Effect> faults = new ArrayList<>();
        for (Event event : outages) {
            if (event.what() instanceof Finding.FaultDone fault && fault.step() == Finding.FaultStep.BEGAN) {
                faults.add(new Effect(fault.number(), began(trace, outages, event.elapsedNanos(), fault), outages.stream()
                    .filter(other -> other.what() instanceof Finding.FaultDone end && end.number() == fault.number()
                        && end.step() == Finding.FaultStep.ENDED)
                    .mapToLong(Event::elapsedNanos).findFirst().orElse(event.elapsedNanos())));
            }
        }
        faults.sort(Comparator.comparingLong(Effect::began));
        return of(trace, from, to, faults, outages, receives, cut, fates);
    }

    /**
     * The same.
     *
     * @param fault when the only fault took effect, which nothing undid; negative when that is not known
     */
    static @Nullable Scorecard of(Activity.Trace trace, long from, long to, long fault, List<Event> outages, boolean receives,
            Fates fates) {
        return of(trace, from, to, fault < 0 ? List.of() : List.of(new Effect(0, fault, fault)), outages, receives, false, fates);
    }

    private static @Nullable Scorecard of(Activity.Trace trace, long from, long to, List<Effect> faults, List<Event> outages,
            boolean receives, boolean cut, Fates fates) {
        List<Effect> all = faults;
        if (faults.isEmpty()) {
            long noticed = noticed(trace, outages, 0, trace.length());
            if (noticed < 0) {
                return null;
            }
            all = List.of(new Effect(0, noticed, noticed));
        }
        List<Stretch> stretches = stretches(new Seen(trace, outages, receives, to, cut), from, all);
        Stretch first = stretches.getFirst();
        Further times = first.times();
        int fault = first.fault();
        int end = (int) Math.max(fault, to / 1_000_000);
        int over = stretches.stream().mapToInt(one -> over(one, end, outages)).max().orElse(end);
        return Scorecard.of(its -> {
            its.faultAt = times.faultAt;
            its.faultKnown = !faults.isEmpty();
            its.detect = times.detect;
            its.withoutSend = times.withoutSend;
            its.withoutDelivery = times.withoutDelivery;
            its.to95 = times.to95;
            its.catchUp = times.catchUp;
            its.longestWait = times.longestWait;
            its.rateBefore = times.rateBefore;
            its.attempts = (int) outages.stream().filter(event -> event.kind() == Event.Kind.ATTEMPT).count()
                + (int) outages.stream().filter(event -> event.what() instanceof Finding.ConnectionRestored).count();
            its.restored = outages.stream().filter(event -> event.kind() == Event.Kind.RESUMED).count();
            its.failed = fates.failed;
            its.retried = fates.retried;
            its.lost = fates.lost;
            its.unaccounted = fates.unaccounted;
            its.unknown = fates.unknown;
            its.unknownDelivered = fates.unknownDelivered;
            its.duplicatesFlagged = fates.duplicatesFlagged;
            its.duplicatesUnflagged = fates.duplicatesUnflagged;
            its.duplicatesResent = fates.duplicatesResent;
            its.outOfOrder = fates.outOfOrder;
            its.course = FaultCourse.of(trace, fault, over, times.rateBefore, times.sendsStopped, times.deliveriesStopped);
            its.fault = times.fault;
            its.further = stretches.stream().skip(1).map(Stretch::times).toList();
        });
    }

    /** What all stretches are made of: the run until the end of its load. */
    private record Seen(Activity.Trace trace, List<Event> outages, boolean receives, long to, boolean cut) {}

    /** A stretch of a run from a fault to the next one, or to the end. */
    private record Stretch(int fault, Further times, Gap sends, Gap deliveries, int settled) {

        /**
         * Scores one.
         *
         * @param from what counts as before the fault, in milliseconds
         * @param fault when it took effect
         * @param undone when all of it was undone
         * @param limit the millisecond with which the next one begins; the end of the trace when none does
         */
        private static Stretch of(Seen run, int from, Effect fault, long undone, int limit) {
            Activity.Trace trace = run.trace;
            int at = (int) (fault.began / 1_000_000);
            int before = Math.min(from, at);
            int loadEnd = (int) Math.max(at, run.to / 1_000_000);
            // Nothing may have been recorded in the last part of the load.
            int end = limit < trace.length() ? Math.min(limit, loadEnd) : loadEnd;
            double rate = rateBefore(trace::confirmed, before, at);
            boolean cut = run.cut && limit == trace.length();
            double back = to95(trace::confirmed, at, end, rate);
            if (cut && rate > 0 && !(back > 0)) {
                back = NEVER; // it ended before a second was over that could have had less
            }
            // What stands still long after everything was as before has another reason. Where the rate never fell it says nothing.
            int settled = back > 0 && back < NEVER
                ? Math.min(end, (int) Math.max(at + Math.round(back * 1e3), undone / 1_000_000) + WINDOW) : cut ? limit : end;
            // Nothing stood still and nothing came back where nothing is known to have gone on.
            boolean known = rate > 0;
            Gap sends = known ? Gap.longest(trace::confirmed, at, settled, end, limit, cut) : Gap.NONE;
            Gap deliveries = known && run.receives ? Gap.longest(trace::delivered, at, settled, end, limit, cut) : Gap.NONE;
            // A load that ends right behind the fault shows neither that the rate fell nor that it did not, unless what stood still never
            // came back; after one that ended before the fault took effect nothing was due any more.
            if (Double.isNaN(back) && known && run.to > fault.began && (sends.isOpen() || deliveries.isOpen())) {
                back = sends.isOpen() || sum(trace::confirmed, at, end) < BACK * rate * (end - at) / 1e3 ? NEVER : 0;
            }
            boolean judged = known && !Double.isNaN(back);
            boolean receives = run.receives && judged;
            long noticed = noticed(trace, run.outages, Math.max(0, fault.began - SEEN_LATE), limit);
            return new Stretch(at,
                new Further(fault.number, fault.began / 1e9, noticed < 0 ? Double.NaN : Math.max(0, noticed - fault.began) / 1e9,
                    judged ? sends.seconds() : Double.NaN, receives ? deliveries.seconds() : Double.NaN, back,
                    receives ? catchUp(trace, before, at, deliveries, limit) : Double.NaN,
                    run.receives ? longest(trace, at, limit) / 1e9 : Double.NaN, rate, judged ? sends.begin() : Double.NaN,
                    receives ? deliveries.begin() : Double.NaN),
                judged ? sends : Gap.NONE, receives ? deliveries : Gap.NONE, back > 0 ? settled : at);
        }
    }

    /**
     * When clients first felt a fault, where it ends a process: one that is told to end may close its connections long before it is gone,
     * and a killed one is seen to be gone later on a busy machine.
     */
    private static long began(Activity.Trace trace, List<Event> outages, long effective, Finding.FaultDone fault) {
        boolean ends = switch (fault.action()) {
            case KILL, STOP, RESTART -> true;
            default -> false;
        };
        if (!ends || Double.isNaN(fault.askedSeconds())) {
            return effective;
        }
        long asked = Math.max(0, Math.round(fault.askedSeconds() * 1e9));
        long noticed = noticed(trace, outages, asked, (int) Math.min(trace.length(), effective / 1_000_000));
        return noticed >= asked ? Math.min(noticed, effective)
            : fault.action() == Fault.Action.KILL ? Math.min(stopped(trace, asked, effective), effective) : effective;
    }

    /**
     * The end of the last millisecond in which a process that was killed still confirmed something, or delivered something where nothing is
     * sent, but not before it was to be killed. The system takes its memory away before it closes its connections, and it is gone only then.
     * Where the next one came as soon as they came in the second before, others go on, and nothing tells when its process stopped.
     */
    private static long stopped(Activity.Trace trace, long asked, long effective) {
        int from = (int) (asked / 1_000_000);
        boolean sends = IntStream.range(Math.max(0, from - WINDOW), Math.min(from, trace.length())).anyMatch(i -> trace.confirmed(i) > 0);
        int last = (int) Math.min(trace.length(), effective / 1_000_000) - 1;
        IntUnaryOperator counts = sends ? trace::confirmed : trace::delivered;
        while (last >= from && counts.applyAsInt(last) == 0) {
            last--;
        }
        int next = last + 1;
        while (next < trace.length() && counts.applyAsInt(next) == 0) {
            next++;
        }
        return next < trace.length() && next - last <= longestPause(counts, Math.max(0, from - WINDOW), from) ? effective
            : Math.max(asked, (last + 1) * 1_000_000L);
    }

    /** The longest time from one to the next in a span, in milliseconds; 0 where there are no two. */
    private static int longestPause(IntUnaryOperator counts, int from, int to) {
        int longest = 0;
        int before = -1;
        for (int i = from; i < to; i++) {
            if (counts.applyAsInt(i) > 0) {
                longest = before < 0 ? longest : Math.max(longest, i - before);
                before = i;
            }
        }
        return longest;
    }

    /** One for each fault; what comes before all is undone and as before belongs to the fault before it. */
    private static List<Stretch> stretches(Seen run, long from, List<Effect> faults) {
        List<Stretch> all = new ArrayList<>();
        int begin = (int) (from / 1_000_000);
        for (int i = 0, next; i < faults.size(); i = next) {
            Stretch stretch;
            long undone = 0;
            boolean over;
            next = i;
            do {
                undone = Math.max(undone, faults.get(next++).undone);
                boolean last = next == faults.size();
                int limit = last ? run.trace.length() : Math.min(run.trace.length(), (int) (faults.get(next).began / 1_000_000));
                stretch = Stretch.of(run, begin, faults.get(i), undone, limit);
                over = last || stretch.times.recovered() && undone / 1_000_000 <= limit && limit - stretch.fault >= WINDOW;
            } while (!over);
            all.add(stretch);
            if (next < faults.size() && stretch.settled + WINDOW <= faults.get(next).began / 1_000_000) {
                begin = stretch.settled;
            }
        }
        return all;
    }

    /** The millisecond in which the last of a fault was over: everything is as before, and no further fault or loss comes. */
    private static int over(Stretch of, int end, List<Event> outages) {
        if (!of.times.recovered()) {
            return end;
        }
        int last =
            outages.stream().mapToInt(event -> (int) (event.elapsedNanos() / 1_000_000)).filter(at -> at <= end).max().orElse(of.fault);
        Further times = of.times;
        return IntStream.of(last, of.sends.to, of.deliveries.to + millis(times.catchUp), of.fault + millis(times.to95)).max().orElse(end);
    }

    /** 0 for a time that is not known. */
    private static int millis(double seconds) {
        return (int) (seconds * 1e3);
    }

    /** Whether sends and, where there are any, deliveries came back to what they were after each fault; false where that is not {@linkplain #judged() judged}. */
    public boolean recovered() {
        return firstRecovered() && further.stream().allMatch(Further::recovered);
    }

    /**
     * Whether it is known if they did: there was a rate before each fault that could come back, and the load went on for long enough after
     * it to show whether it did; or the run did not get over one of which this is so.
     */
    public boolean judged() {
        return isKnown(rateBefore, withoutSend)
            && (!firstRecovered() || further.stream().allMatch(Further::judged) || further.stream().anyMatch(Scorecard::isUndone));
    }

    /** What is measured against the rate before a fault is not known where the load ended too soon after it. */
    private static boolean isKnown(double rateBefore, double withoutSend) {
        return rateBefore > 0 && !Double.isNaN(withoutSend);
    }

    private boolean firstRecovered() {
        return rateBefore > 0 && areBack(withoutSend, withoutDelivery, to95, catchUp);
    }

    private static boolean isUndone(Further later) {
        return later.judged() && !later.recovered();
    }

    private static boolean areBack(double withoutSend, double withoutDelivery, double to95, double catchUp) {
        return withoutSend < NEVER && to95 < NEVER && !(withoutDelivery == NEVER) && !(catchUp == NEVER);
    }

    /** When a client said first that something is wrong, before a millisecond; -1 when none did. */
    private static long noticed(Activity.Trace trace, List<Event> outages, long fault, int limit) {
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
     * The middle one of the seconds before a moment, the lower of two, since one that works off what another left behind says nothing; NaN where that
     * is none, though something was confirmed.
     */
    private static double rateBefore(IntUnaryOperator confirmed, int from, int fault) {
        double rate = middleBefore(confirmed, from, fault);
        return rate > 0 ? rate : sum(confirmed, 0, fault) > 0 ? Double.NaN : 0;
    }

    private static double middleBefore(IntUnaryOperator confirmed, int from, int fault) {
        long[] seconds = IntStream.rangeClosed(1, (fault - from) / WINDOW)
            .mapToLong(back -> sum(confirmed, fault - back * WINDOW, fault - (back - 1) * WINDOW)).sorted().toArray();
        return seconds.length > 0 ? seconds[(seconds.length - 1) / 2]
            : fault > from ? sum(confirmed, from, fault) * 1e3 / (fault - from) : Double.NaN;
    }

    /** The same of the longest waits of these seconds, in nanoseconds. */
    private static long waitBefore(Activity.Trace waits, int from, int fault) {
        long[] seconds = IntStream.rangeClosed(1, (fault - from) / WINDOW)
            .mapToLong(back -> longest(waits, fault - back * WINDOW, fault - (back - 1) * WINDOW)).sorted().toArray();
        return seconds.length > 0 ? seconds[(seconds.length - 1) / 2] : longest(waits, from, fault);
    }

    private static long longest(Activity.Trace waits, int from, int to) {
        long longest = 0;
        for (int i = Math.max(0, from); i < Math.min(to, waits.length()); i++) {
            longest = Math.max(longest, waits.longestWait(i));
        }
        return longest;
    }

    /**
     * A time without anything.
     *
     * @param from the last millisecond before it in which something happened
     * @param to the first after it; -1 when nothing happened any more
     */
    private record Gap(int from, int to) {

        private static final Gap NONE = new Gap(0, 0);

        /** Whether nothing happened any more. */
        private boolean isOpen() {
            return to < 0;
        }

        private double seconds() {
            return to < 0 ? NEVER : (to - from) / 1e3;
        }

        /** In seconds; NaN for none. */
        private double begin() {
            return to == from ? Double.NaN : from / 1e3;
        }

        /** The longest before a moment. */
        private static int usual(IntUnaryOperator counts, int until) {
            int longest = 0;
            int before = -1;
            for (int i = 0; i < until; i++) {
                if (counts.applyAsInt(i) > 0) {
                    longest = before < 0 ? 0 : Math.max(longest, i - before);
                    before = i;
                }
            }
            return longest;
        }

        /**
         * The longest that ended after a moment and began before {@code settled}. One that goes on at the limit, and is much longer than any before
         * the moment, did not end, unless it began after the end of the load, after which nothing need happen. However short it is, it did not end
         * where the load was cut.
         */
        private static Gap longest(IntUnaryOperator counts, int after, int settled, int end, int limit, boolean cut) {
            int last = after - 1;
            while (last >= 0 && counts.applyAsInt(last) == 0) {
                last--;
            }
            Gap longest = NONE;
            int before = Math.max(0, last);
            for (int i = Math.max(0, after); i < limit && before < settled; i++) {
                if (counts.applyAsInt(i) > 0) {
                    if (i - before > longest.to - longest.from) {
                        longest = new Gap(before, i);
                    }
                    before = i;
                }
            }
            return before < settled && (cut || end - before > Math.max(SILENT, 2 * usual(counts, after))) ? new Gap(before, -1) : longest;
        }
    }

    private static double to95(IntUnaryOperator confirmed, int fault, int end, double rate) {
        int window = rate > 0 ? (int) Math.min(Integer.MAX_VALUE / 2, Math.max(WINDOW, Math.ceil(LEAST_MESSAGES * 1e3 / rate))) : 0;
        if (window == 0 || fault + window > end) {
            return Double.NaN;
        }
        double enough = rate * window / 1e3 * BACK;
        long inWindow = sum(confirmed, fault, fault + window);
        boolean low = false;
        for (int i = fault; i + window <= end; i++) {
            if (inWindow < enough) {
                low = true;
            } else if (low && confirmed.applyAsInt(i) > 0) {
                return (i - fault) / 1e3;
            }
            inWindow += confirmed.applyAsInt(i + window) - confirmed.applyAsInt(i);
        }
        return low ? NEVER : 0;
    }

    private static double catchUp(Activity.Trace trace, int from, int fault, Gap gap, int limit) {
        if (gap.to < 0) {
            return NEVER;
        }
        long usual = 2 * waitBefore(trace, from, fault) + 1_000_000;
        int begin = Math.max(gap.to, fault);
        int quietSince = begin;
        for (int i = begin; i < limit && i - quietSince < WINDOW; i++) {
            if (trace.longestWait(i) > usual) {
                quietSince = i + 1;
            }
        }
        // The next fault came into its backlog.
        return quietSince == limit && limit < trace.length() ? NEVER : (quietSince - begin) / 1e3;
    }
}
