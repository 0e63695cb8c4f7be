package io.brokermeter.driver.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.StoreParameter;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The settings from URL and properties of a connection, and the configurations of Kafka's clients derived from them. Kafka's own defaults
 * stay, unless the meaning of a run requires another value; {@code docs/drivers/kafka.md} lists those.
 */
final class KafkaSettings {

    static final List<Parameter> PARAMETERS = List.of(
        new Parameter("partitions", "N", "4", "Partitions of a topic that is created, and the most consumers that share it at a time"),
        new Parameter("replicas", "N", "", "Replicas of a topic that is created, the broker's default if not given"),
        new Parameter("topic-config", "NAME=VALUE;...", "",
            "Settings of a topic that is created, by the broker's names: flush.messages=1;min.insync.replicas=2."),
        new Parameter("partition", "producer|any|round-robin|N", "",
            "Where a message goes: each producer to a partition of its own, which keeps its order (the default without a key); "
                + "where Kafka's partitioner puts it (the default with one, or with a property of it); to each in turn; or to partition N"),
        new Parameter("key", "none|fixed:TEXT|N", "none", "The key of each message: none, always the same, or N different ones in turn"),
        new Parameter("group", "NAME", "", "The group of the consumers of a queue, brokermeter-<queue> if not given"),
        new Parameter("share-group", "true|false", "false",
            "Whether the consumers of a queue form a share group, with single acknowledgements"),
        new Parameter("transactional-id", "PREFIX", "brokermeter", "What the transactional ids of producers begin with"),
        new Parameter("reconnect-timeout", "SECONDS", "5",
            "How long no broker may accept connections before the connection counts as lost"));

    static final List<StoreParameter> STORES = List.of(
        new StoreParameter(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, Set.of(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG,
            SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG)),
        new StoreParameter(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, Set.of(SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG,
            SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, SslConfigs.SSL_KEYSTORE_KEY_CONFIG, SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG)));

    /** Properties that the driver sets itself, with what to use instead. */
    private static final Map<String, String> DECIDED = Map.of(
        "bootstrap.servers", "name the servers in the URL",
        "key.serializer", "keys are bytes",
        "value.serializer", "bodies are bytes",
        "key.deserializer", "keys are bytes",
        "value.deserializer", "bodies are bytes",
        "group.id", "use the parameter group",
        "enable.auto.commit", "acknowledge in batches to commit by the number of messages",
        "transactional.id", "use the parameter transactional-id",
        "share.acknowledgement.mode", "it is explicit always");

    /** The value of {@code partition} that leaves the choice to the client. */
    static final String ANY = "any";
    private static final String READ_COMMITTED = "read_committed";
    /** The prefix of the client's properties that control how it chooses partitions. */
    private static final String PARTITIONER = "partitioner.";

    private static final TlsNames TLS_NAMES = new TlsNames(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
        SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG + "=");
    /** Placeholders for two parameters that Kafka does not have. */
    private static final String TRUST_ALL = "trust all";
    private static final String VERIFY_HOST = "verify host";

    /**
     * The partition assignors. With the client's default, range, the first member gets the first partitions, which are those that the first
     * producers send to. The client's defaults are listed as well: a group uses an assignor that all its members have, and some members may
     * be other programs.
     */
    private static final List<String> ASSIGNORS = List.of(RoundRobinAssignor.class.getName(), RangeAssignor.class.getName(),
        CooperativeStickyAssignor.class.getName());

    /** The assignors of the client that assign all partitions in one round. */
    private static final Set<String> EAGER = Set.of(RoundRobinAssignor.class.getName(), RangeAssignor.class.getName(),
        StickyAssignor.class.getName());

    /** The longest client id in bytes, which leaves room for what the driver adds. */
    private static final int LONGEST_ID = 30_000;

    /** Messages of a poll for a listener that may take long. */
    private static final int SLOW_POLL_RECORDS = 10;

    private static final AtomicInteger CLIENTS = new AtomicInteger();

    private final ServerUrl url;
    private final ConnectionSettings connection;
    private final Parameters parameters;
    private final String partition;
    private volatile List<ServerUrl.Server> bootstrap;

