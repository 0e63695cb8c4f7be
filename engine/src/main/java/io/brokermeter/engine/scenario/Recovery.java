package io.brokermeter.engine.scenario;

import java.time.Duration;

import io.brokermeter.spi.Setting;

/**
 * How a run makes lost connections anew, which its clients have given up.
 *
 * @param interval from the begin of one attempt to that of the next, at least; longer than zero
 * @param limit how long after its loss a connection is given up; not shorter than the interval
 */
public record Recovery(Duration interval, Duration limit) {

    /** How long a connection is tried where nothing else is asked for. */
    public static final Duration DEFAULT_LIMIT = Duration.ofMinutes(1);

    public Recovery {
        if (interval.isZero() || interval.isNegative()) {
            throw new UsageException("%s must be longer than 0.", Setting.RECONNECT);
        }
        if (limit.compareTo(interval) < 0) {
            throw new UsageException("%s must not be longer than %s, within which a lost connection must be back.", Setting.RECONNECT,
                Setting.RECONNECT_LIMIT);
        }
    }
}
