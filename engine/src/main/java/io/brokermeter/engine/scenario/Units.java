package io.brokermeter.engine.scenario;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads numbers with units as users write them: {@code 30s}, {@code 1KiB}, {@code 2M}. */
public final class Units {

    private static final Pattern NUMBER = Pattern.compile("([+-]?[0-9.]+)\\s*([a-zA-Z\u00b5]*)");
    private static final Pattern SHARE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?|\\.[0-9]{1,9})\\s*(%)?");
    private static final Map<String, Long> NANOS = Map.of(
        "ns", 1L, "us", 1_000L, "\u00b5s", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L,
        "m", 60_000_000_000L, "min", 60_000_000_000L, "h", 3_600_000_000_000L);
    private static final Map<String, Long> BYTES = Map.of(
        "", 1L, "b", 1L, "k", 1024L, "kb", 1000L, "kib", 1024L, "m", 1L << 20, "mb", 1_000_000L, "mib", 1L << 20);
    private static final Map<String, Long> COUNTS = Map.of("", 1L, "k", 1_000L, "m", 1_000_000L, "g", 1_000_000_000L);

    private Units() {}

    /** Reads a duration, which is never negative; {@code bareUnit} ("s", "ms", "us") is the unit of a number without one. */
    public static Duration duration(String text, String bareUnit) {
        Matcher m = NUMBER.matcher(text.strip());
        String unit = m.matches() ? m.group(2) : "";
        Long nanos = NANOS.get(unit.isEmpty() ? bareUnit : unit.toLowerCase(Locale.ROOT));
        if (!m.matches() || nanos == null) {
            throw new UsageException("Duration '" + text + "' is not a time, like 30s, 5m or 250ms.");
        }
        return Duration.ofNanos(exact(m.group(1), nanos, text, "Duration"));
    }

    /** Returns whether a text is a number without a unit, or with a unit of time. */
    static boolean isTime(String text) {
        Matcher m = NUMBER.matcher(text.strip());
        return m.matches() && (m.group(2).isEmpty() || NANOS.containsKey(m.group(2).toLowerCase(Locale.ROOT)));
    }

    /** Formats a duration as {@link #duration} reads it, in the largest unit up to seconds of which it is a whole number. */
    public static String text(Duration time) {
        long nanos = time.toNanos();
        return nanos % 1_000_000_000L == 0 ? nanos / 1_000_000_000L + "s"
            : nanos % 1_000_000L == 0 ? nanos / 1_000_000L + "ms" : nanos % 1_000 == 0 ? nanos / 1_000 + "us" : nanos + "ns";
    }

    /** Reads a size in bytes: {@code 1024}, {@code 1KiB}, {@code 1k} (1024), {@code 1kB} (1000), {@code 2MiB}. Never negative. */
    public static int bytes(String text) {
        Matcher m = NUMBER.matcher(text.strip());
        Long factor = m.matches() ? BYTES.get(m.group(2).toLowerCase(Locale.ROOT)) : null;
        if (factor == null) {
            throw new UsageException("Size '" + text + "' is not a number of bytes, like 1024, 1KiB or 2MiB.");
        }
        long value = exact(m.group(1), factor, text, "Size");
        if (value > Integer.MAX_VALUE - 64) {
            throw new UsageException("Size '" + text + "' is too large: at most 2047 MiB.");
        }
        return (int) value;
    }

    /** Reads a count: {@code 100}, {@code 10k}, {@code 2M}. Never negative. */
    public static long count(String text) {
        Matcher m = NUMBER.matcher(text.strip());
        Long factor = m.matches() ? COUNTS.get(m.group(2).toLowerCase(Locale.ROOT)) : null;
        if (factor == null) {
            throw new UsageException("Count '" + text + "' is not a whole number, like 1000, 10k or 2M.");
        }
        return exact(m.group(1), factor, text, "Count");
    }

    /** Reads a share of the whole, from 0 to 1: {@code 5%} or {@code 0.05}. */
    public static double share(String text) {
        Matcher m = SHARE.matcher(text.strip());
        if (m.matches()) {
            double value = new BigDecimal(m.group(1)).movePointLeft(m.group(2) == null ? 0 : 2).doubleValue();
            if (value <= 1) {
                return value;
            }
        }
        throw new UsageException("Share '" + text + "' is not a part of the whole from 0% to 100%, like 5% or 0.05.");
    }

    private static long exact(String number, long factor, String text, String what) {
        BigDecimal value;
        try {
            value = new BigDecimal(number).multiply(BigDecimal.valueOf(factor));
        } catch (NumberFormatException e) {
            throw new UsageException(what + " '" + text + "' is not a number.");
        }
        if (value.signum() < 0) {
            throw new UsageException(what + " '" + text + "' must not be negative.");
        }
        try {
            return value.longValueExact();
        } catch (ArithmeticException e) {
            throw new UsageException(what + " '" + text + "' must be a whole number that is not too large.");
        }
    }
}
