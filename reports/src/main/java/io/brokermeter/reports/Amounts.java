package io.brokermeter.reports;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

import io.brokermeter.engine.scenario.measure.Quantity;

/**
 * Formats amounts for people: three significant digits, the unit that suits, thousands separated by commas, the same in every locale. An
 * unknown amount is {@code n/a}.
 */
public final class Amounts {

    /** The text of an unknown amount. */
    public static final String UNKNOWN = "n/a";
    private static final double KIBI = 1024;

    private Amounts() {}

    /** Formats a time: {@code 850 ns}, {@code 1.23 us}, {@code 412 us}, {@code 10.0 ms}, {@code 2.35 s}, {@code 12.5 min}. */
    public static String time(double micros) {
        if (!Double.isFinite(micros)) {
            return UNKNOWN;
        }
        if (micros == 0) {
            return "0 us";
        }
        TimeUnit unit = TimeUnit.of(micros);
        return digits(micros / unit.micros) + " " + unit.word;
    }

    /** Returns the length of the unit in which {@link #time} formats a time, in microseconds. */
    static double unit(double micros) {
        return micros == 0 ? 1 : TimeUnit.of(micros).micros;
    }

    /** The units of times, with the size below which a time is formatted in them. */
    private enum TimeUnit {
        NANOS("ns", 1e-3, 0.9995), MICROS("us", 1, 999.5), MILLIS("ms", 1e3, 999.5e3), SECONDS("s", 1e6, 120e6),
        MINUTES("min", 60e6, 7200e6), HOURS("h", 3600e6, Double.POSITIVE_INFINITY);

        private final String word;
        private final double micros;
        private final double below;

        TimeUnit(String word, double micros, double below) {
            this.word = word;
            this.micros = micros;
            this.below = below;
        }

        static TimeUnit of(double micros) {
            for (TimeUnit unit : values()) {
                if (Math.abs(micros) < unit.below) {
                    return unit;
                }
            }
            return HOURS;
        }
    }

    /** Formats a time in seconds, as {@link #time} does. */
    public static String seconds(double seconds) {
        return time(seconds * 1e6);
    }

    /** Formats a rate in messages per second: {@code 10,000/s}, {@code 864/s}, {@code 0.5/s}. */
    public static String rate(double perSecond) {
        return Double.isFinite(perSecond) ? number(perSecond) + "/s" : UNKNOWN;
    }

    /**
     * Formats messages per second with the unit behind them, {@code 10,000 msg/s}; as a whole number, unless it is so small that the
     * fraction counts.
     */
    public static String rate(double perSecond, String unit) {
        return (Math.abs(perSecond) < 9.95 ? number(perSecond) : count(perSecond)) + " " + unit;
    }

    /** Formats a whole number, {@code 70,194}. */
    public static String count(double count) {
        return Double.isFinite(count) ? String.format(Locale.ROOT, "%,.0f", count) : UNKNOWN;
    }

    /** Formats a percentage: {@code 23.4 %}; one near 100 keeps the digits that distinguish it from 100. */
    public static String percent(double percent) {
        if (!Double.isFinite(percent)) {
            return UNKNOWN;
        }
        boolean near = percent > 99 && percent < 100;
        return (near ? BigDecimal.valueOf(percent).setScale(3, RoundingMode.FLOOR).stripTrailingZeros().toPlainString() : number(percent))
            + " %";
    }

    /** Formats an amount of memory: {@code 512 MiB}, {@code 1.95 GiB}, {@code 30 B}. */
    public static String bytes(double bytes) {
        if (!Double.isFinite(bytes)) {
            return UNKNOWN;
        }
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        double value = bytes;
        while (value >= 1023.5 && unit < units.length - 1) {
            value /= KIBI;
            unit++;
        }
        return (value == Math.rint(value) ? number(value) : digits(value)) + " " + units[unit];
    }

    /** Formats a rate of bytes, in millions a second as is usual for transfers: {@code 10.2 MB/s}, {@code 0.5 MB/s}, {@code 1,250 MB/s}. */
    public static String byteRate(double perSecond) {
        return Double.isFinite(perSecond) ? number(perSecond / 1e6) + " MB/s" : UNKNOWN;
    }

    /** Formats a figure in its unit. */
    public static String of(double value, Quantity.Unit unit) {
        return switch (unit) {
            case MESSAGES, COUNT -> count(value);
            case MICROS -> time(value);
            case SECONDS -> seconds(value);
            case PER_SECOND -> rate(value);
            case PERCENT -> percent(value);
            case BYTES -> bytes(value);
            case BYTES_PER_SECOND -> byteRate(value);
        };
    }

    /** Formats a number, from 1,000 on as a whole one, below with three digits: {@code 70,194}, {@code 9.7}, {@code 0.78}. */
    public static String number(double value) {
        if (Math.abs(value) >= 999.5) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        String text = digits(value);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }

    /** Formats a number with two significant digits, rounded up, as the uncertainty of another one. */
    static String twoDigits(double value) {
        if (!(value > 0)) {
            return "0";
        }
        double rounded = new BigDecimal(value).round(new MathContext(2, RoundingMode.CEILING)).doubleValue();
        return rounded >= 1000 ? String.format(Locale.ROOT, "%,.0f", rounded)
            : BigDecimal.valueOf(rounded).stripTrailingZeros().toPlainString();
    }

    private static String digits(double value) {
        if (value == 0) {
            return "0";
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(3, RoundingMode.HALF_UP));
        int before = rounded.precision() - rounded.scale();
        return rounded.setScale(Math.clamp(3 - before, 0, 6), RoundingMode.HALF_UP).toPlainString();
    }
}
