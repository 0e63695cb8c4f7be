package io.brokermeter.engine.scenario;

import java.time.Duration;

/** How long a consumer, or something else that works on a message, takes for each. */
public sealed interface Processing {

    /** No time at all. */
    Processing NONE = new Constant(Duration.ZERO);

    /** Always the same. */
    record Constant(Duration time) implements Processing {}

    /** Every time from shortest to longest equally often. */
    record Uniform(Duration shortest, Duration longest) implements Processing {

        public Uniform {
            if (shortest.compareTo(longest) > 0) {
                throw new UsageException("A processing time from " + shortest.toMillis() + " ms to " + longest.toMillis()
                    + " ms goes backwards.");
            }
        }
    }

    /** Exponentially distributed: often short, seldom long. */
    record Exponential(Duration mean) implements Processing {}

    /** Whether there is none. */
    default boolean isNone() {
        return this instanceof Constant(Duration time) && time.isZero();
    }
}
