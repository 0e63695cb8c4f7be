package io.brokermeter.experiment;

import java.util.Arrays;
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

/** How the value of an option is read; a number alone may mean another unit there than in a file. */
public enum Reading {
    /** Whatever stands there. */
    TEXT,
    /** No value. */
    FLAG,
    /** {@code NAME=VALUE}, more than once. */
    NAMED,
    /** The one key of all messages. */
    GROUP,
    COUNT,
    NUMBER,
    POSITIVE,
    SEED,
    SIZES,
    CONTENT,
    KEYS,
    SHARE,
    START,
    RATE,
    /** A time; seconds when bare. */
    SECONDS,
    /** A time; milliseconds when bare. */
    MILLIS,
    /** Times of a law, microseconds when bare. */
    MICROS,
    /** Times of a law, seconds when bare. */
    SECONDS_LAW,
    PACING;

    /**
     * Checks a text and returns it as a file would have it.
     *
     * @throws UsageException with one sentence
     */
    public String inFile(String text) {
        switch (this) {
            case TEXT, FLAG, NAMED -> { }
            case GROUP -> {
                return Texts.keys(Keys.one(text));
            }
            case COUNT -> Units.count(text);
            case NUMBER, POSITIVE -> number(text);
            case SEED -> seed(text);
            case SIZES -> Sizes.parse(text);
            case CONTENT -> Content.parse(text);
            case KEYS -> Keys.parse(text);
            case SHARE -> Units.share(text);
            case START -> Start.parse(text);
            case RATE -> Rate.parse(text);
            case SECONDS -> {
                return Texts.time(Units.duration(text, "s"));
            }
            case MILLIS -> {
                return Texts.time(Units.duration(text, "ms"));
            }
            case MICROS -> {
                return Texts.processing(Processing.parse(text, "us"));
            }
            case SECONDS_LAW -> {
                return Texts.processing(Processing.parse(text, "s"));
            }
            case PACING -> {
                String name = text.toUpperCase(Locale.ROOT);
                if (Arrays.stream(Pacing.values()).noneMatch(pacing -> pacing.name().equals(name))) {
                    throw new UsageException("Pacing '" + text + "' must be auto, park, hybrid or spin.");
                }
                return text.toLowerCase(Locale.ROOT);
            }
        }
        return text;
    }

    private void number(String text) {
        long count = Units.count(text);
        if (count > Integer.MAX_VALUE) {
            throw new UsageException("Count '" + text + "' is too large.");
        }
        if (count == 0 && this == POSITIVE) {
            throw new UsageException("Count '" + text + "' must be at least 1.");
        }
    }

    private static void seed(String text) {
        try {
            Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new UsageException("'" + text + "' is not a whole number.");
        }
    }
}
