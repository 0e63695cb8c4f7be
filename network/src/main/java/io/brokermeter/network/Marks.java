package io.brokermeter.network;

import java.util.Arrays;

/** Positions in a stream, each with a moment, in the order in which they were added. One thread. */
final class Marks {

    private long[] positions = new long[64];
    private long[] moments = new long[64];
    private long first;
    private long end;

    long size() {
        return end - first;
    }

    boolean isEmpty() {
        return end == first;
    }

    void add(long position, long moment) {
        if (size() == positions.length) {
            grow();
        }
        int at = slot(end++);
        positions[at] = position;
        moments[at] = moment;
    }

    /** Drops them all. */
    void clear() {
        first = end;
    }

    private void grow() {
        long[] newPositions = Arrays.copyOf(positions, positions.length * 2);
        long[] newMoments = Arrays.copyOf(moments, moments.length * 2);
        for (long mark = first; mark < end; mark++) {
            int to = (int) (mark & newPositions.length - 1);
            newPositions[to] = positions[slot(mark)];
            newMoments[to] = moments[slot(mark)];
        }
        positions = newPositions;
        moments = newMoments;
    }

    private int slot(long mark) {
        return (int) (mark & positions.length - 1);
    }

    /** The moment of the first one; {@link DelayedBytes#NEVER} when there is none. */
    long nextMoment() {
        return isEmpty() ? DelayedBytes.NEVER : moments[slot(first)];
    }

    /** The position of the last one whose moment has come, as long as no earlier one is still to come; {@code otherwise} when there is none. */
    long reached(long now, long otherwise) {
        long position = otherwise;
        for (long mark = first; mark < end && moments[slot(mark)] <= now; mark++) {
            position = positions[slot(mark)];
        }
        return position;
    }

    /** Drops the first ones, up to a position, of those whose moment has come. */
    void drop(long position, long now) {
        while (first < end && positions[slot(first)] <= position && moments[slot(first)] <= now) {
            first++;
        }
    }
}
