package io.brokermeter.engine.health;

import java.util.List;

/**
 * How well the asked rate was kept over the whole run, its warm-up included. A message has half a second from the moment at which it
 * is due; one that was not sent by the end of the schedule and half a second more was not sent in time. Where all messages
 * of a count go out, however late, the part that was sent in time is the length of the schedule over the time that it took.
 *
 * @param due messages that the schedule had until its end, or until the run was ended; 0 without a schedule
 * @param late those of them that were not sent in time
 * @param askedPerSecond the mean rate that was asked for, NaN without a schedule
 * @param reachedPerSecond the mean rate of the sends of those who had a schedule, up to the end of their sending and so with the half second
 *     in which late ones may go out; NaN without a schedule, and where they sent a part of the time without one
 */
public record Schedule(long due, long late, double askedPerSecond, double reachedPerSecond) {

    /** Nothing was due at any time. */
    public static final Schedule NONE = new Schedule(0, 0, Double.NaN, Double.NaN);

    /** The least part that is sent in time of a rate that counts as kept. */
    public static final double KEPT = 0.999;
    /** A run that did less than this was not the run that was asked for, and fails. */
    private static final double FAILED = 0.5;

    /** Of several processes that send at the same time, each up to an end of its own. */
    public static Schedule sum(List<Schedule> parts) {
        List<Schedule> some = parts.stream().filter(part -> part.due > 0).toList();
        return some.isEmpty() ? NONE : new Schedule(some.stream().mapToLong(Schedule::due).sum(),
            some.stream().mapToLong(Schedule::late).sum(), some.stream().mapToDouble(Schedule::askedPerSecond).sum(),
            some.stream().mapToDouble(Schedule::reachedPerSecond).sum());
    }

    /** The same with another rate that was reached. */
    public Schedule reaching(double perSecond) {
        return due == 0 ? this : new Schedule(due, late, askedPerSecond, perSecond);
    }

    /** The part that was sent in time, 0 to 1; 1 without a schedule. */
    public double ratio() {
        return due == 0 ? 1 : (double) (due - late) / due;
    }

    /** Whether the asked rate was kept; true without a schedule. */
    public boolean kept() {
        return ratio() >= KEPT;
    }

    /** Whether it was missed so far that the run counts as failed: less than half of what was due was sent in time. */
    public boolean failed() {
        return ratio() < FAILED;
    }
}
