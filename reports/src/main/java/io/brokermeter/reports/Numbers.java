package io.brokermeter.reports;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Formats numbers with a decimal point, without exponents and grouping, in every locale alike. */
public final class Numbers {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private Numbers() {}

    /** Formats a number with exactly this number of decimals, rounded half up; {@code n/a} if it is not finite. */
    public static String fixed(double value, int decimals) {
        return Double.isFinite(value)
            ? BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString()
            : "n/a";
    }

    /** Formats a number with all its digits up to six decimals, without an exponent; {@code n/a} if it is not finite. */
    public static String plain(double value) {
        if (!Double.isFinite(value)) {
            return "n/a";
        }
        BigDecimal rounded = BigDecimal.valueOf(value).setScale(6, RoundingMode.HALF_UP);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** Reads a number of a file; NaN for a text that is none. */
    public static double parsed(String text) {
        try {
            return text.isEmpty() ? Double.NaN : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** Pads a value with blanks in front. */
    public static String padded(String value, int width) {
        return " ".repeat(Math.max(0, width - value.length())) + value;
    }

    /** Returns a count of an interval as a whole number per second; 0 for an interval without length. */
    public static long perSecond(long count, long nanos) {
        return nanos <= 0 ? 0 : Math.round(count * (double) NANOS_PER_SECOND / nanos);
    }
}
