package io.brokermeter.driver.rocketmq;

import io.brokermeter.spi.DriverException;

/** Failures that are reported more than once. */
final class Failures {

    private Failures() { }

    /** The same failure as a new exception of this place. */
    static DriverException again(Throwable cause) {
        return new DriverException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }
}
