package io.brokermeter.experiment;

import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Nearest;
import org.jspecify.annotations.Nullable;

/**
 * Reads workload and driver files of OpenMessaging Benchmark. A setting without a counterpart is an error when the run would have
 * another meaning without it, and a warning otherwise; both name file, line and key.
 */
public final class OmbFiles {

    private static final List<String> WORKLOAD = List.of("name", "topics", "partitionsPerTopic", "keyDistributor", "messageSize",
        "payloadFile", "useRandomizedPayloads", "randomBytesRatio", "randomizedPayloadPoolSize", "subscriptionsPerTopic",
        "consumerPerSubscription", "producersPerTopic", "producerRate", "consumerBacklogSizeGB", "backlogDrainRatio",
        "testDurationMinutes", "warmupDurationMinutes");
    private static final List<String> DRIVER = List.of("name", "driverClass", "replicationFactor", "reset", "topicConfig",
        "commonConfig", "producerConfig", "consumerConfig", "amqpUris", "messagePersistence", "queueType", "producerCreationDelay",
        "producerCreationBatchSize", "consumerCreationDelay", "consumerCreationBatchSize", "namesrvAddr", "clusterName",
        "vipChannelEnabled", "maxMessageSize", "batchCQ", "autoBatch", "sendMsgTimeout", "brokerAddress", "natsHostUrl",
        "redisHost", "redisPort", "redisUser", "redisPass", "jedisPoolMaxTotal", "jedisPoolMaxIdle", "enableBackpressure",
        "backpressureConcurrency", "accessKey", "secretKey", "connectionFactoryClassName", "connectionFactoryConfigurationParam",
        "topicNamePrefix", "messageSelector", "properties", "use20api", "sendWithTransactions",
        "delegateForAdminOperationsClassName", "client", "consumer");
    private static final List<String> MQTT_CLIENT = List.of("serverUri", "username", "password", "qos", "topicPrefix");
    private static final List<String> MQTT_CONSUMER = List.of("cleanSession", "sessionExpiryInterval", "sessionExpiryIntervalSeconds",
        "receiveMaximum");

    /** The rate from which on, in messages per second, a file means as fast as possible. */
    private static final long UNLIMITED = 10_000_000;
    /** The greatest number of unconfirmed sends where the file sets no limit: of one producer, and of all producers together. */
    private static final long WINDOW = 10_000;
    private static final long ALL_WINDOWS = 2_000_000;
    private static final long MOST_ENDPOINTS = 100_000;

    private final Tree.Fields workload;
    private final Tree.@Nullable Fields driver;
    private final Path workloadFile;
    private final FileErrors errors = new FileErrors();
    private final List<String> warnings = new ArrayList<>();
    private Tree.Fields file;

    private OmbFiles(Path workloadFile, @Nullable Path driverFile) {
        this.workloadFile = workloadFile;
        workload = TreeReader.file(workloadFile);
        driver = driverFile == null ? null : TreeReader.file(driverFile);
        file = Tree.Fields.none(workload.place());
    }

    /**
     * The client of a driver class, by the settings of brokermeter's driver for it.
     *
     * @param partitions key of a destination for the number of its partitions; empty for none
     * @param durable whether subscriptions are durable
     * @param window greatest number of unconfirmed sends of a producer, 0 where the file sets no limit
     */
    private record Client(String protocol, String partitions, boolean durable, long window) {}

    /**
     * Returns the experiment of a workload file, on the broker that a driver file names.
     *
     * @param driver the driver file, or null to take protocol and broker from {@code changes}
     * @throws UsageException with one sentence for each mistake
     */
    public static Experiment read(Path workload, @Nullable Path driver, Changes changes) {
        return new OmbFiles(workload, driver).experiment(changes);
    }

