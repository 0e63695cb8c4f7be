package io.brokermeter.engine.run.judge;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.scenario.measure.Count;
import org.jspecify.annotations.Nullable;

/**
 * What a run had sent, confirmed and received at equally spaced moments since its start. The backlog of several processes is the sum of
 * theirs, since their runs start at one moment.
 *
 * @param every distance of the moments in seconds, a power of two: the number of moments is bounded
 * @param points counts at the moments, the first at the start of the run
 * @param total counts at the end of the run
 */
public record Backlog(int every, List<Point> points, Point total) {

    /** The backlog of a run that had none, or did not follow it. */
    public static final Backlog NONE = new Backlog(1, List.of(), Point.ZERO);

    /** The largest number of moments that are kept. */
    static final int MOST = 1024;
    /** The largest number of moments whose pairs are compared, which costs the square of it. */
    private static final int COMPARED = 128;
    /** The shortest series that is judged, in moments after the first, and in seconds. */
    private static final int LEAST = 8;
    /** The share of pairs that rise, less that of pairs that fall, above which a series rises all the time: Kendall's tau. */
    private static final double RISING = 0.7;
    /** The smallest rise, as a share of what was sent. */
    private static final double WORTH_A_WORD = 0.005;

    /**
     * Counts since the start of the run.
     *
     * @param sent sends that returned
     * @param open sends that returned and whose fate was not known yet
     * @param confirmed sends that were confirmed
     * @param received deliveries, without those that were given back
     */
    public record Point(double sent, double open, double confirmed, double received) {

        public static final Point ZERO = new Point(0, 0, 0, 0);

        static Point of(Counts counts) {
            long sent = counts.get(Count.SENT);
            long completed = counts.get(Count.COMPLETED);
            return new Point(sent, sent - completed - counts.get(Count.FAILED) - counts.get(Count.ROLLED_BACK), completed,
                counts.get(Count.RECEIVED) - counts.get(Count.REQUEUED));
        }

        Point plus(Point other) {
            return new Point(sent + other.sent, open + other.open, confirmed + other.confirmed, received + other.received);
        }

        /** Returns the counts at a part of the way to another moment. */
        Point towards(Point other, double part) {
            return new Point(between(sent, other.sent, part), between(open, other.open, part), between(confirmed, other.confirmed, part),
                between(received, other.received, part));
        }

        private static double between(double from, double to, double part) {
            return from + (to - from) * part;
        }
    }

    /**
     * A backlog that grew as long as messages were sent.
     *
     * @param sentPerSecond rate of what was sent
     * @param grownPerSecond rate at which the backlog grew
     */
    record Growth(double sentPerSecond, double grownPerSecond) {}

    /** Notes the counts of a run from time to time. Used by one thread. */
    public static final class Series {

        private final List<Point> points = new ArrayList<>(List.of(Point.ZERO));
        private int every = 1;
        private long lastNanos;
        private Point last = Point.ZERO;

        /**
         * Adds the counts at a moment; those of whole seconds before it lie on the line from the counts before.
         *
         * @param nanos time since the start of the run
         */
        public void add(long nanos, Counts counts) {
            Point now = Point.of(counts);
            for (long due; nanos > lastNanos && (due = points.size() * every * 1_000_000_000L) <= nanos;) {
                points.add(last.towards(now, (double) Math.max(0, due - lastNanos) / (nanos - lastNanos)));
                if (points.size() > MOST) {
                    List<Point> thinned = thinned(points, 2);
                    points.clear();
                    points.addAll(thinned);
                    every *= 2;
                }
            }
            lastNanos = Math.max(lastNanos, nanos);
            last = now;
        }

        /** @param end counts at the end of the run */
        public Backlog made(Counts end) {
            return new Backlog(every, List.copyOf(points), Point.of(end));
        }
    }

    private static List<Point> thinned(List<Point> all, int by) {
        List<Point> some = new ArrayList<>();
        for (int i = 0; i < all.size(); i += by) {
            some.add(all.get(i));
        }
        return some;
    }

