package io.brokermeter.engine.scenario;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;

/**
 * An exact rate: {@code events} in {@code seconds} seconds, in lowest terms, so that the billionth event is still due at
 * its exact time and not at an accumulated rounding error.
 *
 * @param events number of events, at least 1
 * @param seconds time of these events, in seconds, at least 1
 */
public record Rate(long events, long seconds) {

    private static final BigInteger MOST_EVENTS = BigInteger.valueOf(1_000_000_000L);
    private static final BigInteger MOST_SECONDS = BigInteger.valueOf(1_000_000L);
    /** The largest product of both, which keeps {@link io.brokermeter.engine.pacing.FireTimes} within the range of a long. */
    private static final BigInteger MOST_PRODUCT = BigInteger.valueOf(9_000_000_000L);

    public Rate {
        if (events < 1 || seconds < 1) {
            throw new UsageException("A rate must be greater than 0.");
        }
    }

    /** Creates a rate of {@code events} per second, which must be more than 0. */
    public static Rate perSecond(long events) {
        return new Rate(events, 1);
    }

    /** Returns the rate in events per second, rounded to a double. */
    public double perSecond() {
        return (double) events / seconds;
    }

    /** Returns this rate multiplied by {@code factor}. */
    public Rate times(int factor) {
        return of(BigInteger.valueOf(events).multiply(BigInteger.valueOf(factor)), BigInteger.valueOf(seconds), toString());
    }

    /**
     * Reads {@code 100}, {@code 0.5}, {@code 37k}, {@code 1.5M}, each with or without {@code /s}, {@code /m} or {@code /h}
     * (per second, minute, hour; a bare number is per second).
     *
     * @throws UsageException with one sentence, if the text is not a number, not positive or out of range
     */
    public static Rate parse(String text) {
        Written written = Written.of(text);
        BigDecimal value = written.number;
        if (value.signum() <= 0) {
            throw new UsageException("Rate '" + text + "' must be greater than 0.");
        }
        if (value.scale() > 6 || value.precision() - value.scale() > 12) {
            throw outOfRange(text);
        }
        BigInteger seconds = BigInteger.TEN.pow(Math.max(0, value.scale())).multiply(BigInteger.valueOf(written.seconds));
        BigInteger events = value.scaleByPowerOfTen(Math.max(0, value.scale())).toBigIntegerExact();
        return of(events, seconds, text);
    }

    /**
     * Returns whether a text denotes 0 in one of the forms of {@link #parse}, which accepts only positive rates.
     *
     * @throws UsageException with one sentence, if the text is not a number
     */
    static boolean isZero(String text) {
        return Written.of(text).number.signum() == 0;
    }

    /**
     * A rate as it is written.
     *
     * @param seconds the unit of time, in seconds
     */
    private record Written(BigDecimal number, long seconds) {

        static Written of(String text) {
            String number = text.strip().toLowerCase(Locale.ROOT);
            long per = 1;
            int slash = number.indexOf('/');
            if (slash >= 0) {
                per = switch (number.substring(slash + 1).strip()) {
                    case "s", "sec" -> 1;
                    case "m", "min" -> 60;
                    case "h" -> 3600;
                    default -> throw bad(text);
                };
                number = number.substring(0, slash).strip();
            }
            BigDecimal factor = BigDecimal.ONE;
            if (number.endsWith("k")) {
                factor = BigDecimal.valueOf(1_000);
            } else if (number.endsWith("m")) {
                factor = BigDecimal.valueOf(1_000_000);
            }
            if (factor != BigDecimal.ONE) {
                number = number.substring(0, number.length() - 1);
            }
            try {
                return new Written(new BigDecimal(number).multiply(factor), per);
            } catch (NumberFormatException e) {
                throw bad(text);
            }
        }
    }

    private static Rate of(BigInteger events, BigInteger seconds, String text) {
        BigInteger divisor = events.gcd(seconds);
        BigInteger e = events.divide(divisor);
        BigInteger s = seconds.divide(divisor);
        if (e.compareTo(MOST_EVENTS) > 0 || s.compareTo(MOST_SECONDS) > 0 || e.multiply(s).compareTo(MOST_PRODUCT) > 0) {
            throw outOfRange(text);
        }
        return new Rate(e.longValueExact(), s.longValueExact());
    }

    private static UsageException bad(String text) {
        return new UsageException("Rate '" + text + "' is not a number of messages, like 500, 37k or 1.5M/s.");
    }

    private static UsageException outOfRange(String text) {
        return new UsageException("Rate '" + text + "' is out of range: at most 1000M/s, with few decimals.");
    }

    @Override
    public String toString() {
        return seconds == 1 ? events + "/s" : events + " per " + seconds + " s";
    }
}
