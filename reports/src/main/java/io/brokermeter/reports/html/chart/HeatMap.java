package io.brokermeter.reports.html.chart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Counts the samples of each column of time in each row of a logarithmic scale, with 16 rows for a factor of ten. Rows below 10 us are
 * whole microseconds, the resolution of the samples.
 */
public final class HeatMap {

    private static final int PER_DECADE = 16;
    /** The upper end of the scale, an hour and a little more, in microseconds; clamped samples are at the end. */
    private static final double HIGHEST = 4e9;
    /** Lower ends of the rows, in microseconds; the first row begins at 0. */
    private static final long[] LOWER = lower();

    private static final long[] NONE = {};

    private final long[][] counts;
    private final int columns;

    public HeatMap(int columns) {
        this(new long[columns][], columns);
        Arrays.fill(counts, NONE);
    }

    private HeatMap(long[][] counts, int columns) {
        this.counts = counts;
        this.columns = columns;
    }

    /** Returns the map of a number of first columns, which it shares with this one. */
    public HeatMap of(int first) {
        return new HeatMap(counts, first);
    }

    private static long[] lower() {
        List<Long> all = new ArrayList<>(List.of(0L));
        for (int k = 0; Math.pow(10, (double) k / PER_DECADE) <= HIGHEST; k++) {
            long edge = Math.round(Math.pow(10, (double) k / PER_DECADE));
            if (edge > all.getLast()) {
                all.add(edge);
            }
        }
        return all.stream().mapToLong(Long::longValue).toArray();
    }

    /** Adds samples, in microseconds, to a column. */
    public void add(int column, Histogram micros) {
        if (counts[column] == NONE) {
            counts[column] = new long[LOWER.length];
        }
        for (HistogramIterationValue value : micros.recordedValues()) {
            counts[column][row(micros.medianEquivalentValue(value.getValueIteratedTo()))] += value.getCountAtValueIteratedTo();
        }
    }

    public static int row(long micros) {
        int found = Arrays.binarySearch(LOWER, micros);
        return found >= 0 ? found : -found - 2;
    }

    /**
     * The rows that are used.
     *
     * @param edges their lower ends, and the upper end of the last one, in microseconds
     * @param columns for each column the counts in these rows; empty if the column has no samples
     */
    public record Used(double[] edges, List<long[]> columns) {}

    /** Returns the rows that are used, with a margin of a row on both sides, and a factor of ten at least. */
    public Used used() {
        int least = LOWER.length;
        int most = -1;
        for (int c = 0; c < columns; c++) {
            long[] column = counts[c];
            for (int r = 0; r < column.length; r++) {
                if (column[r] > 0) {
                    least = Math.min(least, r);
                    most = Math.max(most, r);
                }
            }
        }
        int air = Math.max(1, (PER_DECADE - most + least) / 2);
        int first = Math.max(0, least - air);
        int last = Math.min(LOWER.length - 2, most + air);
        double[] edges = IntStream.rangeClosed(first, last + 1).mapToDouble(r -> LOWER[r] == 0 ? 0.5 : LOWER[r]).toArray();
        return new Used(edges, IntStream.range(0, columns)
            .mapToObj(c -> counts[c] == NONE ? NONE : Arrays.copyOfRange(counts[c], first, last + 1)).toList());
    }

    /**
     * Returns {@code edges}: lower ends of the rows that are used, and the upper end of the last one, in microseconds; and {@code cells}:
     * for each column the first row with a sample and the counts from there up to the last row with one, or nothing if the column has no
     * samples.
     */
    public Map<String, Object> json() {
        Used used = used();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("edges", Series.numbers(used.edges));
        all.put("cells", used.columns.stream().map(HeatMap::cells).toList());
        return all;
    }

    private static List<Object> cells(long[] column) {
        List<Object> all = new ArrayList<>();
        if (column == NONE) {
            return all;
        }
        int first = 0;
        while (first < column.length - 1 && column[first] == 0) {
            first++;
        }
        int last = column.length - 1;
        while (last > first && column[last] == 0) {
            last--;
        }
        all.add((long) first);
        for (int r = first; r <= last; r++) {
            all.add(column[r]);
        }
        return all;
    }
}
