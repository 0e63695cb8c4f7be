package io.brokermeter.engine.scenario;

import java.time.Duration;

import io.brokermeter.spi.parameter.Setting;

/**
 * The settings by which a run restores lost connections that the clients have given up.
 *
 * @param interval shortest time from the start of one attempt to that of the next; longer than zero
 * @param limit time after its loss at which a connection is given up; not shorter than the interval
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