    private Experiment experiment(Changes changes) {
        known(workload, WORKLOAD);
        if (driver != null) {
            refuseUnknownClient(driver);
            known(driver, DRIVER);
        }
        errors.raise();
        Client client = driver == null ? new Client("", "", true, 0) : client(driver);
        errors.raise();
        set("name", text(workload, "name", "omb").replaceAll("[^\\p{L}\\p{N} ._-]", "-"));
        work(client);
        errors.raise();
        if (changes.sets().stream().anyMatch(set -> set.startsWith("broker=") || set.startsWith("broker."))) {
            // A throwaway broker replaces that of the driver file.
            file = file.without("url").without("user");
        }
        return ScenarioFile.experiment(file, workloadFile.toString(), "omb",
            workloadFile.getParent() == null ? Path.of("") : workloadFile.getParent(), changes, warnings);
    }

    /** Refuses a file for an unknown client in one sentence, in place of one for each of its keys, which are unknown, too. */
    private void refuseUnknownClient(Tree.Fields from) {
        String type = text(from, "driverClass", "");
        String plain = plain(type);
        if (type.isEmpty()) {
            wrong(from, "driverClass", "it is missing; it says which client the file is for.");
        } else if (plain.startsWith("rocketmq5")) {
            wrong(from, "driverClass", "'" + type + "' speaks gRPC to a proxy, which is not known here; a file for "
                + "RocketMQBenchmarkDriver speaks the protocol that is.");
        } else if (KNOWN.stream().noneMatch(plain::startsWith) && !plain.contains("activemq")) {
            wrong(from, "driverClass", "'" + type + "' is for a client that is not known here; there are those of Kafka, RabbitMQ, "
                + "RocketMQ, ActiveMQ Artemis, NATS, Redis, MQTT 5 and JMS.");
        } else if (plain.startsWith("natsstreaming")) {
            wrong(from, "driverClass", "'" + type + "' is for NATS Streaming, which has ended; JetStream took its place.");
        } else if (plain.startsWith("jms") && jmsProtocol(from).isEmpty()) {
            wrong(from, "connectionFactoryClassName", "'" + text(from, "connectionFactoryClassName", "") + "' of '" + type
                + "' is for a provider that is not known here; there are those of ActiveMQ Artemis, ActiveMQ and Qpid.");
        }
        errors.raise();
    }

    private static final List<String> KNOWN =
        List.of("kafka", "rabbitmq", "rocketmq", "artemis", "jetstream", "nats", "redis", "mqtt", "jms");

