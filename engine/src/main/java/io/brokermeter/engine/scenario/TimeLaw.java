package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.Locale;

/** The distribution of the times that a consumer, or whatever else works on messages, takes for each message. */
public sealed interface TimeLaw {

    /** No time at all. */
    TimeLaw NONE = new Constant(Duration.ZERO);

    /** Always the same time. */
    record Constant(Duration time) implements TimeLaw {}

    /** All times from the shortest to the longest, equally often. */
    record Uniform(Duration shortest, Duration longest) implements TimeLaw {

        public Uniform {
            if (shortest.compareTo(longest) > 0) {
                throw new UsageException("A processing time from " + Units.text(shortest) + " to " + Units.text(longest)
                    + " goes backwards.");
            }
        }
    }

    /** Exponentially distributed times: often short, seldom long. */
    record Exponential(Duration mean) implements TimeLaw {

        public Exponential {
            if (mean.isZero() || mean.isNegative()) {
                throw new UsageException("The mean of exponential times must be longer than 0.");
            }
        }
    }

    /** Returns the mean of the times. */
    default Duration mean() {
        return switch (this) {
            case Constant always -> always.time;
            case Uniform between -> between.shortest.plus(between.longest).dividedBy(2);
            case Exponential often -> often.mean;
        };
    }

    /**
     * Reads {@code 2ms}, {@code uniform:1ms..5ms} or {@code exponential:3ms}.
     *
     * @param bareUnit unit of a number without one: "s", "ms" or "us"
     * @throws UsageException with one sentence that names the wrong part or the right forms
     */
    static TimeLaw parse(String text, String bareUnit) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return new Constant(Units.duration(text, bareUnit));
        }
        String rest = text.substring(colon + 1).strip();
        return switch (text.substring(0, colon).strip().toLowerCase(Locale.ROOT)) {
            case "constant" -> new Constant(Units.duration(rest, bareUnit));
            case "uniform" -> {
                int dots = rest.indexOf("..");
                if (dots < 0) {
                    throw new UsageException("Time '" + text + "' needs a shortest and a longest one, like uniform:1ms..5ms.");
                }
                yield new Uniform(Units.duration(rest.substring(0, dots), bareUnit),
                    Units.duration(rest.substring(dots + 2), bareUnit));
            }
            case "exponential" -> new Exponential(Units.duration(rest, bareUnit));
            default -> throw new UsageException("Time '" + text + "' must be like 2ms, uniform:1ms..5ms or exponential:3ms.");
        };
    }

    /** Returns whether the time is always zero. */
    default boolean isNone() {
        return this instanceof Constant(Duration time) && time.isZero();
    }
}
