package io.brokermeter.engine.scenario;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * Makes consumers publish how many messages arrived in each stretch of time, or the sum of a number that the messages carry, as a
 * message of its own.
 *
 * @param to destination of the counts
 * @param every length of a stretch
 * @param sum the text before the number in each message that is summed, or null to count messages
 */
public record Summarizer(Destination to, Duration every, @Nullable String sum) {

    /** The size of a message with counts, in bytes. */
    public static final int MESSAGE_SIZE = 80;

    public Summarizer {
        if (every.toMillis() < 10) {
            throw new UsageException("Counts must be published every 10ms at most.");
        }
        if (sum != null && sum.isEmpty()) {
            throw new UsageException("The text before the number that is summed must not be empty.");
        }
    }

    /** Returns a copy whose destination has a suffix. */
    Summarizer withSuffix(String suffix) {
        return new Summarizer(to.withSuffix(suffix), every, sum);
    }

    /** Returns the text before the number, in UTF-8; empty to count messages. */
    public byte[] summed() {
        return sum == null ? new byte[0] : sum.getBytes(StandardCharsets.UTF_8);
    }
}
