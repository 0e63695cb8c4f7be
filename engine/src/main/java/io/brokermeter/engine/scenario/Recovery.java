package io.brokermeter.engine.scenario;

import java.time.Duration;

import io.brokermeter.spi.Setting;

/**
 * How a run restores lost connections, which its clients have given up.
 *
 * @param interval from the begin of one attempt to that of the next, at least; longer than zero
 * @param limit how long after its loss a connection is given up; not shorter than the interval
 */
public record Recovery(Duration interval, Duration limit) {

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
