package io.brokermeter.driver.kafka.fetch;

import java.util.Set;

import io.brokermeter.driver.kafka.link.LinkSettings;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * How a consumer of this path fetches, by the names, defaults and meanings of Kafka's consumer.
 *
 * @param waitMillis {@code fetch.max.wait.ms}
 * @param leastBytes {@code fetch.min.bytes}
 * @param mostBytes {@code fetch.max.bytes}
 * @param partitionBytes {@code max.partition.fetch.bytes}
 * @param committedOnly whether {@code isolation.level} is read_committed
 * @param checks {@code check.crcs}
 * @param link the settings of connections
 */
public record FetchSettings(
        int waitMillis, int leastBytes, int mostBytes, int partitionBytes, boolean committedOnly, boolean checks, LinkSettings link) {

    /** The properties of Kafka's consumer that this path takes, or leaves to the client that keeps the place in the group. */
    public static final Set<String> TAKEN = Set.of(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, ConsumerConfig.FETCH_MIN_BYTES_CONFIG,
        ConsumerConfig.FETCH_MAX_BYTES_CONFIG, ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
        ConsumerConfig.ISOLATION_LEVEL_CONFIG, ConsumerConfig.CHECK_CRCS_CONFIG, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
        ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG, ConsumerConfig.GROUP_PROTOCOL_CONFIG, ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
        ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
        ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG);

    /** Reads the settings from a configuration of Kafka's consumer. */
    public static FetchSettings of(ConsumerConfig config, LinkSettings link) {
        return new FetchSettings(config.getInt(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG),
            config.getInt(ConsumerConfig.FETCH_MIN_BYTES_CONFIG),
            config.getInt(ConsumerConfig.FETCH_MAX_BYTES_CONFIG), config.getInt(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG),
            config.getString(ConsumerConfig.ISOLATION_LEVEL_CONFIG).equalsIgnoreCase("read_committed"),
            config.getBoolean(ConsumerConfig.CHECK_CRCS_CONFIG), link);
    }
}
