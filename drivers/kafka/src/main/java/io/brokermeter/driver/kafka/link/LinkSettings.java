package io.brokermeter.driver.kafka.link;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.parameter.Secret;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.jspecify.annotations.Nullable;

/**
 * The settings of connections of this path that Kafka's producer and consumer both have, by their names, defaults and meanings.
 *
 * @param clientId what the producer or consumer calls itself
 * @param login the login; empty for none
 * @param tls the options of TLS; empty without TLS
 * @param names the names of the parameters of TLS, for messages
 * @param connectTimeout the longest time to connect to a broker
 * @param requestNanos {@code request.timeout.ms}, in nanoseconds
 * @param retryNanos {@code retry.backoff.ms}, in nanoseconds
 */
public record LinkSettings(
        String clientId, Optional<Login> login, Optional<TlsOptions> tls, TlsNames names, Duration connectTimeout, long requestNanos,
        long retryNanos) {

    /**
     * A login by SASL.
     *
     * @param mechanism {@code PLAIN}, {@code SCRAM-SHA-256} or {@code SCRAM-SHA-512}
     */
    public record Login(String mechanism, String user, Secret password) {}

    /** Reads the settings from a configuration of Kafka's producer or consumer. */
    public static LinkSettings of(AbstractConfig config, @Nullable String user, @Nullable Secret password, Optional<TlsOptions> tls,
            TlsNames names, Duration connectTimeout) {
        boolean sasl = config.getString(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG).toUpperCase(Locale.ROOT).startsWith("SASL_");
        return new LinkSettings(config.getString(CommonClientConfigs.CLIENT_ID_CONFIG),
            !sasl || user == null || password == null ? Optional.empty()
                : Optional.of(new Login(config.getString(SaslConfigs.SASL_MECHANISM), user, password)),
            tls, names, connectTimeout,
            TimeUnit.MILLISECONDS.toNanos(config.getInt(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG)),
            TimeUnit.MILLISECONDS.toNanos(config.getLong(CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG)));
    }
}
