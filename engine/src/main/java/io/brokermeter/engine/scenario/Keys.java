package io.brokermeter.engine.scenario;

/**
 * The groups or keys of messages.
 *
 * @param name the key itself, or what keys begin with when there are several: {@code name0}, {@code name1}...
 * @param count how many there are, at least 1
 * @param spread which one a message gets
 */
public record Keys(String name, int count, Spread spread) {

    /** Most keys of one group of producers: each is encoded before the run. */
    public static final int MOST = 100_000;

    public Keys {
        if (count < 1 || count > MOST) {
            throw new UsageException("The number of keys must be from 1 to 100,000, not " + count + ".");
        }
    }

    /** One key for all messages. */
    public static Keys one(String name) {
        return new Keys(name, 1, new Spread.InTurn());
    }

    /** The key number {@code index}. */
    public String key(int index) {
        return count == 1 ? name : name + index;
    }

    /** How messages are spread over keys. */
    public sealed interface Spread {

        /** One after the other. */
        record InTurn() implements Spread {}

        /** Each equally often, at random. */
        record Uniform() implements Spread {}

        /**
         * Key k of n comes with a frequency proportional to 1 / (k + 1)^exponent (Zipf's law).
         *
         * @param exponent above 0
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
