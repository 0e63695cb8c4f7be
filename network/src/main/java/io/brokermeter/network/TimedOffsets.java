package io.brokermeter.network;

import java.util.Arrays;

/** A queue of positions in a stream, each with a moment, in the order in which they were added. Used by one thread. */
final class TimedOffsets {

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

    /** Removes all marks. */
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

    /** Returns the moment of the first mark; {@link DelayedBytes#NEVER} when there is none. */
    long nextMoment() {
        return isEmpty() ? DelayedBytes.NEVER : moments[slot(first)];
    }

    /** Returns the position of the last of the leading marks whose moments have come; {@code otherwise} when there is none. */
    long reached(long now, long otherwise) {
        long position = otherwise;
        for (long mark = first; mark < end && moments[slot(mark)] <= now; mark++) {
            position = positions[slot(mark)];
        }
        return position;
    }

    /** Removes the leading marks up to a position whose moments have come. */
    void drop(long position, long now) {
        while (first < end && positions[slot(first)] <= position && moments[slot(first)] <= now) {
            first++;
        }
    }
}
