package io.brokermeter.cli.options;

import java.time.Duration;

import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Reading;
import picocli.CommandLine.ITypeConverter;

/** From the text of an option to its value; each failure is a {@link UsageException} with one sentence. */
final class Converters {

    private Converters() {}

    /** A count of at least 1. */
    static final class Positive implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) Units.count(Reading.POSITIVE.inFile(text));
        }
    }

    /** Seconds when bare. */
    static final class Seconds implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return Units.duration(text, "s");
        }
    }
}
