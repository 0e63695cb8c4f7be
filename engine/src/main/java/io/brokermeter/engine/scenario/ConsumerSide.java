package io.brokermeter.engine.scenario;

import java.time.Duration;

import io.brokermeter.spi.AckMode;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a scenario.
 *
 * @param endpoint where to receive
 * @param perDestination consumers on each destination, or on each shared subscription; at least 1
 * @param sharedSubscriptions shared subscriptions per topic, 0 for none
 * @param durable whether subscriptions are durable
 * @param keepSubscriptions whether durable subscriptions stay at the end
 * @param ackMode how to acknowledge
 * @param batch messages per acknowledgement or transaction, at least 1
 * @param connections connections over all consumers, 0 to choose as Artemis does
 * @param prefetch messages the client may hold, -1 for its default
 * @param latency simulated processing time per message, zero for none
 * @param rate the most messages a second that each consumer takes, or null for no limit
 * @param startDelay how long after the producers the consumers start
 * @param messageCount messages to receive in total, 0 for no limit
 * @param selector the condition that messages must meet, in the broker's language, or null for none
 */
public record ConsumerSide(
        Endpoint endpoint, int perDestination, int sharedSubscriptions, boolean durable, boolean keepSubscriptions,
        AckMode ackMode, int batch, int connections, int prefetch, Duration latency, @Nullable Rate rate,
        Duration startDelay, long messageCount, @Nullable String selector) {}
