package io.brokermeter.driver.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.driver.kafka.direct.DirectSettings;
import io.brokermeter.driver.kafka.fetch.FetchSettings;
import io.brokermeter.driver.kafka.link.LinkSettings;
import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.StoreParameter;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.jspecify.annotations.Nullable;

/**
 * The settings from URL and properties of a connection. Kafka's own defaults stay, unless the meaning of a run requires another value;
 * {@code docs/drivers/kafka.md} lists those.
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
        OwnPath.PARAMETER,
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
    static final String READ_COMMITTED = "read_committed";
    /** The prefix of the client's properties that control how it chooses partitions. */
    private static final String PARTITIONER = "partitioner.";

    private static final TlsNames TLS_NAMES = new TlsNames(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG,
        SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG + "=");
    /** Placeholders for two parameters that Kafka does not have. */
    private static final String TRUST_ALL = "trust all";
    private static final String VERIFY_HOST = "verify host";

    /** The assignors of the client that assign all partitions in one round. */
    private static final Set<String> EAGER = Set.of(RoundRobinAssignor.class.getName(), RangeAssignor.class.getName(),
        StickyAssignor.class.getName());

    /** The longest client id in bytes, which leaves room for what the driver adds. */
    private static final int LONGEST_ID = 30_000;

    private final ServerUrl url;
    private final ConnectionSettings connection;
    private final Parameters parameters;
    private final String partition;
    private final ClientConfigurations clients;
    private final OwnPath own;
    private volatile List<ServerUrl.Server> bootstrap;

    private KafkaSettings(ServerUrl url, ConnectionSettings connection, Parameters parameters) {
        this.url = url;
        this.connection = connection;
        this.parameters = parameters;
        this.partition = parameters.text("partition").orElse("");
        this.bootstrap = url.servers();
        this.clients = new ClientConfigurations(this, connection, parameters);
        this.own = new OwnPath(this, connection, parameters);
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
            new ProducerConfig(clients.producer());
            new ConsumerConfig(clients.consumer());
        } catch (ConfigException e) {
            throw new IllegalArgumentException("Kafka's client refuses its parameters: " + sentence(e), e);
        }
        own.check();
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

    /** Returns the servers with which clients begin. */
    List<ServerUrl.Server> bootstrap() {
        return bootstrap;
    }

    /** Returns the configurations of Kafka's clients. */
    ClientConfigurations clients() {
        return clients;
    }

    /** Returns which producers and consumers use brokermeter's own path. */
    OwnPath own() {
        return own;
    }

    /** Returns the settings of a producer of brokermeter's own path. */
    DirectSettings direct() throws DriverException {
        ProducerConfig config = new ProducerConfig(clients.producer());
        return DirectSettings.of(config, links(config));
    }

    /** Returns how a consumer of brokermeter's own path fetches. */
    FetchSettings fetches(ConsumerConfig config) throws DriverException {
        return FetchSettings.of(config, links(config));
    }

    private LinkSettings links(AbstractConfig config) throws DriverException {
        CertificateProbe stores = look();
        if (tls() && stores == null) {
            throw new DriverException("The trust store or the key store cannot be read by brokermeter's own Kafka path; set "
                + OwnPath.PARAMETER.name() + "=client.", null);
        }
        return LinkSettings.of(config, connection, Optional.ofNullable(stores).map(each -> each.tls().options()), TLS_NAMES);
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

    boolean choosesAssignors() {
        return parameters.has(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
    }

    boolean sasl() {
        return securityProtocol().startsWith("SASL_");
    }

    boolean tls() {
        return securityProtocol().endsWith("SSL");
    }

    private String securityProtocol() {
        return parameters.others().getOrDefault("security.protocol", "PLAINTEXT").toUpperCase(Locale.ROOT);
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
}
