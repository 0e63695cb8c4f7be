package io.brokermeter.engine.scenario.message;

import java.util.Locale;

import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;

/**
 * The groups or keys of messages.
 *
 * @param name the key itself, or the beginning of the keys if there are several: {@code name0}, {@code name1}...
 * @param count number of keys, at least 1
 * @param spread how messages are distributed over the keys
 */
public record Keys(String name, int count, Spread spread) {

    /** The largest number of keys of one group of producers, each of which is encoded before the run. */
    public static final int MOST = 100_000;

    private static final String PREFIX = "key-";

    public Keys {
        if (count < 1 || count > MOST) {
            throw refused(count);
        }
    }

    private static UsageException refused(long count) {
        return new UsageException("The number of keys must be from 1 to 100,000, not " + count + ".");
    }

    /** Creates one key for all messages. */
    public static Keys one(String name) {
        return new Keys(name, 1, new Spread.InTurn());
    }

    /**
     * Reads {@code NAME} (one key; {@code name:A:B} where it has a colon), {@code round-robin:10}, {@code uniform:1000} or
     * {@code zipf:1000,1.1} (number of keys, exponent). Several keys are called {@code key-0}, {@code key-1}...
     *
     * @throws UsageException with one sentence that names the wrong part or the right forms
     */
    public static Keys parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            if (text.isBlank()) {
                throw new UsageException("Keys need a name, or a number of them like uniform:1000.");
            }
            return one(text.strip());
        }
        String rest = text.substring(colon + 1).strip();
        return switch (text.substring(0, colon).strip().toLowerCase(Locale.ROOT)) {
            case "name" -> one(rest);
            case "round-robin" -> several(rest, new Spread.InTurn());
            case "uniform" -> several(rest, new Spread.Uniform());
            case "zipf" -> {
                int comma = rest.indexOf(',');
                if (comma < 0) {
                    throw new UsageException("Keys '" + text + "' need a number of keys and an exponent, like zipf:1000,1.1.");
                }
                String exponent = rest.substring(comma + 1).strip();
                double value;
                try {
                    value = Double.parseDouble(exponent);
                } catch (NumberFormatException e) {
                    throw new UsageException("Exponent '" + exponent + "' in '" + text + "' is not a number, like 1.1.");
                }
                yield several(rest.substring(0, comma), new Spread.Zipf(value));
            }
            default -> throw new UsageException("Keys '" + text + "' must be a name, or begin with round-robin:, uniform: or "
                + "zipf:.");
        };
    }

    private static Keys several(String number, Spread spread) {
        long wanted = Units.count(number);
        if (wanted > MOST) {
            throw refused(wanted);
        }
        int count = (int) wanted;
        return new Keys(count == 1 ? PREFIX + 0 : PREFIX, count, spread);
    }

    /** Returns key number {@code index}. */
    public String key(int index) {
        return count == 1 ? name : name + index;
    }

    /** The distribution of messages over keys. */
    public sealed interface Spread {

        /** One key after the other. */
        record InTurn() implements Spread {}

        /** Each key equally often, at random. */
        record Uniform() implements Spread {}

        /**
         * Key k of n comes with a frequency proportional to 1 / (k + 1)^exponent (Zipf's law).
         *
         * @param exponent exponent above 0 and at most 10
         */
        record Zipf(double exponent) implements Spread {

            public Zipf {
                if (!(exponent > 0) || exponent > 10) {
                    throw new UsageException("The exponent of Zipf's law must be above 0 and at most 10, not " + exponent + ".");
                }
            }
        }
    }
}
