package io.brokermeter.reports.picture;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

import io.brokermeter.reports.html.chart.Chart;

/** Formats the values at an axis: three significant digits without zeros at their end, as {@code charts.js} does. */
final class AxisText {

    private static final String[] BYTES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private AxisText() {}

    static String three(double value) {
        return Math.abs(value) >= 99.95 || value == 0 ? String.format(Locale.ROOT, "%,d", Math.round(value))
            : new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
    }

    static String of(Chart.Unit unit, double value) {
        return switch (unit) {
            case MICROS -> time(value);
            case PER_SECOND -> three(value) + "/s";
            case PERCENT -> three(value) + " %";
            case BYTES -> bytes(value);
            case COUNT -> three(value);
            case MILLIS_PER_SECOND -> three(value) + " ms/s";
            case MICROS_PER_MESSAGE -> three(value) + " us";
        };
    }

    private static String time(double micros) {
        return micros < 1 ? "<1 us" : micros < 999.5 ? three(micros) + " us" : micros < 999_500 ? three(micros / 1e3) + " ms"
            : three(micros / 1e6) + " s";
    }

    private static String bytes(double value) {
        double left = value;
        int unit = 0;
        while (left >= 1023.5 && unit < BYTES.length - 1) {
            left /= 1024;
            unit++;
        }
        return three(left) + " " + BYTES[unit];
    }

    /** Formats a moment of a run: of a long one {@code 1:02:03}, else in seconds. */
    static String moment(double seconds, boolean isLong) {
        long whole = Math.round(seconds);
        if (!isLong) {
            return new BigDecimal(seconds).setScale(3, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString() + " s";
        }
        return whole >= 3600 ? String.format(Locale.ROOT, "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
            : String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
    }

    /** Formats a percentile of which {@code nines} tenths of what is left are taken away: 90, 99, 99.9 %. */
    static String percentile(int nines) {
        return new BigDecimal(100).subtract(BigDecimal.ONE.movePointLeft(nines - 2)).stripTrailingZeros().toPlainString() + " %";
    }
}
