package io.brokermeter.reports.stored;

import java.util.List;
import java.util.TreeMap;

import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.GeneratorRow;

/**
 * Adds up the usage of several processes, interval by interval. All have the same start and the same grid of intervals, so rows belong
 * together whose ends are nearest to the same end on the grid. One process may have several rows there: a late reading, or the rest of an
 * interval at the end of its run. A sum is NaN if one of its parts is.
 */
final class GeneratorSums {

    private static final int DECIMALS = 6;

    private final double length;
    private final TreeMap<Long, GeneratorRow> intervals = new TreeMap<>();

    /** @param length length of an interval in seconds */
    GeneratorSums(double length) {
        this.length = length;
    }

    /**
     * Adds a process.
     *
     * @param rows its rows in the order of time; a row that was cut off before its moment is ignored
     */
    void add(List<GeneratorRow> rows) {
        TreeMap<Long, GeneratorRow> own = new TreeMap<>();
        for (GeneratorRow row : rows) {
            if (Double.isFinite(row.elapsedSeconds())) {
                own.merge(Math.max(1, Math.round(row.elapsedSeconds() / length)), row, GeneratorSums::together);
            }
        }
        own.forEach((interval, row) -> intervals.merge(interval, row, GeneratorSums::sum));
    }

    /** Returns a row for each interval, in order. */
    List<GeneratorRow> rows() {
        return List.copyOf(intervals.values());
    }

    /** Merges two rows of one process, the earlier one first. */
    private static GeneratorRow together(GeneratorRow one, GeneratorRow next) {
        double seconds = plus(one.seconds(), next.seconds());
        return new GeneratorRow(next.time(), next.elapsedSeconds(), one.warmup(), one.phase(), seconds,
            DocumentJson.rounded((one.cpuPercent() * one.seconds() + next.cpuPercent() * next.seconds()) / seconds, DECIMALS),
            Math.max(one.residentBytes(), next.residentBytes()), Math.max(one.heapUsedBytes(), next.heapUsedBytes()),
            plus(one.gcPauses(), next.gcPauses()), plus(one.gcPauseMillis(), next.gcPauseMillis()));
    }

    private static GeneratorRow sum(GeneratorRow one, GeneratorRow other) {
        return new GeneratorRow(one.time(), Math.max(one.elapsedSeconds(), other.elapsedSeconds()), one.warmup(), one.phase(),
            Math.max(one.seconds(), other.seconds()), plus(one.cpuPercent(), other.cpuPercent()),
            plus(one.residentBytes(), other.residentBytes()),
            plus(one.heapUsedBytes(), other.heapUsedBytes()), plus(one.gcPauses(), other.gcPauses()),
            plus(one.gcPauseMillis(), other.gcPauseMillis()));
    }

    private static double plus(double one, double other) {
        return DocumentJson.rounded(one + other, DECIMALS);
    }
}
