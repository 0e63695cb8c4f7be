package io.brokermeter.cli.options;

import java.time.Duration;
import java.util.Locale;

import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Keys;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Processing;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Sizes;
import io.brokermeter.engine.scenario.Start;
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

    /** {@code 1024}, {@code 1KiB}, and all that {@link Sizes#parse} reads. */
    static final class SizesOf implements ITypeConverter<Sizes> {
        @Override
        public Sizes convert(String text) {
            return Sizes.parse(text);
        }
    }

    /** What {@link Content#parse} reads. */
    static final class ContentOf implements ITypeConverter<Content> {
        @Override
        public Content convert(String text) {
            return Content.parse(text);
        }
    }

    /** What {@link Keys#parse} reads. */
    static final class KeysOf implements ITypeConverter<Keys> {
        @Override
        public Keys convert(String text) {
            return Keys.parse(text);
        }
    }

    /** {@code 5%}, {@code 0.05}. */
    static final class Share implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            return Units.share(text);
        }
    }

    /** What {@link Start#parse} reads. */
    static final class StartOf implements ITypeConverter<Start> {
        @Override
        public Start convert(String text) {
            return Start.parse(text);
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

    /** Times of a law, microseconds when bare. */
    static final class MicrosOf implements ITypeConverter<Processing> {
        @Override
        public Processing convert(String text) {
            return Processing.parse(text, "us");
        }
    }

    /** Times of a law, seconds when bare. */
    static final class SecondsOf implements ITypeConverter<Processing> {
        @Override
        public Processing convert(String text) {
            return Processing.parse(text, "s");
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
