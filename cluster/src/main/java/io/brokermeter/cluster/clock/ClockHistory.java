package io.brokermeter.cluster.clock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * What was reported of a clock, second by second, and how wrong that was at most: first as it was known then, five seconds later as the probes
 * after it tell. A day of it is kept. Not safe for threads.
 */
final class ClockHistory {

    /** Seconds that are kept. */
    static final int MOST = 86_400;
    private static final int FIRST_ROOM = 128;

    private long[] moments = new long[FIRST_ROOM];
    private long[] offsets = new long[FIRST_ROOM];
    private long[] bounds = new long[FIRST_ROOM];
    /** The first is at {@code first % length}. */
    private long first;
    private long end;
    private long judged;

    /** Adds a second; they come in order. */
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

    /** The ring has never gone round while it grows, so it begins at zero. */
    private void grow(int room) {
        moments = Arrays.copyOf(moments, room);
        offsets = Arrays.copyOf(offsets, room);
        bounds = Arrays.copyOf(bounds, room);
    }

    /** Judges what was reported up to a moment by what is known now. */
    void judge(OffsetBand band, long upTo) {
        while (judged < end && moments[index(judged)] - upTo <= 0) {
            int at = index(judged++);
            Offset now = moments[at] - band.begin() < 0 ? null : band.at(moments[at]);
            if (now != null) {
                bounds[at] = Math.abs(now.offset() - offsets[at]) + now.bound();
            }
        }
    }

    /** The greatest bound of a stretch of time: of the seconds in it and those next to it. Empty when nothing is known of its begin. */
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

    /** All of it, in order. */
    List<ProbeClient.Told> all() {
        List<ProbeClient.Told> all = new ArrayList<>();
        for (long i = first; i < end; i++) {
            all.add(new ProbeClient.Told(moments[index(i)], offsets[index(i)], bounds[index(i)]));
        }
        return all;
    }
}
