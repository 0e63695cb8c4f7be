package io.brokermeter.reports.html.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One line of a chart. A missing value is NaN.
 *
 * @param label name, also in the table
 * @param style number of its colour and dash pattern
 * @param values one value for each x of the chart
 * @param low lower ends of whiskers, empty for none
 * @param high upper ends of whiskers
 * @param form form in which it is drawn
 */
public record Series(String label, int style, double[] values, double[] low, double[] high, Form form) {

    public enum Form {
        LINE,
        /** Points joined by a line. */
        DOTS,
        /** Points alone. */
        POINTS,
        /** Points alone, hollow: values that were published, or measured under other conditions. */
        MARKS,
        /** A thin and dotted line: values with too few samples beyond them. */
        THIN,
        /** A line that is not drawn, only read out, and in the table. */
        HIDDEN
    }

    public static Series line(String label, int style, double[] values) {
        return new Series(label, style, values, new double[0], new double[0], Form.LINE);
    }

    public Series as(Form other) {
        return new Series(label, style, values, low, high, other);
    }

    public boolean isEmpty() {
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

    /**
     * Returns values with five significant digits, since nobody sees more and a file has many: whole numbers without a
     * point, and null for NaN.
     */
    public static List<@Nullable Object> numbers(double... values) {
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
