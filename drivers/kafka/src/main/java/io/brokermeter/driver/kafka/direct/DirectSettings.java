package io.brokermeter.driver.kafka.direct;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.kafka.link.LinkSettings;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;

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

    /** The properties of Kafka's producer that this path takes. */
    private static final Set<String> TAKEN = Set.of(ProducerConfig.ACKS_CONFIG, ProducerConfig.BATCH_SIZE_CONFIG,
        ProducerConfig.LINGER_MS_CONFIG, ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, ProducerConfig.RETRIES_CONFIG,
        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, ProducerConfig.BUFFER_MEMORY_CONFIG, ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        ProducerConfig.MAX_BLOCK_MS_CONFIG, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
        ProducerConfig.RETRY_BACKOFF_MS_CONFIG, ProducerConfig.CLIENT_ID_CONFIG, CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG,
        CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, SaslConfigs.SASL_MECHANISM, SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
        SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG,
        SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);

    /**
     * Returns what this path has not, of the properties that the user gave; empty if it has all of them. A property of Kafka's producer
     * that has the client's default does not count.
     *
     * @param given the properties by name
     */
    public static String obstacle(Map<String, String> given) {
        ConfigDef known = ProducerConfig.configDef();
        for (Map.Entry<String, String> each : given.entrySet()) {
            ConfigDef.ConfigKey key = known.configKeys().get(each.getKey());
            if (key == null || TAKEN.contains(each.getKey())) {
                continue;
            }
            Object value = ConfigDef.parseType(key.name, each.getValue(), key.type);
            if (!String.valueOf(value).equals(String.valueOf(key.defaultValue))) {
                return key.type == ConfigDef.Type.PASSWORD ? key.name : key.name + "=" + each.getValue();
            }
        }
        String rack = given.getOrDefault(CommonClientConfigs.CLIENT_RACK_CONFIG, "");
        if (!rack.isEmpty()) {
            return CommonClientConfigs.CLIENT_RACK_CONFIG + "=" + rack;
        }
        String mechanism = given.getOrDefault(SaslConfigs.SASL_MECHANISM, "PLAIN");
        return Set.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512").contains(mechanism) ? "" : SaslConfigs.SASL_MECHANISM + "=" + mechanism;
    }

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