    /** Returns the sum of the backlogs of several processes. */
    static Backlog sum(Collection<Backlog> parts) {
        int every = parts.stream().mapToInt(Backlog::every).max().orElse(1);
        List<List<Point>> all = parts.stream().map(part -> thinned(part.points, every / part.every)).filter(one -> !one.isEmpty()).toList();
        List<Point> sums = new ArrayList<>();
        int longest = all.stream().mapToInt(List::size).max().orElse(0);
        for (int i = 0; i < longest; i++) {
            int at = i;
            // The counts of a process that has ended stay what they were.
            sums.add(all.stream().map(one -> one.get(Math.min(at, one.size() - 1))).reduce(Point.ZERO, Point::plus));
        }
        return new Backlog(every, sums, parts.stream().map(Backlog::total).reduce(Point.ZERO, Point::plus));
    }

    /** Returns the mean rate of the deliveries from the start of the run to the end of the drain; NaN if unknown. */
    double receivedPerSecond() {
        return points.size() < 2 ? Double.NaN : total.received / (points.size() - 1) / every;
    }

    /**
     * Returns by how much the sends grew that wait for their confirmation; null if they did not.
     *
     * @param warmup seconds that are left out
     * @param held number of sends that are not confirmed before others follow, those of open transactions
     */
    @Nullable Growth unconfirmed(double warmup, long held) {
        List<Point> part = part(warmup);
        return part.isEmpty() || part.getLast().open - part.getFirst().open <= held ? null : growth(part, Point::open);
    }

    /**
     * Returns by how much the deliveries grew that are due; null if they did not.
     *
     * @param warmup seconds that are left out
     * @param perSend number of deliveries for each confirmed send that came at last or wait in the broker, without those that were lost
     * @param waiting number of deliveries that never came and wait in the broker
     */
    @Nullable Growth undelivered(double warmup, double perSend, long waiting) {
        List<Point> part = part(warmup);
        if (part.isEmpty()) {
            return null;
        }
        ToDoubleFunction<Point> backlog = point -> point.confirmed * perSend - point.received;
        Growth growth = growth(part, backlog);
        // A backlog is what came when nothing was sent any more, or waits; not what was lost.
        double late = backlog.applyAsDouble(part.getLast()) - backlog.applyAsDouble(total) + waiting;
        return growth == null || late < WORTH_A_WORD * perSend * sent(part) ? null : growth;
    }

    /** Returns the moments from the end of the warm-up to the last one at which messages were still being sent; empty for too few. */
    private List<Point> part(double warmup) {
        int from = (int) Math.ceil(warmup / every);
        int to = points.size() - 1;
        while (to > 0 && points.get(to).sent <= points.get(to - 1).sent) {
            to--;
        }
        // Sending may have ended within the last step.
        to--;
        if (to - from < LEAST || (to - from) * every < LEAST) {
            return List.of();
        }
        return points.subList(from, to + 1);
    }

    private static double sent(List<Point> part) {
        return part.getLast().sent - part.getFirst().sent;
    }

    /** Returns the growth of a series; null if it does not rise in nearly all pairs of moments, by an amount that cannot be chance. */
    private @Nullable Growth growth(List<Point> part, ToDoubleFunction<Point> of) {
        double[] values = thinned(part, (part.size() + COMPARED - 1) / COMPARED).stream().mapToDouble(of).toArray();
        double sent = sent(part);
        double rise = of.applyAsDouble(part.getLast()) - of.applyAsDouble(part.getFirst());
        if (rise <= WORTH_A_WORD * sent || tau(values) <= RISING || !isSure(values)) {
            return null;
        }
        double seconds = (double) (part.size() - 1) * every;
        return new Growth(sent / seconds, rise / seconds);
    }

    /** Returns Kendall's rank correlation of a series with time: 1 if it rises in each pair of moments, -1 if it falls in each. */
    static double tau(double[] values) {
        long sum = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                sum += Double.compare(values[j], values[i]);
            }
        }
        return 2.0 * sum / values.length / (values.length - 1);
    }

    /**
     * Returns whether the mean step of a series is above 0 by two of its standard errors, by more where there are few. A queue in front of a
     * broker that is nearly busy goes up and down by chance, and a short part of that may only go up.
     */
    private static boolean isSure(double[] values) {
        int steps = values.length - 1;
        double mean = (values[steps] - values[0]) / steps;
        double squares = 0;
        for (int i = 0; i < steps; i++) {
            double off = values[i + 1] - values[i] - mean;
            squares += off * off;
        }
        return mean > (2 + 4.0 / steps) * Math.sqrt(squares / (steps - 1) / steps);
    }
}
