package io.brokermeter.reports.table;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats figures as cells of a table. */
final class CellText {

    /** The size below which two digits behind the point are too few. */
    private static final double LEAST = 0.095;

    private CellText() {}

    /**
     * Formats the median with the range, if there is one; only the range, in parentheses, for figures that do not count as measured.
     *
     * @param exact whether every digit is significant
     */
    static String of(Spread spread, boolean exact, boolean measured) {
        if (!spread.isKnown()) {
            return "";
        }
        String least = number(spread.least(), exact);
        String most = number(spread.most(), exact);
        if (!measured) {
            return "(" + least + (least.equals(most) ? "" : " to " + most) + ")";
        }
        return number(spread.median(), exact) + (least.equals(most) ? "" : " (" + least + " to " + most + ")");
    }

    /** Formats a number as documents do: thousands separated by commas, and no more digits than are significant. */
    static String number(double value, boolean exact) {
        if (exact) {
            return BigDecimal.valueOf(value).setScale(4, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString();
        }
        if (value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        if (Math.abs(value) < LEAST) {
            return small(value);
        }
        return Math.abs(value) >= 10_000 ? String.format(Locale.ROOT, "%,d", Math.round(value))
            : String.format(Locale.ROOT, "%,.2f", value);
    }

    /** Formats a ratio of two positive numbers, with two digits behind the point. */
    static String ratio(double ratio) {
        return ratio < LEAST ? small(ratio) : BigDecimal.valueOf(ratio).setScale(2, RoundingMode.HALF_UP).toPlainString();
    }

    /** Formats a number with two significant digits: 0.004 is not 0.00. */
    private static String small(double value) {
        return BigDecimal.valueOf(value).round(new MathContext(2, RoundingMode.HALF_UP)).toPlainString();
    }
}
