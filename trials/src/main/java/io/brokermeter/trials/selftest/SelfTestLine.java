package io.brokermeter.trials.selftest;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.reports.Amounts;
import org.jspecify.annotations.Nullable;

/**
 * One thing that the self-test looked at.
 *
 * @param name its name, at most {@value #NAME} characters
 * @param grade what it is worth
 * @param measured what was measured, in words; empty if {@code times} says it
 * @param times a distribution whose percentiles are shown in columns; null for none
 * @param meaning what follows for a reading; empty where the next line says it
 * @param figures the figures by their keys in JSON
 */
record SelfTestLine(
        String name, Grade grade, String measured, @Nullable Distribution times, String meaning, Map<String, Object> figures) {

    static final int NAME = 19;
    private static final double LARGEST = 100;

    /** What a line is worth. */
    enum Grade {
        OK, DOUBTFUL, WRONG, SKIPPED;

        String word() {
            return this == OK ? "OK" : name().toLowerCase(Locale.ROOT);
        }
    }

    /** Creates a line that says what was measured in words. */
    static SelfTestLine of(String name, Grade grade, String measured, String meaning, Map<String, Object> figures) {
        return new SelfTestLine(name, grade, measured, null, meaning, figures);
    }

    /** Creates a line that shows the percentiles for which there are samples enough. */
    static SelfTestLine of(String name, Grade grade, Distribution times, String meaning) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("samples", times.count());
        for (double percentile : Distribution.PERCENTILES) {
            if (times.supports(percentile)) {
                figures.put("p" + (percentile == Math.rint(percentile) ? String.valueOf((int) percentile) : percentile) + "Micros",
                    times.nanosAt(percentile) / 1e3);
            }
        }
        figures.put("maxMicros", times.maxNanos() / 1e3);
        return new SelfTestLine(name, grade, "", times, meaning, figures);
    }

    /** Returns the column of a percentile, 100 for the largest value. */
    String column(double percentile) {
        Distribution all = times;
        return all == null || percentile < LARGEST && !all.supports(percentile) ? "-"
            : Amounts.time((percentile < LARGEST ? all.nanosAt(percentile) : all.maxNanos()) / 1e3);
    }
}
