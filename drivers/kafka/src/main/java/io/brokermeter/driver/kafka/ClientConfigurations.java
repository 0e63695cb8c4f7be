package io.brokermeter.driver.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Parameters;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/** The configurations of Kafka's clients, derived from the settings of a connection. */
final class ClientConfigurations {

    /**
     * The partition assignors. With the client's default, range, the first member gets the first partitions, which are those that the first
     * producers send to. The client's defaults are listed as well: a group uses an assignor that all its members have, and some members may
     * be other programs.
     */
    private static final List<String> ASSIGNORS = List.of(RoundRobinAssignor.class.getName(), RangeAssignor.class.getName(),
        CooperativeStickyAssignor.class.getName());

    /** Messages of a poll for a listener that may take long. */
    private static final int SLOW_POLL_RECORDS = 10;

    private static final AtomicInteger CLIENTS = new AtomicInteger();

    private final KafkaSettings settings;
    private final ConnectionSettings connection;
    private final Parameters parameters;

    ClientConfigurations(KafkaSettings settings, ConnectionSettings connection, Parameters parameters) {
        this.settings = settings;
        this.connection = connection;
        this.parameters = parameters;
    }

    Map<String, Object> admin() {
        Map<String, Object> config = common("admin");
        int limit = millis();
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, limit);
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, limit);
        config.put(AdminClientConfig.RETRY_BACKOFF_MS_CONFIG, 20L);
        Map<String, Object> given = given(AdminClientConfig.configNames());
        config.putAll(given);
        if (given.get(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG) instanceof String request
            && !given.containsKey(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG)) {
            // The client refuses a timeout for the whole call that is below the timeout of one request.
            config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.max(limit, Integer.parseInt(request.strip())));
        }
        return config;
    }

    Map<String, Object> producer() {
        Map<String, Object> config = common("producer");
        // The broker decides how large a message may be, not the client.
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 32 << 20);
        config.putAll(given(ProducerConfig.configNames()));
        config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return config;
    }

    /** Returns the configuration of a producer with a transactional id; calls of transactions end within the connect timeout. */
    Map<String, Object> transactional(String id) {
        Map<String, Object> config = producer();
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        if (!parameters.has(ProducerConfig.MAX_BLOCK_MS_CONFIG)) {
            config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (long) millis());
        }
        return config;
    }

    /** Returns the configuration of a consumer without a group. */
    Map<String, Object> consumer() {
        Map<String, Object> config = common("consumer");
        // Messages of a transaction must not arrive before its end.
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, KafkaSettings.READ_COMMITTED);
        if (!settings.consumerProtocol()) {
            // Members learn by their heartbeat that another one joined, and a run waits for that before it begins.
            config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 500);
        }
        config.putAll(given(ConsumerConfig.configNames()));
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteBufferDeserializer.class);
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteBufferDeserializer.class);
        return config;
    }

    Map<String, Object> groupConsumer(String group, boolean fromEnd) {
        Map<String, Object> config = consumer();
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        if (!parameters.has(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)) {
            config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, fromEnd ? "latest" : "earliest");
        }
        if (!settings.consumerProtocol() && !settings.choosesAssignors()) {
            config.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, ASSIGNORS);
        }
        return config;
    }

    /**
     * Adds to the configuration of a consumer whose listener may take long that a poll returns few messages, unless the user set how many: a
     * member answers its group only by polling again, and the lock of a share group on a message ends after 30 s.
     */
    void limitPolls(Map<String, Object> config) {
        if (!parameters.has(ConsumerConfig.MAX_POLL_RECORDS_CONFIG)) {
            config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, SLOW_POLL_RECORDS);
        }
    }

    Map<String, Object> loneConsumer() {
        Map<String, Object> config = consumer();
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return config;
    }

    Map<String, Object> shareConsumer(String group) {
        Map<String, Object> config = consumer();
        // A share group does not know these and refuses them.
        config.remove(ConsumerConfig.ISOLATION_LEVEL_CONFIG);
        config.remove(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put("share.acknowledgement.mode", "explicit");
        return config;
    }

    private Map<String, Object> common(String role) {
        Map<String, Object> config = new HashMap<>();
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
            settings.bootstrap().stream().map(Object::toString).toList());
        config.put(CommonClientConfigs.CLIENT_ID_CONFIG,
            settings.clientId().orElse("brokermeter") + "-" + role + "-" + CLIENTS.incrementAndGet());
        // Otherwise clients start again with the servers of the URL, without a pause while none of them answers.
        config.put(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG,
            parameters.others().getOrDefault(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none"));
        if (connection.user() != null && connection.password() != null) {
            config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
            String mechanism = parameters.others().getOrDefault(SaslConfigs.SASL_MECHANISM, "PLAIN");
            config.put(SaslConfigs.SASL_MECHANISM, mechanism);
            config.put(SaslConfigs.SASL_JAAS_CONFIG, (mechanism.startsWith("SCRAM-")
                ? "org.apache.kafka.common.security.scram.ScramLoginModule" : "org.apache.kafka.common.security.plain.PlainLoginModule")
                + " required username=" + quoted(connection.user()) + " password=" + quoted(connection.password().reveal()) + ";");
        }
        return config;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private Map<String, Object> given(Set<String> known) {
        Map<String, Object> given = new HashMap<>(parameters.others());
        given.keySet().retainAll(known);
        return given;
    }

    private int millis() {
        return (int) Math.clamp(settings.timeout().toMillis(), 1, Integer.MAX_VALUE);
    }
}
