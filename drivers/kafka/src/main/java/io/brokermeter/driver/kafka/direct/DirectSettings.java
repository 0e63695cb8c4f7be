package io.brokermeter.driver.kafka.direct;

import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.kafka.link.LinkSettings;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The settings of a producer of this path, which have the names, defaults and meanings of Kafka's producer.
 *
 * @param acks {@code 0}, {@code 1}, or {@code -1} for all
 * @param batchSize number of bytes at which a batch is full; a larger message has a batch of its own
 * @param lingerNanos how long a batch waits for more messages; with 0, messages are held back until the next flush at most
 * @param inFlight number of requests to a broker that may wait for their answers
 * @param link the settings of connections
 */
public record DirectSettings(
        short acks, int batchSize, long lingerNanos, int inFlight, int retries, boolean idempotent, long bufferMemory, int maxRequest,
        long maxBlockNanos, long deliveryNanos, LinkSettings link) {

    /** The properties of Kafka's producer that this path takes, besides those of its connections. */
    public static final Set<String> TAKEN = Set.of(ProducerConfig.ACKS_CONFIG, ProducerConfig.BATCH_SIZE_CONFIG,
        ProducerConfig.LINGER_MS_CONFIG, ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, ProducerConfig.RETRIES_CONFIG,
        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, ProducerConfig.BUFFER_MEMORY_CONFIG, ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        ProducerConfig.MAX_BLOCK_MS_CONFIG, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);

    /** Reads the settings from a configuration of Kafka's producer. */
    public static DirectSettings of(ProducerConfig config, LinkSettings link) {
        String acks = config.getString(ProducerConfig.ACKS_CONFIG);
        return new DirectSettings(acks.equals("all") ? -1 : Short.parseShort(acks),
            Math.max(1, config.getInt(ProducerConfig.BATCH_SIZE_CONFIG)),
            millis(config.getLong(ProducerConfig.LINGER_MS_CONFIG)), config.getInt(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION),
            config.getInt(ProducerConfig.RETRIES_CONFIG), config.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG),
            config.getLong(ProducerConfig.BUFFER_MEMORY_CONFIG), config.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
            millis(config.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG)), millis(config.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)),
            link);
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Returns the longest time in nanoseconds that a batch waits for more messages, as a deadline behind its first one. */
    boolean lingers() {
        return lingerNanos > 0;
    }
}
