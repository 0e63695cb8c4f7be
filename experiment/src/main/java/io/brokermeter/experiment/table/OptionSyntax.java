package io.brokermeter.experiment.table;

import java.util.Locale;

import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.experiment.ScenarioTexts;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.experiment.access.Agents;

/** The syntax of an option's value. A number without a unit may have another unit than in a file. */
public enum OptionSyntax {
    /** Any text. */
    TEXT(""),
    /** No value: true. */
    FLAG(""),
    /** No value: false. */
    NO(""),
    /** The path of a file or directory. */
    PATH(""),
    /** {@code ADDRESS:PORT}, a port of the loopback interface, or nothing at all for any free one of these. */
    PLACE(""),
    /** Texts, one for each time that the option is given. */
    LIST("May be given more than once."),
    /** {@code NAME=VALUE}, more than once. */
    NAMED("May be given more than once."),
    /** The one key of all messages. */
    GROUP(""),
    COUNT(""),
    NUMBER(""),
    POSITIVE(""),
    SEED(""),
    SIZES(
        "In bytes, or as 4KiB, 1MiB; sizes that vary are list:100,1KiB (in turn), uniform:100..2KiB, lognormal:1KiB,0.8 (median, sigma; a "
            + "largest size may follow), empirical:100=70%,10KiB=30%."),
    CONTENT(
        "As random, compressible:50%, constant:x, file:PATH, lines:PATH (one message for each line of it), template:PATH, or a template "
            + "itself, json:{\"n\":{{counter}}} or text:TEXT."),
    KEYS("As NAME for one, round-robin:10, uniform:1000, or zipf:1000,1.1 (number, exponent), which are called key-0, key-1..."),
    SHARE("As 5% or 0.05."),
    START(""),
    RATE("As 500, 37k, 0.5, 90/m."),
    /** A time, in seconds without a unit. */
    SECONDS("In seconds or with a unit."),
    /** A time, in seconds without a unit, or {@code auto}. */
    WARMUP("In seconds or with a unit."),
    /** A time in whole milliseconds, also without a unit. */
    MILLIS("In milliseconds or with a unit."),
    /** A constant time or a distribution of times, in microseconds without a unit. */
    MICROS("In microseconds or with a unit; times that vary are uniform:1ms..5ms, exponential:3ms."),
    /** A constant time or a distribution of times, in seconds without a unit. */
    SECONDS_LAW("In seconds or with a unit; times that vary are uniform:1ms..5ms, exponential:3ms."),
    NETWORK("As 'rtt=10ms jitter=1ms bandwidth=100Mbit loss=0.1%', any of the four; a time alone is the round trip."),
    AGENTS(""),
    AGENT_CHOICE(""),
    PACING(""),
    ADDRESSES("");

    private final String hint;

    OptionSyntax(String hint) {
        this.hint = hint;
    }

    /** Returns the sentence of the help on the form of a value; empty where the form is obvious. */
    String hint() {
        return hint;
    }

    /**
     * Checks the value of an option, and returns it in the form of a scenario file.
     *
     * @throws UsageException with one sentence
     */
    public String inFile(String text) {
        switch (this) {
            case TEXT, FLAG, NO, PATH, PLACE, LIST, NAMED -> {}
            case GROUP -> {
                return ScenarioTexts.keys(Keys.one(text));
            }
            case COUNT -> Units.count(text);
            case NUMBER, POSITIVE -> number(text);
            case SEED -> seed(text);
            case SIZES -> Sizes.parse(text);
            case CONTENT -> Content.parse(text);
            case KEYS -> Keys.parse(text);
            case SHARE -> Units.share(text);
            case NETWORK -> ValueSyntax.network(text);
            case AGENTS -> Agents.who(text);
            case AGENT_CHOICE -> AgentChoice.parse(text);
            case START -> Start.parse(text);
            case RATE -> Rate.parse(text);
            case SECONDS -> {
                return Units.text(ValueSyntax.time(text));
            }
            case WARMUP -> {
                return ValueSyntax.warmup(text).map(Units::text).orElse(text);
            }
            case MILLIS -> {
                return Units.text(ValueSyntax.millis(text, Units.duration(text, "ms")));
            }
            case MICROS -> {
                return ScenarioTexts.processing(TimeLaw.parse(text, "us"));
            }
            case SECONDS_LAW -> {
                return ScenarioTexts.processing(TimeLaw.parse(text, "s"));
            }
            case ADDRESSES -> ValueSyntax.addresses(text);
            case PACING -> {
                ValueSyntax.pacing(text);
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