    private KafkaSettings(ServerUrl url, ConnectionSettings connection, Parameters parameters) {
        this.url = url;
        this.connection = connection;
        this.parameters = parameters;
        this.partition = parameters.text("partition").orElse("");
        this.bootstrap = url.servers();
    }

    /** @throws IllegalArgumentException with one sentence for the user */
    static KafkaSettings of(Driver driver, ConnectionSettings connection) {
        ServerUrl url = ServerUrl.parse(connection.url(), driver.schemes(), 9092);
        if (!url.path().isEmpty()) {
            throw new IllegalArgumentException("URL '" + url.address() + "/" + url.path()
                + "' cannot be used: nothing may follow the servers but parameters; give topics as topic://NAME or queue://NAME.");
        }
        return new KafkaSettings(url, connection, Parameters.of(driver, url.query(), connection.properties(), clientNames()));
    }

    /** Returns the names of the properties that one of Kafka's clients knows. */
    static Set<String> clientNames() {
        Set<String> names = new LinkedHashSet<>(ProducerConfig.configNames());
        names.addAll(ConsumerConfig.configNames());
        names.addAll(AdminClientConfig.configNames());
        return names;
    }

    /** Checks all settings by reading each of them once. */
    void check() {
        partitions();
        replicas();
        keys();
        parameters.flag("share-group");
        topicConfig();
        patience();
        fixedPartition();
        if (!Set.of("", "producer", ANY, "round-robin").contains(partition) && fixedPartition().isEmpty()) {
            throw new IllegalArgumentException("Parameter partition of protocol KAFKA must be producer, any, round-robin or the "
                + "number of a partition, not '" + partition + "'.");
        }
        if (clientId().isPresent() && clientId().get().getBytes(StandardCharsets.UTF_8).length > LONGEST_ID) {
            throw new IllegalArgumentException("Kafka cannot carry this client id; it has more than " + LONGEST_ID + " bytes.");
        }
        if (user().isPresent() && user().get().indexOf(0) >= 0
            || connection.password() != null && connection.password().reveal().indexOf(0) >= 0) {
            throw new IllegalArgumentException("Kafka cannot carry a user name or a password with a null character.");
        }
        checkLogin();
        for (Map.Entry<String, String> given : parameters.others().entrySet()) {
            String instead = DECIDED.get(given.getKey());
            if (instead != null) {
                throw new IllegalArgumentException(
                    "Parameter " + given.getKey() + " cannot be set for protocol KAFKA; " + instead + ".");
            }
        }
        checkEffect();
        checkValues(ProducerConfig.configDef());
        checkValues(ConsumerConfig.configDef());
        checkValues(AdminClientConfig.configDef());
        try {
            new ProducerConfig(producer());
            new ConsumerConfig(consumer());
        } catch (ConfigException e) {
            throw new IllegalArgumentException("Kafka's client refuses its parameters: " + sentence(e), e);
        }
    }

    /** Rejects client properties that have no effect together with other settings. */
    private void checkEffect() {
        if (shareGroup() && parameters.has(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG)) {
            throw new IllegalArgumentException("Parameter " + ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG
                + " means nothing to a share group, whose brokers set it (group.share.heartbeat.interval.ms); leave it or share-group out.");
        }
        if (namesPartitioner() && !partition.isEmpty() && !partition.equals(ANY)) {
            throw new IllegalArgumentException("With partition=" + partition + " the client chooses no partition, and its parameters "
                + PARTITIONER + "* have no effect; leave them out, or the parameter partition.");
        }
    }

