package io.brokermeter.driver.kafka.link;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.jspecify.annotations.Nullable;

/**
 * The settings of connections of this path that Kafka's producer and consumer both have, by their names, defaults and meanings.
 *
 * @param clientId what the producer or consumer calls itself
 * @param login the login; empty for none
 * @param tls the options of TLS; empty without TLS
 * @param names the names of the parameters of TLS, for messages
 * @param connectTimeout the longest time to connect to a broker
 * @param source the address of this machine from which to connect, in numbers; null for that which the system chooses
 * @param requestNanos {@code request.timeout.ms}, in nanoseconds
 * @param retryNanos {@code retry.backoff.ms}, in nanoseconds
 */
public record LinkSettings(
        String clientId, Optional<Login> login, Optional<TlsOptions> tls, TlsNames names, Duration connectTimeout, @Nullable String source,
        long requestNanos, long retryNanos) {

    /**
     * A login by SASL.
     *
     * @param mechanism {@code PLAIN}, {@code SCRAM-SHA-256} or {@code SCRAM-SHA-512}
     */
    public record Login(String mechanism, String user, Secret password) {}

    /** The properties of connections that this path takes. */
    private static final Set<String> TAKEN = Set.of(CommonClientConfigs.CLIENT_ID_CONFIG, CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG,
        CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG, CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG,
        CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, SaslConfigs.SASL_MECHANISM, SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
        SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG,
        SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);
    private static final Set<String> MECHANISMS = Set.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512");

    /**
     * Returns what this path has not, of the properties that the user gave; empty if it has all of them. A property that has the client's
     * default does not count.
     *
     * @param known the properties of Kafka's producer or consumer
     * @param taken those that this path takes besides those of connections
     * @param given the properties by name
     */
    public static String obstacle(ConfigDef known, Set<String> taken, Map<String, String> given) {
        for (Map.Entry<String, String> each : given.entrySet()) {
            ConfigDef.ConfigKey key = known.configKeys().get(each.getKey());
            if (key == null || taken.contains(key.name) || TAKEN.contains(key.name)) {
                continue;
            }
            Object value = ConfigDef.parseType(key.name, each.getValue(), key.type);
            if (!String.valueOf(value).equals(String.valueOf(key.defaultValue))) {
                return key.type == ConfigDef.Type.PASSWORD ? key.name : key.name + "=" + each.getValue();
            }
        }
        String mechanism = given.getOrDefault(SaslConfigs.SASL_MECHANISM, "PLAIN");
        return MECHANISMS.contains(mechanism) ? "" : SaslConfigs.SASL_MECHANISM + "=" + mechanism;
    }

    /** Reads the settings from a configuration of Kafka's producer or consumer. */
    public static LinkSettings of(AbstractConfig config, ConnectionSettings connection, Optional<TlsOptions> tls, TlsNames names) {
        String user = connection.user();
        Secret password = connection.password();
        boolean sasl = config.getString(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG).toUpperCase(Locale.ROOT).startsWith("SASL_");
        return new LinkSettings(config.getString(CommonClientConfigs.CLIENT_ID_CONFIG),
            !sasl || user == null || password == null ? Optional.empty()
                : Optional.of(new Login(config.getString(SaslConfigs.SASL_MECHANISM), user, password)),
            tls, names, connection.connectTimeout(), connection.source(),
            TimeUnit.MILLISECONDS.toNanos(config.getInt(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG)),
            TimeUnit.MILLISECONDS.toNanos(config.getLong(CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG)));
    }
}
