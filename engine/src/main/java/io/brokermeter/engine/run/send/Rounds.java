package io.brokermeter.engine.run.send;

import java.util.Arrays;
import java.util.stream.IntStream;

import io.brokermeter.engine.pacing.FireTimes;

/**
 * The turns of producers in a schedule, and the due events that each of them has not sent. The events of a group go round its producers: event
 * {@code g} belongs to the producer with the stripe {@code g mod P}, where {@code P} is the number of producers of the group. A sending
 * thread owns some of the producers and goes through their events in order. An event whose turn has come is in the backlog until it is
 * {@link #sent}; a producer sends its oldest event first.
 *
 * <p>Used by the sending thread only. Another thread may read the counts, as {@link #sent()}, when the sending thread has ended.
 */
final class Rounds {

    private final int[] stripeOf;
    private final int stripes;
    private final long quota;
    /** The number of events that each producer has sent. */
    private final long[] sent;
    /** The round that is becoming due, and the producer whose turn is next in that round. */
    private long round;
    private int cursor;
    private long backlog;
    /** The producers that were marked as behind, each once, in no order; some may have caught up since. */
    private final int[] behind;
    private final boolean[] isMarked;
    private int behindCount;
    /** The index in {@link #behind} at which the search for the next producer begins. */
    private int turn;

    /**
     * Creates a schedule before its first event.
     *
     * @param stripeOf stripe of each producer of this thread, in ascending order
     * @param stripes number of producers of the whole group
     * @param quota number of events of the whole group; 0 for no limit
     */
    Rounds(int[] stripeOf, int stripes, long quota) {
        this.quota = quota;
        this.stripeOf = stripeOf;
        this.stripes = stripes;
        this.sent = new long[stripeOf.length];
        this.behind = new int[stripeOf.length];
        this.isMarked = new boolean[stripeOf.length];
    }

    /** Returns the event whose turn is next, by its number in the group. */
    long event() {
        return stripeOf[cursor] + round * stripes;
    }

    /** Returns the producer whose turn is next. */
    int producer() {
        return cursor;
    }

    /** Ends the turn of {@link #event}, which is in the backlog from now on. */
    void advance() {
        backlog++;
        if (++cursor == stripeOf.length) {
            cursor = 0;
            round++;
        }
    }

    /** Returns the number of due events that were not sent, over all producers. */
    long backlog() {
        return backlog;
    }

    boolean isBehind(int producer) {
        return sent[producer] < (producer < cursor ? round + 1 : round);
    }

    /** Returns the oldest event of a producer that was not sent, by its number in the group. */
    long oldest(int producer) {
        return stripeOf[producer] + sent[producer] * stripes;
    }

    /** Notes that a producer has sent its oldest event. */
    void sent(int producer) {
        sent[producer]++;
        backlog--;
    }

    /** Records that a producer could not send its due event. */
    void markBehind(int producer) {
        if (!isMarked[producer]) {
            isMarked[producer] = true;
            behind[behindCount++] = producer;
        }
    }

    /** Returns the number of producers that were marked as behind; some of them may have caught up since. */
    int behindCount() {
        return behindCount;
    }

    /** Returns one of the producers that were marked as behind. */
    int behind(int index) {
        return behind[index];
    }

    /** Returns the next producer that is behind, in rotation, so that none waits for those before it; -1 when none is. */
    int nextBehind() {
        while (behindCount > 0) {
            if (turn >= behindCount) {
                turn = 0;
            }
            int producer = behind[turn];
            if (isBehind(producer)) {
                turn++;
                return producer;
            }
            isMarked[producer] = false;
            behind[turn] = behind[--behindCount];
        }
        return -1;
    }

    /** Returns the number of events that all producers of this thread have sent. */
    long sent() {
        return Arrays.stream(sent).sum();
    }

    long quota() {
        return quota;
    }

    /** Returns the number of events that a producer may send under the quota. */
    long quotaOf(int producer) {
        return quota == 0 ? Long.MAX_VALUE : partOf(producer, quota);
    }

    /** Returns whether there is a quota, and each producer of this thread has sent its part of it. */
    boolean isQuotaSent() {
        return quota > 0 && IntStream.range(0, sent.length).allMatch(i -> sent[i] >= quotaOf(i));
    }

    /** Returns the number of producers of this thread that have a part of the quota. */
    long producersWithQuota() {
        return IntStream.range(0, sent.length).filter(i -> quotaOf(i) > 0).count();
    }

    /** Returns the due time of the last event that was sent, in nanoseconds after the start of the schedule; 0 when none was sent. */
    long lastSent(FireTimes times) {
        long last = IntStream.range(0, sent.length).filter(i -> sent[i] > 0).mapToLong(i -> oldest(i) - stripes).max().orElse(-1);
        return last < 0 ? 0 : times.at(last);
    }

    /**
     * Returns the number of events of this thread that are due. Times are nanoseconds after the start of the schedule.
     *
     * @param until time up to which events are due, inclusive
     * @param end end of the schedule; an event at this time is no longer part of it
     */
    long dueUntil(FireTimes times, long until, long end) {
        long due = dueOfAll(times, until, end);
        return IntStream.range(0, sent.length).mapToLong(i -> partOf(i, due)).sum();
    }

    /**
     * Returns the number of the events that are due and were not sent. Each producer counts by itself: one that is ahead does not make up
     * for another.
     */
    long unsentUntil(FireTimes times, long until, long end) {
        long due = dueOfAll(times, until, end);
        return IntStream.range(0, sent.length).mapToLong(i -> Math.max(0, partOf(i, due) - sent[i])).sum();
    }

    /** Returns how many of the first {@code events} events of the group belong to a producer. */
    private long partOf(int producer, long events) {
        int stripe = stripeOf[producer];
        return events / stripes + (stripe < events % stripes ? 1 : 0);
    }

    /** Returns the number of events of the whole group that are due. */
    private long dueOfAll(FireTimes times, long until, long end) {
        // Doubling and halving the step finds the first event that is not due without visiting all events.
        long count = 0;
        long step = 1;
        while (isDue(count + step - 1, times, until, end)) {
            count += step;
            step *= 2;
        }
        for (; step > 0; step /= 2) {
            if (isDue(count + step - 1, times, until, end)) {
                count += step;
            }
        }
        return count;
    }

    private boolean isDue(long event, FireTimes times, long until, long end) {
        long moment = quota == 0 || event < quota ? times.at(event) : FireTimes.NEVER;
        return moment != FireTimes.NEVER && moment <= until && moment < end;
    }
}
