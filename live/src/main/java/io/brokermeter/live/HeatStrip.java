package io.brokermeter.live;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.screen.ScreenStyle;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/** A heat map in the cells of a terminal: a column for each of the last intervals, rows on a logarithmic scale of time. Belongs to one thread. */
final class HeatStrip {

    private static final int PER_DECADE = 8;
    /** Rows from 1 us to 100 s; what is beyond is counted in the first and the last one. */
    private static final int BINS = 8 * PER_DECADE;
    private static final int MOST = 500;
    private static final int LABEL = 8;
    /** From few to many messages: steps of cividis in the 256 colours of terminals, block elements, and letters. */
    private static final int[] COLOURS = {17, 18, 60, 66, 102, 143, 179, 185, 227};
    private static final String BLOCKS = "\u2591\u2591\u2592\u2592\u2593\u2593\u2588";
    private static final String LETTERS = ".:-=+*#%@";

    private final Deque<long[]> columns = new ArrayDeque<>();

    /** Adds an interval. */
    void add(@Nullable Distribution samples) {
        long[] bins = new long[BINS];
        if (samples != null) {
            for (HistogramIterationValue value : samples.histogram().recordedValues()) {
                bins[bin(value.getValueIteratedTo())] += value.getCountAtValueIteratedTo();
            }
        }
        columns.addLast(bins);
        if (columns.size() > MOST) {
            columns.removeFirst();
        }
    }

    static int bin(long nanos) {
        return (int) Math.clamp(Math.floor(PER_DECADE * Math.log10(Math.max(1, nanos) / 1e3)), 0, BINS - 1);
    }

    /** Returns the map in a number of lines, none of them longer than the screen is wide; the newest interval is on the right. */
    List<String> lines(int rows, ScreenStyle style) {
        int room = style.width() - LABEL - 2;
        List<long[]> shown = columns.stream().skip(Math.max(0, columns.size() - room)).toList();
        int least = BINS;
        int most = -1;
        for (long[] bins : shown) {
            for (int b = 0; b < BINS; b++) {
                if (bins[b] > 0) {
                    least = Math.min(least, b);
                    most = Math.max(most, b);
                }
            }
        }
        if (most < 0) {
            return Collections.nCopies(rows, "");
        }
        int each = Math.ceilDiv(most - least + 1, rows);
        // In the middle of the room when there is more than it takes.
        int first = Math.clamp(least - (rows * each - (most - least + 1)) / 2L, 0, Math.max(0, BINS - rows * each));
        long highest = 1;
        for (long[] bins : shown) {
            for (int row = 0; row < rows; row++) {
                highest = Math.max(highest, count(bins, first + row * each, each));
            }
        }
        List<String> lines = new ArrayList<>();
        for (int row = rows - 1; row >= 0; row--) {
            int from = first + row * each;
            StringBuilder line = new StringBuilder(
                row % 2 == 0 ? String.format(Locale.ROOT, "%" + LABEL + "s ", Amounts.time(Math.pow(10, (double) from / PER_DECADE)))
                    : " ".repeat(LABEL + 1));
            line.append(" ".repeat(room - shown.size()));
            for (long[] bins : shown) {
                cell(line, count(bins, from, each), highest, style);
            }
            lines.add(line.append(style.colour() ? "\033[0m" : "").toString());
        }
        return lines;
    }

    private static long count(long[] bins, int from, int each) {
        long sum = 0;
        for (int b = from; b < Math.min(BINS, from + each); b++) {
            sum += bins[b];
        }
        return sum;
    }

    private static void cell(StringBuilder line, long count, long highest, ScreenStyle style) {
        double level = count == 0 ? -1 : highest == 1 ? 1 : Math.log(count) / Math.log(highest);
        if (style.colour()) {
            line.append(level < 0 ? "\033[0m " : "\033[48;5;" + COLOURS[(int) Math.round(level * (COLOURS.length - 1))] + "m ");
        } else {
            String signs = style.blocks() ? BLOCKS : LETTERS;
            line.append(level < 0 ? ' ' : signs.charAt((int) Math.round(level * (signs.length() - 1))));
        }
    }
}
