package io.brokermeter.cluster.clock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * The offsets that were reported of a clock, second by second, with the greatest error of each: first as it was known then, five seconds
 * later as the probes after it show. Keeps one day. Not thread-safe.
 */
final class ClockHistory {

    /** The number of seconds that are kept. */
    static final int MOST = 86_400;
    private static final int FIRST_ROOM = 128;

    private long[] moments = new long[FIRST_ROOM];
    private long[] offsets = new long[FIRST_ROOM];
    private long[] bounds = new long[FIRST_ROOM];
    /** The number of the oldest second kept, which is at index {@code first % length}. */
    private long first;
    private long end;
    private long judged;

    /** Adds a second; seconds must be added in order. */
    void add(long moment, long offset, long bound) {
        int room = moments.length;
        if (end - first == room) {
            if (room < MOST) {
                grow(Math.min(2 * room, MOST));
            } else {
                first++;
            }
        }
        int at = index(end++);
        moments[at] = moment;
        offsets[at] = offset;
        bounds[at] = bound;
        judged = Math.max(judged, first);
    }

    private int index(long number) {
        return (int) (number % moments.length);
    }

    /** Enlarges the ring. It has never wrapped around while it grows, so it begins at index zero. */
    private void grow(int room) {
        moments = Arrays.copyOf(moments, room);
        offsets = Arrays.copyOf(offsets, room);
        bounds = Arrays.copyOf(bounds, room);
    }

    /** Computes the bounds of the seconds up to a moment again, by what is known now. */
    void judge(OffsetBand band, long upTo) {
        while (judged < end && moments[index(judged)] - upTo <= 0) {
            int at = index(judged++);
            Offset now = moments[at] - band.begin() < 0 ? null : band.at(moments[at]);
            if (now != null) {
                bounds[at] = Math.abs(now.offset() - offsets[at]) + now.bound();
            }
        }
    }

    /**
     * Returns the greatest bound of a stretch of time: of the seconds in it and those next to it. Empty if nothing is known of its
     * beginning.
     */
    OptionalLong bound(long from, long to) {
        long low = first;
        long high = end;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (moments[index(middle)] - from <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == first) {
            return OptionalLong.empty();
        }
        long most = 0;
        for (long i = low - 1; i < end; i++) {
            most = Math.max(most, bounds[index(i)]);
            if (moments[index(i)] - to >= 0) {
                break;
            }
        }
        return OptionalLong.of(most);
    }

    /** Returns all seconds that are kept, in order. */
    List<ProbeClient.Told> all() {
        List<ProbeClient.Told> all = new ArrayList<>();
        for (long i = first; i < end; i++) {
            all.add(new ProbeClient.Told(moments[index(i)], offsets[index(i)], bounds[index(i)]));
        }
        return all;
    }
}
