package io.brokermeter.engine.scenario;

import java.time.Duration;

/**
 * Makes producers requesters: each message asks for a reply, and {@code maxPending} limits the requests without one.
 *
 * @param timeout time after which a request counts as not answered and makes room for the next
 */
public record RequestReply(Duration timeout) {

    public RequestReply {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new UsageException("The time-out of a request must be longer than 0.");
        }
    }
}