    /** Checks the login. Kafka's clients log in by SASL only, and silently ignore a login that they cannot use. */
    private void checkLogin() {
        if (connection.user() == null) {
            return;
        }
        if (connection.password() == null && !parameters.has(SaslConfigs.SASL_JAAS_CONFIG)) {
            throw new IllegalArgumentException("Kafka has no login with a user name alone; give a password for user '" + connection.user()
                + "', too, or leave the user out.");
        }
        String protocol = parameters.others().getOrDefault(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
        if (!protocol.toUpperCase(Locale.ROOT).startsWith("SASL_")) {
            throw new IllegalArgumentException("Kafka's client does not log in with security.protocol=" + protocol + "; use SASL_SSL"
                + " over TLS or SASL_PLAINTEXT without it, or leave the user out.");
        }
    }

    private void checkValues(ConfigDef definition) {
        for (Map.Entry<String, String> given : parameters.others().entrySet()) {
            ConfigDef.ConfigKey key = definition.configKeys().get(given.getKey());
            if (key == null) {
                continue;
            }
            try {
                Object value = ConfigDef.parseType(key.name, given.getValue(), key.type);
                if (key.validator != null) {
                    key.validator.ensureValid(key.name, value);
                }
            } catch (ConfigException e) {
                throw new IllegalArgumentException(key.type == ConfigDef.Type.PASSWORD
                    ? "Parameter " + key.name + " has no usable value." : sentence(e), e);
            }
        }
    }

    private static String sentence(ConfigException e) {
        String text = String.valueOf(e.getMessage()).strip();
        return text.endsWith(".") ? text : text + ".";
    }

    // ---- settings that the driver itself reads

    ServerUrl url() {
        return url;
    }

    String address() {
        return url.address();
    }

    /**
     * Sets with which servers of the URL clients that are created from now on begin. They take one of several at random, and wait for one
     * that is silent as long as for an answer to any request.
     */
    void beginWith(List<ServerUrl.Server> answering) {
        if (parameters.others().getOrDefault(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none").equalsIgnoreCase("none")) {
            bootstrap = List.copyOf(answering);
        }
    }

    Optional<String> user() {
        return Optional.ofNullable(connection.user());
    }

    Optional<String> clientId() {
        return Optional.ofNullable(connection.clientId());
    }

    /** Returns the longest time that a call to the broker may take. */
    Duration timeout() {
        return connection.connectTimeout();
    }

    int partitions() {
        return parameters.number("partitions", 1, 100_000);
    }

    Optional<Short> replicas() {
        return parameters.text("replicas").isEmpty()
            ? Optional.empty() : Optional.of((short) parameters.number("replicas", 1, Short.MAX_VALUE));
    }

    /** Returns the configuration of a topic that is created, by the broker's names. */
    Map<String, String> topicConfig() {
        Map<String, String> config = new LinkedHashMap<>();
        for (String setting : parameters.text("topic-config").orElse("").split(";")) {
            int at = setting.indexOf('=');
            if (at < 1 && !setting.isBlank()) {
                throw new IllegalArgumentException("Parameter topic-config of protocol KAFKA must be a list like "
                    + "flush.messages=1;min.insync.replicas=2, not '" + parameters.text("topic-config").orElse("") + "'.");
            }
            if (at > 0) {
                config.put(setting.substring(0, at).strip(), setting.substring(at + 1).strip());
            }
        }
        return config;
    }

    /** Returns the keys to use in turn; empty for none. */
    List<String> keys() {
        String key = parameters.text("key").orElse("none");
        if (key.equals("none")) {
            return List.of();
        }
        if (key.startsWith("fixed:")) {
            return List.of(key.substring("fixed:".length()));
        }
        int count = parameters.number("key", 1, 10_000_000);
        List<String> keys = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            keys.add(Integer.toString(i));
        }
        return keys;
    }

    /** Returns the value of the parameter {@code partition}; empty if it is not given. */
    String partition() {
        return partition;
    }

    /** Returns the partition that the user asks for, if it is a fixed one. */
    Optional<Integer> fixedPartition() {
        return !partition.isEmpty() && partition.chars().allMatch(Character::isDigit)
            ? Optional.of(parameters.number("partition", 0, Integer.MAX_VALUE)) : Optional.empty();
    }

    Optional<String> group() {
        return parameters.text("group");
    }

    boolean shareGroup() {
        return parameters.flag("share-group");
    }

    String transactionalId() {
        return parameters.text("transactional-id").orElse("brokermeter");
    }

    /** Returns how long no broker may accept connections before the connection is considered lost. */
    Duration patience() {
        return Duration.ofSeconds(parameters.number("reconnect-timeout", 0, 86_400));
    }

    String acks() {
        return parameters.others().getOrDefault("acks", "all");
    }

    /** Returns the isolation level of consumers, which decides what they see of transactions. */
    String isolation() {
        return parameters.others().getOrDefault(ConsumerConfig.ISOLATION_LEVEL_CONFIG, READ_COMMITTED);
    }

    /**
     * Returns whether the user set a property of the client's partitioner, which has an effect only if the client chooses the partition.
     */
    boolean namesPartitioner() {
        return parameters.others().keySet().stream().anyMatch(name -> name.startsWith(PARTITIONER));
    }

    /** Returns whether the client sends a message again after a failure. */
    boolean retries() {
        return !parameters.others().getOrDefault(ProducerConfig.RETRIES_CONFIG, "").strip().equals("0");
    }

    /** Returns whether the new group protocol is used, in which assignments change at the pace of the broker's heartbeat. */
    boolean consumerProtocol() {
        return parameters.others().getOrDefault("group.protocol", "classic").equalsIgnoreCase("consumer");
    }

    /**
     * Returns whether a member that gets no partition in a round of assignment has none. Only if all assignors of a member are cooperative
     * does an assignment take several rounds.
     */
    boolean placesAtOnce() {
        return !consumerProtocol() && (!choosesAssignors() || Stream.of(
            parameters.others().getOrDefault(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, "").strip().split("\\s*,\\s*"))
            .anyMatch(EAGER::contains));
    }

    private boolean choosesAssignors() {
        return parameters.has(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
    }

    boolean tls() {
        return parameters.others().getOrDefault("security.protocol", "PLAINTEXT").toUpperCase(Locale.ROOT).endsWith("SSL");
    }

    /** Returns a probe of the servers' certificates with the client's stores; null without TLS or if the stores cannot be read. */
    @Nullable CertificateProbe look() {
        return !tls() ? null : CertificateProbe.of(TLS_NAMES,
            List.of(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG), List.of(TRUST_ALL, VERIFY_HOST),
            name -> name.equals(VERIFY_HOST)
                ? Optional.of(Boolean.toString(!parameters.others().getOrDefault(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG,
                    SslConfigs.DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM).isEmpty()))
                : Optional.ofNullable(parameters.others().get(name)));
    }

    /** Returns the URL with its parameters and those of the properties; secrets are masked. */
    String shown() {
        Map<String, String> all = new LinkedHashMap<>(url.query());
        all.putAll(connection.properties());
        String query = all.entrySet().stream()
            .map(e -> e.getKey() + "=" + (isSecret(e.getKey()) ? "***" : e.getValue())).collect(Collectors.joining("&"));
        return url.address() + (query.isEmpty() ? "" : "?" + query);
    }

    private static boolean isSecret(String name) {
        for (ConfigDef definition : List.of(ProducerConfig.configDef(), ConsumerConfig.configDef(), AdminClientConfig.configDef())) {
            ConfigDef.ConfigKey key = definition.configKeys().get(name);
            if (key != null && key.type == ConfigDef.Type.PASSWORD) {
                return true;
            }
        }
        return false;
    }

    // ---- configurations of the clients

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
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, READ_COMMITTED);
        if (!consumerProtocol()) {
            // Members learn by their heartbeat that another one joined, and a run waits for that before it begins.
            config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 500);
        }
        config.putAll(given(ConsumerConfig.configNames()));
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteBufferDeserializer.class);
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteBufferDeserializer.class);
        return config;
    }

    Map<String, Object> groupConsumer(String group, boolean commitByItself, boolean fromEnd) {
        Map<String, Object> config = consumer();
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, commitByItself);
        if (!parameters.has(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)) {
            config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, fromEnd ? "latest" : "earliest");
        }
        if (!consumerProtocol() && !choosesAssignors()) {
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
            bootstrap.stream().map(Object::toString).toList());
        config.put(CommonClientConfigs.CLIENT_ID_CONFIG,
            clientId().orElse("brokermeter") + "-" + role + "-" + CLIENTS.incrementAndGet());
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
        return (int) Math.clamp(timeout().toMillis(), 1, Integer.MAX_VALUE);
    }
}
