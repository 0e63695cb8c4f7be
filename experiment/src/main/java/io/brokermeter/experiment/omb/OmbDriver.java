package io.brokermeter.experiment.omb;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;

/** The driver file of OpenMessaging Benchmark as keys of a scenario, each at the place where the file has it. */
final class OmbDriver {

    private static final List<String> KEYS = List.of("name", "driverClass", "replicationFactor", "reset", "topicConfig",
        "commonConfig", "producerConfig", "consumerConfig", "requestsPerTransaction", "amqpUris", "brokers", "messagePersistence",
        "queueType", "producerCreationDelay", "producerCreationBatchSize", "consumerCreationDelay", "consumerCreationBatchSize",
        "exchangeType", "exclusive", "routingKeyLength", "singleNode", "topicPrefix", "namesrvAddr", "clusterName",
        "vipChannelEnabled", "maxMessageSize", "compressMsgBodyOverHowmuch", "batchCQ", "autoBatch", "batchMaxBytes",
        "batchMaxDelayMs", "totalBatchMaxBytes", "sendMsgTimeout", "brokerAddress", "natsHostUrl", "storageType", "maxBytes",
        "redisHost", "redisPort", "redisUser", "redisPass", "jedisPoolMaxTotal", "jedisPoolMaxIdle", "enableBackpressure",
        "backpressureConcurrency", "accessKey", "secretKey", "connectionFactoryClassName", "connectionFactoryConfigurationParam",
        "topicNamePrefix", "messageSelector", "properties", "use20api", "sendWithTransactions",
        "delegateForAdminOperationsClassName", "client", "consumer");
    /** Keys that are left out unless their value is false. */
    private static final List<String> LEFT_OUT = List.of("producerCreationDelay", "producerCreationBatchSize", "consumerCreationDelay",
        "consumerCreationBatchSize", "exchangeType", "exclusive", "routingKeyLength", "singleNode", "topicPrefix", "clusterName",
        "vipChannelEnabled", "maxMessageSize", "compressMsgBodyOverHowmuch", "batchCQ", "autoBatch", "batchMaxBytes",
        "batchMaxDelayMs", "totalBatchMaxBytes", "jedisPoolMaxTotal", "jedisPoolMaxIdle");
    private static final List<String> MQTT_CLIENT = List.of("serverUri", "username", "password", "qos", "topicPrefix");
    private static final List<String> MQTT_CONSUMER = List.of("cleanSession", "sessionExpiryInterval", "sessionExpiryIntervalSeconds",
        "receiveMaximum");
    private static final List<String> KNOWN =
        List.of("kafka", "redpanda", "rabbitmq", "rocketmq", "artemis", "jetstream", "nats", "redis", "mqtt", "jms");
    /** Properties of Kafka's clients that the benchmark replaces by its own values, so that those in its files have no effect. */
    private static final Set<String> REPLACED =
        Set.of("group.id", "key.serializer", "value.serializer", "key.deserializer", "value.deserializer");

    private final OmbFile from;
    private final FileErrors errors;
    private final Function<String, Set<String>> parameters;
    private Tree.Fields scenario;

    /**
     * The client of a driver class, by the settings of brokermeter's driver for it.
     *
     * @param partitions key of a destination for the number of its partitions; empty for none
     * @param durable whether subscriptions are durable
     * @param window greatest number of unconfirmed sends of a producer, 0 where the file sets no limit
     */
    record Client(String protocol, String partitions, boolean durable, long window) {}

    /**
     * Creates the reader of a driver file.
     *
     * @param parameters the names of the parameters of a protocol, without which a property of a client is not known
     */
    OmbDriver(OmbFile from, FileErrors errors, Function<String, Set<String>> parameters) {
        this.from = from;
        this.errors = errors;
        this.parameters = parameters;
        this.scenario = Tree.Fields.none(from.location("driverClass"));
    }

    /** Returns the keys of the scenario that the file sets. */
    Tree.Fields scenario() {
        return scenario;
    }

    /** Refuses a file for an unknown client in one sentence, in place of one for each of its keys, which are unknown, too. */
    void check() {
        String type = from.text("driverClass", "");
        String plain = plain(type);
        if (type.isEmpty()) {
            from.wrong("driverClass", "it is missing; it says which client the file is for.");
        } else if (plain.startsWith("rocketmq5")) {
            from.wrong("driverClass", "'" + type + "' speaks gRPC to a proxy, which is not known here; a file for "
                + "RocketMQBenchmarkDriver speaks the protocol that is.");
        } else if (KNOWN.stream().noneMatch(plain::startsWith) && !plain.contains("activemq")) {
            from.wrong("driverClass", "'" + type + "' is for a client that is not known here; there are those of Kafka, Redpanda, "
                + "RabbitMQ, RocketMQ, ActiveMQ Artemis, NATS, Redis, MQTT 5 and JMS.");
        } else if (plain.startsWith("natsstreaming")) {
            from.wrong("driverClass", "'" + type + "' is for NATS Streaming, which has ended; JetStream took its place.");
        } else if (plain.startsWith("jms") && jmsProtocol().isEmpty()) {
            from.wrong("connectionFactoryClassName", "'" + from.text("connectionFactoryClassName", "") + "' of '" + type
                + "' is for a provider that is not known here; there are those of ActiveMQ Artemis, ActiveMQ and Qpid.");
        }
        errors.raise();
        from.known(KEYS);
    }

