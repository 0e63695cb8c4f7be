package io.brokermeter.engine.envelope;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The highest sequence number that one consumer has received from each producer, to detect messages that arrive out of order.
 * It holds only the producers whose messages reached this consumer: with 10,000 producers and consumers on one queue, a row for
 * each pair would take 800 MB. All consumers of a run share a memory limit. Once that is reached, further producers are not
 * tracked, and their messages are counted instead. Used by one thread.
 */
public final class HighestSeen {

    private static final int FIRST_PLACES = 8;
    private static final int BYTES_OF_A_PLACE = 12;

    private final AtomicLong room;
    /** A hash table with linear probing of the numbers of producers plus 1, so that 0 marks a free place. */
    private int[] producers = new int[FIRST_PLACES];
    private long[] highest = new long[FIRST_PLACES];
    private int used;
    private boolean full;
    private long notFollowed;

    /** @param room bytes that all consumers of the run may still take when they receive from more than a few producers each */
    public HighestSeen(AtomicLong room) {
        this.room = room;
    }

    /** Returns the number of bytes that the consumers of a run may take together: a sixteenth of the JVM's maximum memory. */
    public static AtomicLong room() {
        return new AtomicLong(Runtime.getRuntime().maxMemory() / 16);
    }

    /**
     * Records a message.
     *
     * @param producer number of the producer, from 0
     * @return by how many sequence numbers the message is behind the highest of its producer; 0 if it is the highest, or if
     *     the producer is not tracked
     */
    public long behind(int producer, long sequence) {
        int place = place(producers, producer);
        if (producers[place] == 0) {
            meet(producer, sequence);
            return 0;
        }
        long behind = highest[place] - sequence;
        if (behind <= 0) {
            highest[place] = sequence;
            return 0;
        }
        return behind;
    }

    /** Returns the number of messages from producers that are not tracked; exact when the consumer is closed. */
    public long notFollowed() {
        return notFollowed;
    }

    private static int place(int[] of, int producer) {
        int mask = of.length - 1;
        int mixed = producer * 0x9E3779B9;
        int place = (mixed ^ mixed >>> 16) & mask;
        while (of[place] != 0 && of[place] != producer + 1) {
            place = place + 1 & mask;
        }
        return place;
    }

    private void meet(int producer, long sequence) {
        if (used >= producers.length / 4 * 3 && !grow()) {
            notFollowed++;
            return;
        }
        int place = place(producers, producer);
        producers[place] = producer + 1;
        highest[place] = sequence;
        used++;
    }

    private boolean grow() {
        long more = (long) producers.length * BYTES_OF_A_PLACE;
        if (full || room.addAndGet(-more) < 0) {
            full = true;
            return false;
        }
        int[] before = producers;
        long[] values = highest;
        producers = new int[before.length * 2];
        highest = Arrays.copyOf(values, values.length * 2);
        for (int i = 0; i < before.length; i++) {
            if (before[i] != 0) {
                int place = place(producers, before[i] - 1);
                producers[place] = before[i];
                highest[place] = values[i];
            }
        }
        return true;
    }
}
