package io.brokermeter.reports.stored;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.brokermeter.reports.Numbers;

/**
 * What several processes used, each of which has rows of {@code generator.csv}, interval by interval. All have the same start and the same grid, so rows
 * belong together by the end on the grid that they are nearest to.
 */
final class GeneratorSums {

    private static final List<String> SUMS = List.of("cpu_percent", "resident_bytes", "heap_used_bytes", "gc_pauses", "gc_pause_millis");
    private static final String ELAPSED = "elapsed_seconds";
    private static final String SECONDS = "seconds";

    private final double length;
    private final TreeMap<Long, Map<String, String>> intervals = new TreeMap<>();

    /** @param length of an interval in seconds */
    GeneratorSums(double length) {
        this.length = length;
    }

    /** Adds a row; one that was cut off is passed over. */
    void add(Map<String, String> row) {
        double elapsed = number(row, ELAPSED);
        if (Double.isFinite(elapsed)) {
            intervals.merge(Math.max(1, Math.round(elapsed / length)), new LinkedHashMap<>(row), GeneratorSums::sum);
        }
    }

    /** A row for each interval, in order. */
    List<Map<String, String>> rows() {
        return List.copyOf(intervals.values());
    }

    private static Map<String, String> sum(Map<String, String> one, Map<String, String> other) {
        SUMS.forEach(name -> {
            double sum = number(one, name) + number(other, name);
            // Where one of them does not know it, nobody knows all of it.
            one.put(name, Double.isFinite(sum) ? Numbers.plain(sum) : "");
        });
        for (String name : List.of(ELAPSED, SECONDS)) {
            one.put(name, Numbers.plain(Math.max(number(one, name), number(other, name))));
        }
        return one;
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
