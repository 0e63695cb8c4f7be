package io.brokermeter.reports.html;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Figures as people read them: three digits that count, and a unit that suits. What is not known is a dash. */
final class Amounts {

    static final String UNKNOWN = "–";

    private static final int MOST_DECIMALS = 6;

    private Amounts() {}

    /** A time in microseconds. */
    static String time(double micros) {
        if (!Double.isFinite(micros)) {
            return UNKNOWN;
        }
        double size = Math.abs(micros);
        // 999.6 is 1 of the next unit.
        return size < 999.5 ? digits(micros) + " µs" : size < 999_500 ? digits(micros / 1e3) + " ms" : digits(micros / 1e6) + " s";
    }

    static String seconds(double seconds) {
        if (!Double.isFinite(seconds)) {
            return UNKNOWN;
        }
        long whole = Math.round(seconds);
        return seconds < 120 ? digits(seconds) + " s"
            : whole < 7200 ? String.format(Locale.ROOT, "%d min %02d s", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d h %02d min", whole / 3600, whole % 3600 / 60);
    }

    static String count(double count) {
        return Double.isFinite(count) ? String.format(Locale.ROOT, "%,d", Math.round(count)) : UNKNOWN;
    }

    /** Messages a second, without the unit. */
    static String perSecond(double rate) {
        return !Double.isFinite(rate) ? UNKNOWN : Math.abs(rate) >= 99.5 ? count(rate) : digits(rate);
    }

    static String percent(double percent) {
        return Double.isFinite(percent) ? digits(percent) + " %" : UNKNOWN;
    }

    static String bytes(double bytes) {
        if (!Double.isFinite(bytes)) {
            return UNKNOWN;
        }
        double size = bytes;
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        while (size >= 1023.5 && unit < units.length - 1) {
            size /= 1024;
            unit++;
        }
        return digits(size) + " " + units[unit];
    }

    /** Three digits, more only where they stand before the point. */
    static String digits(double value) {
        if (!Double.isFinite(value)) {
            return UNKNOWN;
        }
        if (Math.abs(value) >= 999.5) {
            return count(value);
        }
        BigDecimal rounded = BigDecimal.valueOf(value).round(new MathContext(3));
        if (rounded.scale() > MOST_DECIMALS) {
            rounded = rounded.setScale(MOST_DECIMALS, RoundingMode.HALF_UP);
        }
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }
}
