package io.brokermeter.cluster.clock;

import java.util.Arrays;

/**
 * Points that a line must not cross: it passes below all of them, or above all of them. Sorted by place, which is a moment; the oldest
 * points are dropped for new ones. Places and heights are longs of any size; all computations use their differences. Not thread-safe.
 */
final class ConvexHullBound {

    private static final int FIRST_ROOM = 256;
    private static final long THINNED = 1_000_000_000L;

    private final boolean above;
    private final int most;
    private long[] places = new long[FIRST_ROOM];
    private long[] heights = new long[FIRST_ROOM];
    private int begin;
    private int end;
    /** The moment before which seconds have been thinned. */
    private long thinned;
    private boolean thins;

    /** The hull of the points selected, relative to the moment and height that {@link #hull} was given. */
    private double[] hullX = new double[FIRST_ROOM];
    private double[] hullY = new double[FIRST_ROOM];
    private int hullSize;

    /**
     * Creates an object without points.
     *
     * @param above whether the points are above the line, which must not pass over them
     * @param most the greatest number of points that are kept
     */
    ConvexHullBound(boolean above, int most) {
        this.above = above;
        this.most = most;
    }

    int size() {
        return end - begin;
    }

    long place(int index) {
        return places[begin + index];
    }

    long height(int index) {
        return heights[begin + index];
    }

    /** Adds a point; a point with an earlier place is inserted in order. */
    void add(long place, long height) {
        if (size() == most) {
            begin++;
        }
        if (end == places.length) {
            makeRoom();
        }
        int at = end++;
        while (at > begin && places[at - 1] - place > 0) {
            places[at] = places[at - 1];
            heights[at] = heights[at - 1];
            at--;
        }
        places[at] = place;
        heights[at] = height;
    }

    private void makeRoom() {
        int size = size();
        if (size <= places.length / 2) {
            System.arraycopy(places, begin, places, 0, size);
            System.arraycopy(heights, begin, heights, 0, size);
        } else {
            places = Arrays.copyOf(Arrays.copyOfRange(places, begin, end), 2 * places.length);
            heights = Arrays.copyOf(Arrays.copyOfRange(heights, begin, end), 2 * heights.length);
        }
        begin = 0;
        end = size;
    }

    /** Drops the points before a moment. */
    void dropBefore(long moment) {
        while (begin < end && places[begin] - moment < 0) {
            begin++;
        }
    }

    /**
     * Reduces the points of each second that is over to those on its own hull: only those can be on the hull of a longer time. (Within a
     * second, {@code wander} changes this by 1 ns at most, to the wide side.) About seven of fifty points remain.
     *
     * @param newest the latest moment of all points
     */
    void thin(long newest) {
        if (begin == end) {
            return;
        }
        if (!thins || thinned - places[begin] < 0) {
            thins = true;
            thinned = places[begin];
        }
        while (newest - thinned > 2 * THINNED) {
            int from = end;
            while (from > begin && places[from - 1] - thinned >= 0) {
                from--;
            }
            int to = from;
            int kept = from;
            while (to < end && places[to] - thinned < THINNED) {
                while (kept > from + 1 && isInside(places[kept - 2], heights[kept - 2], kept - 1, places[to], heights[to])) {
                    kept--;
                }
                places[kept] = places[to];
                heights[kept++] = heights[to++];
            }
            System.arraycopy(places, to, places, kept, end - to);
            System.arraycopy(heights, to, heights, kept, end - to);
            end -= to - kept;
            thinned += THINNED;
        }
    }

    /** Returns whether a point is no corner of the hull between a point before it and one after it. */
    private boolean isInside(long x0, long y0, int point, long x1, long y1) {
        double across = (double) (places[point] - x0) * (y1 - y0) - (double) (heights[point] - y0) * (x1 - x0);
        return above ? across <= 0 : across >= 0;
    }

    /**
     * Computes the hull of the points between two moments, inclusive, by monotone chain.
     *
     * @param from the first moment
     * @param to the last moment
     * @param center the moment that counts as zero
     * @param base the height that counts as zero
     * @param wander distance by which a point is moved away from the line for each nanosecond between it and {@code center}
     * @param grain distance by which each point is moved away from the line in addition, nanoseconds
     * @return whether there is a point
     */
    boolean hull(long from, long to, long center, long base, double wander, double grain) {
        hullSize = 0;
        double side = above ? 1 : -1;
        for (int i = begin; i < end; i++) {
            if (places[i] - from < 0 || places[i] - to > 0) {
                continue;
            }
            double x = places[i] - center;
            double y = (heights[i] - base) + side * (grain + wander * Math.abs(x));
            if (hullSize > 0 && hullX[hullSize - 1] == x) {
                if (side * (y - hullY[hullSize - 1]) >= 0) {
                    continue;
                }
                hullSize--;
            }
            while (hullSize > 1 && side * turn(hullSize - 2, hullSize - 1, x, y) <= 0) {
                hullSize--;
            }
            push(x, y);
        }
        return hullSize > 0;
    }

    /** Returns a positive number if the path from the first over the second to the given point turns left. */
    private double turn(int first, int second, double x, double y) {
        return (hullX[second] - hullX[first]) * (y - hullY[first]) - (hullY[second] - hullY[first]) * (x - hullX[first]);
    }

    private void push(double x, double y) {
        if (hullSize == hullX.length) {
            hullX = Arrays.copyOf(hullX, 2 * hullSize);
            hullY = Arrays.copyOf(hullY, 2 * hullSize);
        }
        hullX[hullSize] = x;
        hullY[hullSize++] = y;
    }

    /** Returns the number of slopes that {@link #slopes} writes. */
    int slopeCount() {
        return Math.max(0, hullSize - 1);
    }

    /** Writes the slopes of the hull's edges into an array, from the given index on. */
    void slopes(double[] into, int index) {
        for (int i = 1; i < hullSize; i++) {
            into[index + i - 1] = (hullY[i] - hullY[i - 1]) / (hullX[i] - hullX[i - 1]);
        }
    }

    /**
     * Returns the height at {@code center} of the line with the given slope that touches the hull: the greatest that is allowed, or the
     * least.
     */
    double touch(double slope) {
        double best = hullY[0] - slope * hullX[0];
        for (int i = 1; i < hullSize; i++) {
            double height = hullY[i] - slope * hullX[i];
            best = above ? Math.min(best, height) : Math.max(best, height);
        }
        return best;
    }
}