    private static String plain(String type) {
        return type.substring(type.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }

    private String jmsProtocol() {
        String factory = from.text("connectionFactoryClassName", "");
        if (factory.startsWith("org.apache.activemq.artemis.")) {
            return "CORE";
        }
        if (factory.startsWith("org.apache.activemq.")) {
            return "OPENWIRE";
        }
        return factory.startsWith("org.apache.qpid.jms.") ? "AMQP" : "";
    }

    /** Reads the file, which {@link #check} has passed. */
    Client client() {
        String plain = plain(from.text("driverClass", ""));
        for (String key : LEFT_OUT) {
            if (!from.text(key, "false").equals("false")) {
                from.warn(key, "has no counterpart; it is left out.");
            }
        }
        if (plain.startsWith("kafka") || plain.startsWith("redpanda")) {
            return kafka();
        }
        if (plain.startsWith("rabbitmq")) {
            return rabbit();
        }
        if (plain.startsWith("rocketmq")) {
            String address = from.text("namesrvAddr", "localhost:9876");
            url(from, "namesrvAddr", "rocketmq://" + address.replace(';', ','));
            if (from.has("sendMsgTimeout")) {
                set("sendMsgTimeout", "connectTimeout", from.number("sendMsgTimeout", 3000, 1) + "ms");
            }
            login(from, "accessKey", "secretKey");
            return new Client(protocol("ROCKETMQ"), "queues", true,
                from.isTrue("enableBackpressure") ? from.number("backpressureConcurrency", 1024, 1) : 0);
        }
        if (plain.startsWith("jms")) {
            return jms();
        }
        if (plain.startsWith("mqtt")) {
            return mqtt();
        }
        if (plain.startsWith("artemis") || plain.contains("activemq")) {
            url(from, "brokerAddress", from.text("brokerAddress", "tcp://localhost:61616"));
            return protocol("CORE", "", true);
        }
        if (plain.startsWith("jetstream") || plain.startsWith("nats")) {
            return nats();
        }
        if (plain.startsWith("redis")) {
            url(from, "redisHost", "redis://" + from.text("redisHost", "localhost") + ":" + from.number("redisPort", 6379, 1));
            login(from, "redisUser", "redisPass");
            return protocol("REDIS", "", true);
        }
        throw new IllegalStateException("No client for " + plain);
    }

    private static String schemed(String scheme, String address) {
        return address.contains("://") ? address : scheme + address;
    }

    /** Takes the user name of a driver file, but not its password. */
    private void login(OmbFile part, String user, String password) {
        if (part.has(user)) {
            set(part.location(user), "user", part.text(user, ""));
        }
        if (part.has(password)) {
            part.warn(password, "a password is not taken from here; give it with --set passwordFile=FILE or --set passwordEnv=NAME.");
        }
    }

    private Client rabbit() {
        String key = from.has("amqpUris") ? "amqpUris" : from.has("brokers") ? "brokers" : "brokerAddress";
        url(from, key, schemed("amqp://", from.first(key, "localhost")));
        if (from.isTrue("messagePersistence")) {
            set("messagePersistence", "producers.message.persistent", true);
        }
        String type = from.text("queueType", "classic").toLowerCase(Locale.ROOT);
        if (!type.equals("classic")) {
            set("queueType", "properties.queue-type", type);
        }
        return protocol("AMQP091", "", true);
    }

    private Client nats() {
        url(from, "natsHostUrl", schemed("nats://", from.text("natsHostUrl", "localhost:4222")));
        String replicas = from.text("replicationFactor", "1");
        if (!replicas.equals("1")) {
            set("replicationFactor", "properties.replicas", replicas);
        }
        if (from.has("storageType")) {
            set("storageType", "properties.storage", from.text("storageType", "").toLowerCase(Locale.ROOT));
        }
        if (!from.text("maxBytes", "-1").equals("-1")) {
            from.warn("maxBytes", "has no counterpart; it is left out.");
        }
        // The benchmark's driver for NATS publishes to streams, whose replicas this key sets.
        return protocol("NATS", "", true);
    }

    private Client jms() {
        String protocol = jmsProtocol();
        String key = "connectionFactoryConfigurationParam";
        url(from, key, from.text(key, "tcp://localhost:61616"));
        if (from.isTrue("sendWithTransactions")) {
            set("sendWithTransactions", "producers.commitInterval", 1);
        }
        if (from.has("messageSelector")) {
            set("messageSelector", "consumers.selector", from.text("messageSelector", ""));
        }
        for (OmbFile one : from.sections("properties")) {
            set(one.location("name"), "message.headers." + one.text("name", ""), one.text("value", ""));
        }
        return protocol(protocol, "", true);
    }

    private Client mqtt() {
        OmbFile client = from.section("client");
        if (client != null) {
            client.known(MQTT_CLIENT);
            String server = client.text("serverUri", "tcp://localhost:1883").replaceFirst("^tcp://", "mqtt://")
                .replaceFirst("^ssl://", "mqtts://");
            url(client, "serverUri", schemed("mqtt://", server));
            login(client, "username", "password");
            set(client.location("qos"), "properties.qos", client.number("qos", 1, 0));
        }
        set("driverClass", "properties.version", 5);
        boolean durable = false;
        OmbFile consumer = from.section("consumer");
        if (consumer != null) {
            consumer.known(MQTT_CONSUMER);
            durable = consumer.text("cleanSession", "true").equals("false");
            String expiry = consumer.has("sessionExpiryInterval") ? "sessionExpiryInterval" : "sessionExpiryIntervalSeconds";
            if (consumer.has(expiry)) {
                set(consumer.location(expiry), "consumers.properties.session-expiry", consumer.text(expiry, ""));
            }
            if (consumer.has("receiveMaximum")) {
                set(consumer.location("receiveMaximum"), "consumers.properties.receive-maximum", consumer.number("receiveMaximum", 256, 1));
            }
        }
        return protocol("MQTT", "", durable);
    }

    private Client kafka() {
        Map<String, OmbFile.Written> common = from.config("commonConfig");
        OmbFile.Written servers = common.remove("bootstrap.servers");
        if (servers == null) {
            from.wrong("commonConfig", "it lacks bootstrap.servers, which says where the brokers are.");
        } else {
            set(servers.location(), "url", "kafka://" + servers.text());
        }
        properties("commonConfig", common, "properties.");
        if (from.has("replicationFactor")) {
            set("replicationFactor", "properties.replicas", from.text("replicationFactor", ""));
        }
        List<String> topic = new ArrayList<>();
        from.config("topicConfig").forEach((name, value) -> {
            if (name.equals("replication.factor")) {
                set(value.location(), "properties.replicas", value.text());
            } else if (!value.text().isEmpty()) {
                topic.add(name + "=" + value.text());
            }
        });
        if (!topic.isEmpty()) {
            set("topicConfig", "properties.topic-config", String.join(";", topic));
        }
        properties("producerConfig", from.config("producerConfig"), "producers.properties.");
        if (from.has("requestsPerTransaction")) {
            set("requestsPerTransaction", "producers.commitInterval", from.number("requestsPerTransaction", 1, 1));
        }
        Map<String, OmbFile.Written> consumer = from.config("consumerConfig");
        OmbFile.Written commits = consumer.remove("enable.auto.commit");
        if (commits != null) {
            from.warn(commits.location(), "consumerConfig", "enable.auto.commit is this tool's own affair; it is left out.");
        }
        // The topics of the benchmark are new. Here a topic may exist already, with messages of other runs.
        consumer.remove("auto.offset.reset");
        properties("consumerConfig", consumer, "consumers.properties.");
        return protocol("KAFKA", "partitions", true);
    }

    /** Takes the properties of a client, without those that have no effect in the benchmark either. */
    private void properties(String key, Map<String, OmbFile.Written> all, String path) {
        Set<String> known = parameters.apply("KAFKA");
        all.forEach((name, value) -> {
            if (REPLACED.contains(name)) {
                from.warn(value.location(), key, name + " is left out; the benchmark replaces it by a value of its own.");
            } else if (!known.isEmpty() && !known.contains(name)) {
                from.warn(value.location(), key, name + " is left out; Kafka's clients do not know it, and ignore it.");
            } else {
                set(value.location(), path + name, value.text());
            }
        });
    }

    private String protocol(String name) {
        set("driverClass", "protocol", name);
        return name;
    }

    private Client protocol(String name, String partitions, boolean durable) {
        return new Client(protocol(name), partitions, durable, 0);
    }

    /** Sets the URL without its login: the user name becomes a setting of its own, the password must be given in another way. */
    private void url(OmbFile part, String key, String url) {
        SourceLocation location = part.location(key);
        Matcher login = Pattern.compile("(.*://)([^/@:]*)(:[^/@]*)?@(.*)").matcher(url);
        if (!login.matches()) {
            set(location, "url", url);
            return;
        }
        set(location, "url", login.group(1) + login.group(4));
        set(location, "user", login.group(2));
        if (login.group(3) != null) {
            part.warn(key, "has a password in it, which is left out; give it with --set passwordFile=FILE or --set passwordEnv=NAME.");
        }
    }

    private void set(String key, String path, Object value) {
        set(from.location(key), path, value);
    }

    private void set(SourceLocation location, String path, Object value) {
        scenario = KeyPath.set(scenario, path, new Tree.Leaf(value.toString(), false, location), location);
    }
}
