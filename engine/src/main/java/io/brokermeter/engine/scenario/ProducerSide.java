package io.brokermeter.engine.scenario;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The sending half of a scenario.
 *
 * @param endpoint where to send
 * @param perDestination producers on each destination, at least 1
 * @param threads sending threads, at least 1; producers are dealt out to them in turn
 * @param sharedConnections one connection per sending thread instead of one per producer
 * @param maxPending unconfirmed sends a producer may have, 0 for no limit
 * @param load how much is sent when over all producers, or null to send as fast as confirmations allow
 * @param messageSize body size in bytes
 * @param bare whether messages carry no envelope: no transfer time, no ledger
 * @param persistent delivery mode
 * @param ttlMillis time to live in milliseconds, 0 for none
 * @param group the message group, or null for none
 * @param commitInterval messages per transaction, 0 for none
 * @param messageIds whether messages carry ids
 * @param timestamps whether messages carry timestamps
 * @param messageCount messages to send in total over all producers, 0 for no limit
 * @param headers properties of every message by name
 */
public record ProducerSide(
        Endpoint endpoint, int perDestination, int threads, boolean sharedConnections, int maxPending, @Nullable Load load,
        int messageSize, boolean bare, boolean persistent, long ttlMillis, @Nullable String group, int commitInterval,
        boolean messageIds, boolean timestamps, long messageCount, Map<String, String> headers) {

    public ProducerSide {
        headers = Map.copyOf(headers);
    }
}
