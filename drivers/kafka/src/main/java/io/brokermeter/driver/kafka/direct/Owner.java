package io.brokermeter.driver.kafka.direct;

import java.time.Duration;
import java.util.function.Consumer;

import io.brokermeter.driver.kafka.link.Leaders;
import io.brokermeter.spi.failure.DriverException;

/** The connection of a producer of this path, which knows the cluster and words failures. Any thread may call. */
public interface Owner extends Leaders {

    /** Returns the exception for a failed send. */
    DriverException sendFailure(Throwable failure);

    /** Returns the exception for a send that was rejected at once. */
    DriverException notTaken(Exception failure);

    /** Returns whether a message whose send failed in this way may nevertheless be stored. */
    boolean leavesUnknown(Throwable failure);

    /**
     * Closes a producer.
     *
     * @param closing called once with the time that the close may take
     */
    void close(DirectProducer producer, Consumer<Duration> closing);

    /** Returns why sends may make no progress; empty if no reason is known. */
    String stallReason();
}
