package io.brokermeter.reports.stored;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.brokermeter.reports.Numbers;

/**
 * Adds up the usage of several processes, each of which has rows of {@code generator.csv}, interval by interval. All have the same start
 * and the same grid of intervals, so rows belong together whose ends are nearest to the same end on the grid. One process may have
 * several rows there: a late reading, or the rest of an interval at the end of its run.
 */
final class GeneratorSums {

    private static final String CPU = "cpu_percent";
    private static final String TIME = "time";
    private static final String ELAPSED = "elapsed_seconds";
    private static final String SECONDS = "seconds";
    private static final List<String> SUMS = List.of(CPU, "resident_bytes", "heap_used_bytes", "gc_pauses", "gc_pause_millis");

    private final double length;
    private final TreeMap<Long, Map<String, String>> intervals = new TreeMap<>();

    /** @param length length of an interval in seconds */
    GeneratorSums(double length) {
        this.length = length;
    }

    /**
     * Adds a process.
     *
     * @param rows its rows in the order of time; a row that was cut off before its moment is ignored
     */
    void add(List<Map<String, String>> rows) {
        TreeMap<Long, Map<String, String>> own = new TreeMap<>();
        for (Map<String, String> row : rows) {
            double elapsed = number(row, ELAPSED);
            if (Double.isFinite(elapsed)) {
                own.merge(Math.max(1, Math.round(elapsed / length)), new LinkedHashMap<>(row), GeneratorSums::together);
            }
        }
        own.forEach((interval, row) -> intervals.merge(interval, row, GeneratorSums::sum));
    }

    /** Returns a row for each interval, in order. */
    List<Map<String, String>> rows() {
        return List.copyOf(intervals.values());
    }

    /** Merges two rows of one process, the earlier one first. */
    private static Map<String, String> together(Map<String, String> one, Map<String, String> next) {
        double before = number(one, SECONDS);
        double after = number(next, SECONDS);
        put(one, CPU, (number(one, CPU) * before + number(next, CPU) * after) / (before + after));
        for (String name : List.of("resident_bytes", "heap_used_bytes")) {
            put(one, name, Math.max(number(one, name), number(next, name)));
        }
        for (String name : List.of("gc_pauses", "gc_pause_millis", SECONDS)) {
            put(one, name, number(one, name) + number(next, name));
        }
        for (String name : List.of(TIME, ELAPSED)) {
            one.put(name, next.getOrDefault(name, ""));
        }
        return one;
    }

    private static Map<String, String> sum(Map<String, String> one, Map<String, String> other) {
        SUMS.forEach(name -> put(one, name, number(one, name) + number(other, name)));
        for (String name : List.of(ELAPSED, SECONDS)) {
            one.put(name, Numbers.plain(Math.max(number(one, name), number(other, name))));
        }
        return one;
    }

    /** Sets a value; empty if it is unknown, as a sum is if one of its parts is. */
    private static void put(Map<String, String> row, String name, double value) {
        row.put(name, Double.isFinite(value) ? Numbers.plain(value) : "");
    }

    private static double number(Map<String, String> row, String name) {
        try {
            String cell = row.getOrDefault(name, "");
            return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
