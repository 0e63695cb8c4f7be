package io.brokermeter.engine.scenario;

import java.time.Duration;

import io.brokermeter.spi.Destination;

/**
 * Makes consumers count: how many messages came in each stretch of time is published as a message of its own.
 *
 * @param to where the counts go
 * @param every length of a stretch
 */
public record Summarizer(Destination to, Duration every) {

    /** Bytes of a message with counts. */
    public static final int MESSAGE_SIZE = 80;

    public Summarizer {
        if (every.toMillis() < 10) {
            throw new UsageException("Counts must be published every 10ms at most.");
        }
    }
}