    private static String plain(String type) {
        return type.substring(type.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }

    private static String jmsProtocol(Tree.Fields from) {
        String factory = text(from, "connectionFactoryClassName", "");
        if (factory.startsWith("org.apache.activemq.artemis.")) {
            return "CORE";
        }
        if (factory.startsWith("org.apache.activemq.")) {
            return "OPENWIRE";
        }
        return factory.startsWith("org.apache.qpid.jms.") ? "AMQP" : "";
    }

    /** Refuses unknown keys, except keys without a value: the benchmark's files have these to show what could be set. */
    private void known(Tree.Fields file, List<String> keys) {
        file.fields().forEach((name, field) -> {
            String value = field.value() instanceof Tree.Leaf leaf ? leaf.isNothing() ? "" : leaf.text() : "some";
            if (!keys.contains(name) && !value.isEmpty()) {
                String near = Nearest.to(name, keys);
                errors.about(field.place(), name, "OpenMessaging Benchmark has no such key that is known here"
                    + (near == null ? "." : "; did you mean '" + near + "'?"));
            }
        });
    }

    private void work(Client client) {
        long topics = number(workload, "topics", 1, 1);
        long partitions = number(workload, "partitionsPerTopic", 1, 1);
        long subscriptions = number(workload, "subscriptionsPerTopic", 1, 0);
        long consumers = number(workload, "consumerPerSubscription", 1, 0);
        long producers = number(workload, "producersPerTopic", 1, 0);
        long rate = number(workload, "producerRate", 0, 0);
        boolean queue = subscriptions <= 1;
        if ((double) topics * Math.max(1, Math.max(producers, consumers * subscriptions)) > MOST_ENDPOINTS) {
            wrong(workload, "topics", String.format(Locale.ROOT, "%,d topics with %,d producers and %,d consumers each are more than "
                + "%,d of a kind, which is the most that one process here makes; take fewer with a smaller file.", topics, producers,
                consumers * subscriptions, MOST_ENDPOINTS));
            return;
        }
        set("destinations." + (queue ? "queue" : "topic"), "omb-test");
        if (topics > 1) {
            set("destinations.count", topics);
        }
        if (!client.partitions().isEmpty()) {
            set("destinations." + client.partitions(), partitions);
        } else if (partitions > 1) {
            warn(workload, "partitionsPerTopic", "has no counterpart here; it is left out.");
        }
        message();
        if (producers > 0) {
            set("producers.count", producers);
            set("producers.maxPending", client.window() > 0 ? client.window()
                : Math.clamp(ALL_WINDOWS / (producers * topics), 1, WINDOW));
            boolean unlimited = rate == 0 || rate >= UNLIMITED;
            set("load.rate", unlimited ? "unlimited" : rate + "/s");
            if (rate == 0) {
                warn(workload, "producerRate", "0 searches for the highest rate there; here it sends as fast as confirmations "
                    + "allow.");
            } else if (unlimited) {
                warn(workload, "producerRate", rate + " stands for no limit: it sends as fast as confirmations allow.");
            }
        }
        boolean consumes = subscriptions > 0 && consumers > 0;
        if (consumes) {
            set("consumers.count", consumers);
            if (!queue) {
                set("consumers.shared", subscriptions);
                set("consumers.durable", client.durable());
            }
        }
        number(workload, "backlogDrainRatio", 1, 0);
        long warmup = number(workload, "warmupDurationMinutes", 1, 0);
        long minutes = number(workload, "testDurationMinutes", 0, 1);
        if (minutes == 0 && text(workload, "testDurationMinutes", "").isEmpty()) {
            wrong(workload, "testDurationMinutes", "it is missing; without it the run would never end.");
        }
        long backlog = consumes ? backlogSeconds(rate, subscriptions) : 0;
        if (backlog > 0) {
            // The benchmark builds the backlog after the warm-up, whose messages are consumed; here the consumers start after both.
            set("consumers.start", warmup * 60 + backlog + "s");
        }
        set("warmup", warmup + "m");
        set("duration", (warmup + minutes) * 60 + backlog + "s");
        // A driver file has settings of both sides, and a setting of a group creates the group.
        if (!consumes) {
            file = file.without("consumers");
            if (number(workload, "consumerBacklogSizeGB", 0, 0) > 0) {
                warn(workload, "consumerBacklogSizeGB", "there are no consumers that could drain it; it is left out.");
            }
        }
        if (producers == 0) {
            file = file.without("producers");
        }
    }

    /**
     * Returns the time in seconds that the producers need at their rate to build the backlog of the file; 0 for no backlog. The benchmark
     * counts a message once for each subscription in which it waits.
     */
    private long backlogSeconds(long rate, long subscriptions) {
        long gigabytes = number(workload, "consumerBacklogSizeGB", 0, 0);
        if (gigabytes == 0) {
            return 0;
        }
        long size = number(workload, "messageSize", 0, 1);
        if (rate == 0 || rate >= UNLIMITED || size == 0) {
            wrong(workload, "consumerBacklogSizeGB", "a backlog needs a 'producerRate' below " + UNLIMITED + " and a 'messageSize', "
                + "which say how long it takes to build.");
            return 0;
        }
        long seconds = Math.ceilDiv(Math.ceilDiv(gigabytes << 30, subscriptions), size * rate);
        warn(workload, "consumerBacklogSizeGB", "it is built by consumers that start " + seconds + " s behind the warm-up, at the rate of "
            + "the file; --scale makes it smaller. The producers go on while it is drained, as they do there.");
        return seconds;
    }

    private void message() {
        long size = number(workload, "messageSize", 0, 1);
        String payload = text(workload, "payloadFile", "");
        boolean random = text(workload, "useRandomizedPayloads", "false").equals("true");
        if (size > 0 && (random || payload.isEmpty())) {
            set("message.size", size);
        }
        if (random) {
            if (size == 0) {
                wrong(workload, "messageSize", "it is missing, and 'useRandomizedPayloads' needs it.");
            }
            String ratio = text(workload, "randomBytesRatio", "0");
            try {
                double share = Double.parseDouble(ratio);
                if (!(share >= 0 && share <= 1)) {
                    wrong(workload, "randomBytesRatio", "'" + ratio + "' must be from 0 to 1.");
                } else if (share < 1) {
                    set("message.body", "compressible:" + ScenarioTexts.share(BigDecimal.ONE
                        .subtract(BigDecimal.valueOf(share)).doubleValue()));
                }
            } catch (NumberFormatException e) {
                wrong(workload, "randomBytesRatio", "'" + ratio + "' must be a number from 0 to 1.");
            }
        } else if (!payload.isEmpty()) {
            Path found = payload(payload);
            if (found == null) {
                wrong(workload, "payloadFile", "the file " + payload + " does not exist beside the workload or in a directory "
                    + "above it.");
            } else {
                try {
                    if (size > 0 && Files.size(found) != size) {
                        wrong(workload, "payloadFile", "the file " + found + " has " + Files.size(found) + " bytes, and "
                            + "'messageSize' says " + size + ".");
                    }
                } catch (IOException e) {
                    wrong(workload, "payloadFile", "the file " + found + " cannot be read: " + e.getMessage() + ".");
                }
                set("message.body", "file:" + found.toAbsolutePath().normalize());
            }
        } else if (size == 0) {
            wrong(workload, "messageSize", "it is missing, and there is no 'payloadFile' either.");
        }
        switch (text(workload, "keyDistributor", "NO_KEY")) {
            case "NO_KEY" -> {}
            case "KEY_ROUND_ROBIN" -> set("message.keys", "round-robin:10000");
            case "RANDOM_NANO" -> set("message.keys", "uniform:10000");
            default -> wrong(workload, "keyDistributor", "'" + text(workload, "keyDistributor", "") + "' is none of NO_KEY, "
                + "KEY_ROUND_ROBIN, RANDOM_NANO.");
        }
    }

    private @Nullable Path payload(String name) {
        Path named = ValueSyntax.path(name, Path.of(""));
        Path directory = workloadFile.toAbsolutePath().normalize().getParent();
        while (directory != null) {
            Path candidate = directory.resolve(named);
            if (Files.isRegularFile(candidate)) {
                return candidate;
            }
            directory = directory.getParent();
        }
        return null;
    }

    private Client client(Tree.Fields from) {
        String plain = plain(text(from, "driverClass", ""));
        for (String creation : List.of("producerCreationDelay", "producerCreationBatchSize", "consumerCreationDelay",
            "consumerCreationBatchSize", "reset", "clusterName", "vipChannelEnabled", "maxMessageSize", "batchCQ", "autoBatch",
            "jedisPoolMaxTotal", "jedisPoolMaxIdle")) {
            if (!text(from, creation, "false").equals("false") && !creation.equals("reset")) {
                warn(from, creation, "has no counterpart; it is left out.");
            }
        }
        if (plain.startsWith("kafka")) {
            return kafka(from);
        }
        if (plain.startsWith("rabbitmq")) {
            String uris = from.get("amqpUris") instanceof Tree.Items list && !list.items().isEmpty()
                ? list.items().getFirst().flow() : text(from, "amqpUris", "localhost");
            url(from, "amqpUris", schemed("amqp://", uris));
            if (text(from, "messagePersistence", "false").equals("true")) {
                set("producers.message.persistent", true);
            }
            String type = text(from, "queueType", "classic").toLowerCase(Locale.ROOT);
            if (!type.equals("classic")) {
                set("properties.queue-type", type);
            }
            return protocol("AMQP091", "", true);
        }
        if (plain.startsWith("rocketmq")) {
            String address = text(from, "namesrvAddr", "localhost:9876");
            url(from, "namesrvAddr", "rocketmq://" + address.replace(';', ','));
            if (!text(from, "sendMsgTimeout", "").isEmpty()) {
                set("connectTimeout", number(from, "sendMsgTimeout", 3000, 1) + "ms");
            }
            login(from, "accessKey", "secretKey");
            boolean bounded = text(from, "enableBackpressure", "false").equals("true");
            return new Client(protocol("ROCKETMQ"), "queues", true, bounded ? number(from, "backpressureConcurrency", 1024, 1) : 0);
        }
        if (plain.startsWith("jms")) {
            return jms(from);
        }
        if (plain.startsWith("mqtt")) {
            return mqtt(from);
        }
        if (plain.startsWith("artemis") || plain.contains("activemq")) {
            url(from, "brokerAddress", text(from, "brokerAddress", "tcp://localhost:61616"));
            return protocol("CORE", "", true);
        }
        if (plain.startsWith("jetstream") || plain.startsWith("nats")) {
            url(from, "natsHostUrl", schemed("nats://", text(from, "natsHostUrl", "localhost:4222")));
            String replicas = text(from, "replicationFactor", "1");
            if (!replicas.equals("1")) {
                set("properties.replicas", replicas);
            }
            // The benchmark's driver for NATS publishes to streams, whose replicas this key sets.
            return protocol("NATS", "", true);
        }
        if (plain.startsWith("redis")) {
            url(from, "redisHost", "redis://" + text(from, "redisHost", "localhost") + ":" + number(from, "redisPort", 6379, 1));
            login(from, "redisUser", "redisPass");
            return protocol("REDIS", "", true);
        }
        throw new IllegalStateException("No client for " + plain);
    }

    private static String schemed(String scheme, String address) {
        return address.contains("://") ? address : scheme + address;
    }

    /** Takes the user name of a driver file, but not its password. */
    private void login(Tree.Fields from, String user, String password) {
        if (!text(from, user, "").isEmpty()) {
            set("user", text(from, user, ""));
        }
        if (!text(from, password, "").isEmpty()) {
            warn(from, password, "a password is not taken from here; give it with --set passwordFile=FILE or --set passwordEnv=NAME.");
        }
    }

    private Client jms(Tree.Fields from) {
        String protocol = jmsProtocol(from);
        url(from, "connectionFactoryConfigurationParam", text(from, "connectionFactoryConfigurationParam", "tcp://localhost:61616"));
        if (text(from, "sendWithTransactions", "false").equals("true")) {
            set("producers.commitInterval", 1);
        }
        String selector = text(from, "messageSelector", "");
        if (!selector.isEmpty()) {
            set("consumers.selector", selector);
        }
        if (from.get("properties") instanceof Tree.Items list && !list.items().isEmpty()) {
            for (Tree item : list.items()) {
                if (item instanceof Tree.Fields one) {
                    set("message.headers." + text(one, "name", ""), text(one, "value", ""));
                }
            }
        }
        return protocol(protocol, "", true);
    }

    private Client mqtt(Tree.Fields from) {
        if (from.get("client") instanceof Tree.Fields client) {
            known(client, MQTT_CLIENT);
            String server = text(client, "serverUri", "tcp://localhost:1883").replaceFirst("^tcp://", "mqtt://")
                .replaceFirst("^ssl://", "mqtts://");
            url(client, "serverUri", schemed("mqtt://", server));
            login(client, "username", "password");
            set("properties.qos", number(client, "qos", 1, 0));
        }
        set("properties.version", 5);
        boolean durable = false;
        if (from.get("consumer") instanceof Tree.Fields consumer) {
            known(consumer, MQTT_CONSUMER);
            durable = text(consumer, "cleanSession", "true").equals("false");
            String expiry = text(consumer, "sessionExpiryInterval", text(consumer, "sessionExpiryIntervalSeconds", ""));
            if (!expiry.isEmpty()) {
                set("consumers.properties.session-expiry", expiry);
            }
            if (!text(consumer, "receiveMaximum", "").isEmpty()) {
                set("consumers.properties.receive-maximum", number(consumer, "receiveMaximum", 256, 1));
            }
        }
        return protocol("MQTT", "", durable);
    }

    private Client kafka(Tree.Fields from) {
        Map<String, String> common = config(from, "commonConfig");
        String servers = common.remove("bootstrap.servers");
        if (servers == null) {
            wrong(from, "commonConfig", "it lacks bootstrap.servers, which says where the brokers are.");
            servers = "";
        }
        url(from, "commonConfig", "kafka://" + servers);
        common.forEach((name, value) -> set("properties." + name, value));
        String replicas = text(from, "replicationFactor", "");
        if (!replicas.isEmpty()) {
            set("properties.replicas", replicas);
        }
        List<String> topic = new ArrayList<>();
        config(from, "topicConfig").forEach((name, value) -> {
            if (name.equals("replication.factor")) {
                set("properties.replicas", value);
            } else if (!value.isEmpty()) {
                topic.add(name + "=" + value);
            }
        });
        if (!topic.isEmpty()) {
            set("properties.topic-config", String.join(";", topic));
        }
        config(from, "producerConfig").forEach((name, value) -> set("producers.properties." + name, value));
        config(from, "consumerConfig").forEach((name, value) -> {
            if (name.equals("enable.auto.commit")) {
                warn(from, "consumerConfig", name + " is this tool's own affair; it is left out.");
            } else if (!name.equals("auto.offset.reset")) {
                // The topics of the benchmark are new. Here a topic may exist already, with messages of other runs.
                set("consumers.properties." + name, value);
            }
        });
        return protocol("KAFKA", "partitions", true);
    }

    private String protocol(String name) {
        set("protocol", name);
        return name;
    }

    private Client protocol(String name, String partitions, boolean durable) {
        return new Client(protocol(name), partitions, durable, 0);
    }

    /** Sets the URL without its login: the user name becomes a setting of its own, the password must be given in another way. */
    private void url(Tree.Fields from, String key, String url) {
        Matcher login = Pattern.compile("(.*://)([^/@:]*)(:[^/@]*)?@(.*)").matcher(url);
        if (!login.matches()) {
            set("url", url);
            return;
        }
        set("url", login.group(1) + login.group(4));
        set("user", login.group(2));
        if (login.group(3) != null) {
            warn(from, key, "has a password in it, which is left out; give it with --set passwordFile=FILE or --set "
                + "passwordEnv=NAME.");
        }
    }

    /** Returns the Java properties in the text of a key, as driver files have them, or the entries of a map. */
    private Map<String, String> config(Tree.Fields from, String key) {
        Map<String, String> all = new LinkedHashMap<>();
        Tree tree = from.get(key);
        if (tree instanceof Tree.Fields fields) {
            fields.fields().forEach((name, field) -> all.put(name, field.value().flow()));
        } else if (tree instanceof Tree.Leaf leaf && !leaf.isNothing()) {
            Properties properties = new Properties();
            try {
                properties.load(new StringReader(leaf.text()));
            } catch (IOException | IllegalArgumentException e) {
                wrong(from, key, "it does not consist of lines like name=value: " + e.getMessage() + ".");
            }
            properties.stringPropertyNames().stream().sorted().filter(name -> !properties.getProperty(name).isBlank())
                .forEach(name -> all.put(name, properties.getProperty(name)));
        }
        return all;
    }

    private void set(String path, Object value) {
        Place place = workload.place();
        file = KeyPath.set(file, path, new Tree.Leaf(value.toString(), false, place), place);
    }

    private static String text(Tree.Fields from, String key, String otherwise) {
        Tree tree = from.get(key);
        return tree == null || tree.flow().isEmpty() || tree.flow().equals("null") ? otherwise : tree.flow();
    }

    private long number(Tree.Fields from, String key, long otherwise, long least) {
        String text = text(from, key, "");
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            long value = new BigDecimal(text).longValueExact();
            if (value >= least && value <= Integer.MAX_VALUE) {
                return value;
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // the sentence below covers it
        }
        wrong(from, key, "'" + text + "' must be a whole number of at least " + least + " and at most " + Integer.MAX_VALUE + ".");
        return otherwise;
    }

    private void wrong(Tree.Fields from, String key, String sentence) {
        Tree.Field field = from.fields().get(key);
        errors.about(field == null ? from.place() : field.place(), key, sentence);
    }

    private void warn(Tree.Fields from, String key, String sentence) {
        Tree.Field field = from.fields().get(key);
        warnings.add((field == null ? from.place() : field.place()) + ": key '" + key + "': " + sentence);
    }
}
