package io.brokermeter.cli.options;

import java.time.Duration;
import java.util.Locale;

import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import picocli.CommandLine.ITypeConverter;

/** From the text of an option to its value; each failure is a {@link UsageException} with one sentence. */
final class Converters {

    private Converters() {}

    /** {@code 1000}, {@code 10k}, {@code 2M}. */
    static final class Count implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return Units.count(text);
        }
    }

    /** A count that must fit an int, 0 allowed. */
    static class Number implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            long count = Units.count(text);
            if (count > Integer.MAX_VALUE) {
                throw new UsageException("Count '" + text + "' is too large.");
            }
            return (int) count;
        }
    }

    /** A count of at least 1. */
    static final class Positive extends Number {
        @Override
        public Integer convert(String text) {
            int number = super.convert(text);
            if (number == 0) {
                throw new UsageException("Count '" + text + "' must be at least 1.");
            }
            return number;
        }
    }

    /** {@code 1024}, {@code 1KiB}. */
    static final class Size implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Units.bytes(text);
        }
    }

    /** {@code 100}, {@code 37k/s}. */
    static final class RateOf implements ITypeConverter<Rate> {
        @Override
        public Rate convert(String text) {
            return Rate.parse(text);
        }
    }

    /** Seconds when bare. */
    static final class Seconds implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return Units.duration(text, "s");
        }
    }

    /** Milliseconds when bare. */
    static final class Millis implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return Units.duration(text, "ms");
        }
    }

    /** Microseconds when bare. */
    static final class Micros implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return Units.duration(text, "us");
        }
    }

    /** A name of a {@link Pacing}, in any case. */
    static final class PacingOf implements ITypeConverter<Pacing> {
        @Override
        public Pacing convert(String text) {
            for (Pacing pacing : Pacing.values()) {
                if (pacing.name().equals(text.toUpperCase(Locale.ROOT))) {
                    return pacing;
                }
            }
            throw new UsageException("Pacing '" + text + "' must be auto, park, hybrid or spin.");
        }
    }
}
