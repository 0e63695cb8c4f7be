package io.brokermeter.reports.html;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One line of a chart. A value is NaN where there is none.
 *
 * @param label its name, also in the table
 * @param style number of its colour and dash pattern
 * @param values one for each place of the chart's x
 * @param low lower ends of whiskers, empty for none
 * @param high upper ends of whiskers
 * @param form how it is drawn
 */
record Series(String label, int style, double[] values, double[] low, double[] high, Form form) {

    enum Form {
        LINE,
        /** Points joined by a line. */
        DOTS,
        /** Points alone. */
        POINTS,
        /** Points alone, hollow: what was published, or measured under other conditions. */
        MARKS,
        /** Thin and dotted: beyond what enough samples stand behind. */
        THIN,
        /** Not at all: only read out, and in the table. */
        HIDDEN
    }

    static Series line(String label, int style, double[] values) {
        return new Series(label, style, values, new double[0], new double[0], Form.LINE);
    }

    Series as(Form other) {
        return new Series(label, style, values, low, high, other);
    }

    boolean isEmpty() {
        for (double value : values) {
            if (Double.isFinite(value)) {
                return false;
            }
        }
        return true;
    }

    Map<String, Object> json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("label", label);
        all.put("style", style);
        all.put("form", form.name().toLowerCase(Locale.ROOT));
        all.put("values", numbers(values));
        if (low.length > 0) {
            all.put("low", numbers(low));
            all.put("high", numbers(high));
        }
        return all;
    }

    /** Five digits that count, since nobody sees more and a file has many: whole numbers without a point. */
    static List<@Nullable Object> numbers(double... values) {
        List<@Nullable Object> all = new ArrayList<>(values.length);
        for (double value : values) {
            if (!Double.isFinite(value)) {
                all.add(null);
            } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
                all.add((long) value);
            } else {
                double rounded = new BigDecimal(value).round(new MathContext(5)).doubleValue();
                all.add(rounded == Math.rint(rounded) ? (Object) (long) rounded : (Object) rounded);
            }
        }
        return all;
    }
}
