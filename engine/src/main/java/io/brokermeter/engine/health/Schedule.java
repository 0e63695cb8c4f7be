package io.brokermeter.engine.health;

import java.util.List;

/**
 * A measure of how well the requested rate was kept over the whole run, warm-up included. A message may be sent up to half a second
 * after it is due; a message that was not sent half a second after the end of the schedule was not sent in time. If the number of
 * messages is fixed and all of them are sent, however late, the share that was sent in time is the length of the schedule divided by
 * the time that sending took.
 *
 * @param due number of messages that the schedule had until its end, or until the run was ended; 0 without a schedule
 * @param late number of these messages that were not sent in time
 * @param askedPerSecond mean rate that was requested, NaN without a schedule
 * @param reachedPerSecond mean send rate of the producers that had a schedule, up to the end of their sending and thus with the half
 *     second in which late messages may be sent; NaN without a schedule, or if they sent without one for a part of the time
 */
public record Schedule(long due, long late, double askedPerSecond, double reachedPerSecond) {

    /** The schedule of a run in which nothing was due at any time. */
    public static final Schedule NONE = new Schedule(0, 0, Double.NaN, Double.NaN);

    /** The smallest share of messages sent in time for which a rate counts as kept. */
    public static final double KEPT = 0.999;
    /** The share of messages sent in time below which a run is not the one that was requested, and fails. */
    public static final double FAILED = 0.5;

    /** Returns the schedule of several processes that send at the same time, each up to an end of its own. */
    public static Schedule sum(List<Schedule> parts) {
        List<Schedule> some = parts.stream().filter(part -> part.due > 0).toList();
        return some.isEmpty() ? NONE : new Schedule(some.stream().mapToLong(Schedule::due).sum(),
            some.stream().mapToLong(Schedule::late).sum(), some.stream().mapToDouble(Schedule::askedPerSecond).sum(),
            some.stream().mapToDouble(Schedule::reachedPerSecond).sum());
    }

    /** Returns this schedule with another rate that was reached. */
    public Schedule reaching(double perSecond) {
        return due == 0 ? this : new Schedule(due, late, askedPerSecond, perSecond);
    }

    /** Returns the share of messages that were sent in time, from 0 to 1; 1 without a schedule. */
    public double ratio() {
        return due == 0 ? 1 : (double) (due - late) / due;
    }

    /** Returns whether the requested rate was kept; true without a schedule. */
    public boolean kept() {
        return ratio() >= KEPT;
    }

    /** Returns whether the rate was missed so far that the run counts as failed: less than half of the messages were sent in time. */
    public boolean failed() {
        return ratio() < FAILED;
    }
}
