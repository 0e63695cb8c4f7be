package io.brokermeter.engine.run;

import java.util.Arrays;
import java.util.stream.IntStream;

import io.brokermeter.engine.pacing.FireTimes;

/**
 * Whose turn it is in a schedule, and who is behind. The events of a group go round its producers: event {@code g} belongs to the producer
 * with the stripe {@code g mod P}. A sending thread owns some of them and walks through their events in order. An event that has had its turn is
 * owed until it is {@link #paid}; a producer pays its oldest event first.
 *
 * <p>Sending thread only; another may read {@link #sent} when that has ended.
 */
final class Rounds {

    private final int[] stripeOf;
    private final int stripes;
    private final long quota;
    /** By producer: how many of its events were paid. */
    private final long[] paid;
    /** The round that is becoming due, and the producer whose turn is next in it. */
    private long round;
    private int cursor;
    private long owed;
    /** The producers that were put back, each once, in no order; some may have paid since. */
    private final int[] debtors;
    private final boolean[] isDebtor;
    private int debtorCount;
    /** Where among the debtors the next payment is looked for. */
    private int turn;

    /**
     * A schedule before its first event.
     *
     * @param stripeOf the stripe of each producer of this thread, growing
     * @param stripes number of producers of the whole group
     * @param quota events of the whole group, 0 for no limit
     */
    Rounds(int[] stripeOf, int stripes, long quota) {
        this.quota = quota;
        this.stripeOf = stripeOf;
        this.stripes = stripes;
        this.paid = new long[stripeOf.length];
        this.debtors = new int[stripeOf.length];
        this.isDebtor = new boolean[stripeOf.length];
    }

    /** The event whose turn is next, by its number in the group. */
    long event() {
        return stripeOf[cursor] + round * stripes;
    }

    /** The producer whose turn is next. */
    int producer() {
        return cursor;
    }

    /** Ends the turn of {@link #event}: it is owed now. */
    void advance() {
        owed++;
        if (++cursor == stripeOf.length) {
            cursor = 0;
            round++;
        }
    }

    /** Events that are owed, over all producers. */
    long owed() {
        return owed;
    }

    boolean isOwing(int producer) {
        return paid[producer] < (producer < cursor ? round + 1 : round);
    }

    /** The oldest event of a producer that was not paid. */
    long oldest(int producer) {
        return stripeOf[producer] + paid[producer] * stripes;
    }

    /** A producer has sent its oldest event. */
    void paid(int producer) {
        paid[producer]++;
        owed--;
    }

    /** Notes a producer that could not pay in its turn. */
    void putBack(int producer) {
        if (!isDebtor[producer]) {
            isDebtor[producer] = true;
            debtors[debtorCount++] = producer;
        }
    }

    /** How many producers were put back; some may have paid since. */
    int debtorCount() {
        return debtorCount;
    }

    /** One of those that were put back. */
    int debtor(int index) {
        return debtors[index];
    }

    /** The next producer that owes an event, one after the other, so that none waits for those before it; -1 when none owes. */
    int nextDebtor() {
        while (debtorCount > 0) {
            if (turn >= debtorCount) {
                turn = 0;
            }
            int producer = debtors[turn];
            if (isOwing(producer)) {
                turn++;
                return producer;
            }
            isDebtor[producer] = false;
            debtors[turn] = debtors[--debtorCount];
        }
        return -1;
    }

    /** Events that all producers of this thread have paid. */
    long paid() {
        return Arrays.stream(paid).sum();
    }

    long quota() {
        return quota;
    }

    /** Events that a producer may have under the quota. */
    long quotaOf(int producer) {
        return quota == 0 ? Long.MAX_VALUE : partOf(producer, quota);
    }

    /** Whether there is a quota, and each producer of this thread has paid its part. */
    boolean isQuotaPaid() {
        return quota > 0 && IntStream.range(0, paid.length).allMatch(i -> paid[i] >= quotaOf(i));
    }

    /** Producers of this thread that have a part of the quota. */
    long payers() {
        return IntStream.range(0, paid.length).filter(i -> quotaOf(i) > 0).count();
    }

    /** The moment of the last event that was paid; 0 when none was. */
    long lastPaid(FireTimes times) {
        long last = IntStream.range(0, paid.length).filter(i -> paid[i] > 0).mapToLong(i -> oldest(i) - stripes).max().orElse(-1);
        return last < 0 ? 0 : times.at(last);
    }

    /**
     * How many events of this thread are due.
     *
     * @param until an event at this moment is due
     * @param end an event at this moment is none of the schedule
     */
    long dueUntil(FireTimes times, long until, long end) {
        long due = dueOfAll(times, until, end);
        return IntStream.range(0, paid.length).mapToLong(i -> partOf(i, due)).sum();
    }

    /** How many of these events were not paid: of each producer by itself, so that one that is ahead makes up for no other. */
    long unpaidUntil(FireTimes times, long until, long end) {
        long due = dueOfAll(times, until, end);
        return IntStream.range(0, paid.length).mapToLong(i -> Math.max(0, partOf(i, due) - paid[i])).sum();
    }

    /** Of so many first events of the group, those of a producer. */
    private long partOf(int producer, long events) {
        int stripe = stripeOf[producer];
        return events / stripes + (stripe < events % stripes ? 1 : 0);
    }

    /** How many events of the group are due. */
    private long dueOfAll(FireTimes times, long until, long end) {
        // Doubling and halving finds the first that is not due without walking through all of them.
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
