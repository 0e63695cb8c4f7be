package io.brokermeter.engine.scenario;

import java.time.Duration;

/**
 * How a run makes lost connections anew, which its clients have given up.
 *
 * @param interval from the begin of one attempt to that of the next, at least; longer than zero
 * @param limit how long after its loss a connection is given up
 */
public record Recovery(Duration interval, Duration limit) {

    /** How long a connection is tried where nothing else is asked for. */
    public static final Duration DEFAULT_LIMIT = Duration.ofMinutes(1);

    public Recovery {
        if (interval.isZero() || interval.isNegative()) {
            throw new UsageException("The time between two attempts to connect again must be longer than 0.");
        }
        if (limit.compareTo(interval) < 0) {
            throw new UsageException("The time within which a lost connection must be back is shorter than the time between two attempts.");
        }
    }
}
