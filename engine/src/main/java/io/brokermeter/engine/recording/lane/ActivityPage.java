package io.brokermeter.engine.recording.lane;

import org.jspecify.annotations.Nullable;

/**
 * The record of about one second, as an array: either full, with four rows of one cell for each millisecond, or summed up. A page that
 * is summed up contains for confirmations and for deliveries their number, the first and the last millisecond with one, and the
 * longest time without one; the others are taken to be spread evenly in between. So pauses are exact to the millisecond, and the rest
 * of a second that is like others is exact to the second.
 */
final class ActivityPage {

    /** The number of milliseconds of a page. */
    static final int MILLIS = 1024;
    /** The offsets of the rows of a full page: confirmations, deliveries, waits and failed sends. */
    static final int SENT = 0;
    static final int RECEIVED = MILLIS;
    static final int WAITED = 2 * MILLIS;
    static final int FAILED = 3 * MILLIS;
    /** The length of a full page. */
    static final int FULL = 4 * MILLIS;

    // Offsets in a row of a page that is summed up, and then in the page.
    private static final int COUNT = 0;
    private static final int FIRST = 1;
    private static final int LAST = 2;
    private static final int GAP = 3;
    private static final int GAP_END = 4;
    private static final int ROW = 5;
    private static final int WAIT = 2 * ROW;
    private static final int FAILURES = WAIT + 1;
    private static final int SUMMED = FAILURES + 1;

    /** The share of the usual count by which a similar count may differ, in addition to what chance explains. */
    private static final double ALIKE = 0.1;
    private static final double CHANCE = 4;
    private static final long MILLI = 1_000_000;

    private ActivityPage() {}

    static boolean isFull(long[] page) {
        return page.length == FULL;
    }

    static boolean isSize(int size) {
        return size == FULL || size == SUMMED;
    }

    /** Returns the value of one cell of a page, whether the page is full or summed up. */
    static long at(long[] page, int row, int milli) {
        if (isFull(page)) {
            return page[row + milli];
        }
        return switch (row) {
            case SENT -> count(page, 0, milli);
            case RECEIVED -> count(page, ROW, milli);
            case WAITED -> count(page, ROW, milli) > 0 ? page[WAIT] : 0;
            default -> milli == 0 ? page[FAILURES] : 0;
        };
    }

    private static long count(long[] page, int row, int milli) {
        long first = page[row + FIRST];
        long last = page[row + LAST];
        long gap = page[row + GAP];
        long gapEnd = page[row + GAP_END];
        if (page[row + COUNT] == 0 || milli < first || milli > last || milli >= gap && milli < gapEnd) {
            return 0;
        }
        // One in each millisecond that is known to have had one; the others spread evenly over all that may have had any.
        long known = 1 + (last > first ? 1 : 0);
        boolean isKnown = milli == first || milli == last;
        if (gapEnd > gap) {
            known += (gap - 1 > first ? 1 : 0) + (gapEnd < last ? 1 : 0);
            isKnown |= milli == gap - 1 || milli == gapEnd;
        }
        long others = page[row + COUNT] - known;
        long places = last - first + 1 - (gapEnd - gap);
        long place = milli - first - (milli >= gapEnd ? gapEnd - gap : 0);
        return (isKnown ? 1 : 0) + (place + 1) * others / places - place * others / places;
    }

    /** Returns a page in its summed-up form; a page that has this form is returned as it is. */
    static long[] summary(long[] page) {
        if (!isFull(page)) {
            return page;
        }
        long[] summary = new long[SUMMED];
        sum(page, SENT, summary, 0);
        sum(page, RECEIVED, summary, ROW);
        for (int i = 0; i < MILLIS; i++) {
            summary[WAIT] = Math.max(summary[WAIT], page[WAITED + i]);
            summary[FAILURES] += page[FAILED + i];
        }
        return summary;
    }

    private static void sum(long[] page, int from, long[] summary, int row) {
        int before = -1;
        for (int i = 0; i < MILLIS; i++) {
            if (page[from + i] > 0) {
                if (before < 0) {
                    summary[row + FIRST] = i;
                } else if (i - before - 1 > summary[row + GAP_END] - summary[row + GAP]) {
                    summary[row + GAP] = before + 1L;
                    summary[row + GAP_END] = i;
                }
                before = i;
                summary[row + LAST] = i;
                summary[row + COUNT] += page[from + i];
            }
        }
    }

    /**
     * Returns whether a page is of interest: a send failed, a rate was not as usual, or a message waited longer than usual.
     *
     * @param page a page, or null for a second in which nothing happened
     * @param usual a page that is summed up
     */
    static boolean isDifferent(long @Nullable [] page, long[] usual) {
        long[] own = page == null ? new long[SUMMED] : summary(page);
        return own[FAILURES] > 0 || differs(own[COUNT], usual[COUNT]) || differs(own[ROW + COUNT], usual[ROW + COUNT])
            || own[WAIT] > 2 * usual[WAIT] + MILLI;
    }

    private static boolean differs(long own, long usual) {
        return Math.abs(own - usual) > ALIKE * usual + CHANCE * Math.sqrt(usual);
    }
}
