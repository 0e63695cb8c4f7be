package io.brokermeter.engine.health;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.HdrHistogram.Histogram;

/**
 * The stalls of the generator's own threads in the measured part of a run, whatever made them: the machine, a limit, a collection. From
 * them follows a floor for each percentile of a time: the value that the stalls alone would have made of it, with a broker that takes no
 * time at all.
 *
 * @param messages number of messages that the process sent, or received if that is more
 * @param levels what stalls longer than a time did, for times that grow; empty if no stall was as long as the first of them
 */
public record OwnStalls(long messages, List<Level> levels) {

    /** The stalls of a process of which nothing is known, or that had none. */
    public static final OwnStalls NONE = new OwnStalls(0, List.of());

    /** The shortest stall that counts, in milliseconds. A nap may take so much longer although a thread with something to do would not. */
    private static final double LEAST_MILLIS = 0.25;
    private static final double STEP = Math.pow(2, 0.25);
    /** The part of a value, and of its distance from the median, that stalls must explain for the value to be marked. */
    private static final double MARKS_VALUE = 0.25;
    private static final double MARKS_TAIL = 0.5;

    /**
     * The stalls longer than a time.
     *
     * @param aboveMillis that time
     * @param lost the time by which the stalls exceeded it, as a share of the measured time: a message that became due at any moment waited
     *     longer than {@code aboveMillis} with this probability
     * @param perSecond number of these stalls per second
     * @param woken share of the messages for whose due time a sending thread woke later than this; 0 without a schedule
     */
    public record Level(double aboveMillis, double lost, double perSecond, double woken) {}

    public OwnStalls {
        levels = List.copyOf(levels);
    }

    /**
     * Derives the levels.
     *
     * @param stops by how much each nap of the watching thread was too long, in nanoseconds
     * @param lateness how late sending threads woke for messages, in nanoseconds
     * @param seconds length of the measured part
     */
    public static OwnStalls of(Histogram stops, Histogram lateness, long messages, double seconds) {
        double most = Math.max(longest(stops), longest(lateness));
        List<Level> levels = new ArrayList<>();
        for (double above = LEAST_MILLIS; above < most; above *= STEP) {
            double lost = 0;
            long count = 0;
            for (var step : stops.recordedValues()) {
                double millis = step.getValueIteratedTo() / 1e6;
                if (millis > above) {
                    lost += (millis - above) * step.getCountAtValueIteratedTo();
                    count += step.getCountAtValueIteratedTo();
                }
            }
            long nanos = Math.round(above * 1e6);
            long late = lateness.getTotalCount() - lateness.getCountBetweenValues(0, nanos);
            levels.add(new Level(above, lost / 1e3 / seconds, count / seconds, messages == 0 ? 0 : (double) late / messages));
        }
        return new OwnStalls(messages, levels);
    }

    private static double longest(Histogram stalls) {
        return stalls.getTotalCount() == 0 ? 0 : stalls.getMaxValue() / 1e6;
    }

    /**
     * Returns the stalls of several processes: a message meets those of the process that sends it and of the one that receives it.
     *
     * @param all number of messages of the run
     */
    static OwnStalls sum(Collection<OwnStalls> parts, long all) {
        List<Level> levels = new ArrayList<>();
        int count = parts.stream().mapToInt(part -> part.levels.size()).max().orElse(0);
        double messages = Math.max(1, all);
        double above = LEAST_MILLIS;
        for (int i = 0; i < count; i++, above *= STEP) {
            double lost = 0;
            double perSecond = 0;
            double woken = 0;
            for (OwnStalls part : parts) {
                if (i < part.levels.size()) {
                    Level level = part.levels.get(i);
                    double share = Math.min(1, part.messages / messages);
                    lost += level.lost * share;
                    perSecond += level.perSecond * share;
                    woken += level.woken * share;
                }
            }
            levels.add(new Level(above, lost, perSecond, woken));
        }
        return new OwnStalls(all, levels);
    }

    /**
     * Returns the floor of a percentile, in milliseconds: the largest time that the stalls alone made as many messages wait as are beyond
     * the percentile; 0 if they made too few wait.
     *
     * @param percentile percentile from 0 to 100, where 100 is the largest time
     * @param sinceDue whether the times begin when messages are due, so that a message that becomes due in a stall waits for its end;
     *     otherwise they begin when a message is sent, and a stall delays only those that are in flight
     */
    public double floorMillis(Histogram times, double percentile, boolean sinceDue) {
        long count = times.getTotalCount();
        if (count == 0) {
            return 0;
        }
        double beyond = Math.max(1 - percentile / 100, 1.0 / count);
        double inFlightSeconds = times.getValueAtPercentile(50) / 1e9;
        double before = 0;
        for (int i = levels.size() - 1; i >= 0; i--) {
            double share = share(levels.get(i), sinceDue, inFlightSeconds);
            if (share >= beyond) {
                double at = levels.get(i).aboveMillis;
                // Between this time and the next one the share falls evenly.
                return at + (STEP - 1) * at * Math.min(1, (share - beyond) / Math.max(1e-12, share - before));
            }
            before = share;
        }
        return 0;
    }

    private static double share(Level level, boolean sinceDue, double inFlightSeconds) {
        double inFlight = level.perSecond * inFlightSeconds;
        return Math.min(1, sinceDue ? Math.max(level.lost + inFlight, level.woken) : inFlight);
    }

    /**
     * Returns the share of messages that the stalls alone made wait longer than a time.
     *
     * @param sinceDue as in {@link #floorMillis}
     */
    public double shareBeyond(double millis, Histogram times, boolean sinceDue) {
        if (levels.isEmpty() || times.getTotalCount() == 0) {
            return 0;
        }
        double inFlightSeconds = times.getValueAtPercentile(50) / 1e9;
        Level below = levels.getFirst();
        for (Level level : levels) {
            if (level.aboveMillis > millis) {
                break;
            }
            below = level;
        }
        return below == levels.getLast() && millis > below.aboveMillis * STEP ? 0 : share(below, sinceDue, inFlightSeconds);
    }

    /**
     * Returns whether a floor explains a value, so that it may be the generator's and not the broker's: it is a fourth of the value, and half
     * of what the value is more than the median. For the median itself and less it is half of the value.
     */
    public static boolean explains(double floor, double value, double median) {
        return floor > 0 && floor >= MARKS_VALUE * value && floor >= MARKS_TAIL * (value > median ? value - median : value);
    }
}
