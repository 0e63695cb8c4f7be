package io.brokermeter.spi.parameter;

import java.util.Locale;

/**
 * A setting that a sentence for the user can name: by its option on the command line, by its key in a scenario file.
 */
public enum Setting {
    AGENTS("agents.hosts"),
    AGENT_KEY("agents.keyFile"),
    ALLOW_LOSS("allowLoss"),
    ALLOW_OVERLOAD("allowOverload"),
    BROKER_ADDRESS("broker.address"),
    /** A setting without a key in a scenario file, like all settings with an empty path. */
    BROKER_DIRECTORY(""),
    BROKER_JOURNAL("broker.journal"),
    BROKER_JMX(""),
    BROKER_METRIC(""),
    BROKER_METRICS(""),
    BROKER_PERSISTENCE("broker.persistence"),
    BROKER_PID(""),
    BROKER_PROPERTIES("broker.properties"),
    BROKER_TOPOLOGY("broker.topology"),
    CLIENT_ID("clientId"),
    COMMIT_INTERVAL("producers.commitInterval"),
    CONNECT_RATE("connectRate"),
    CONSUMERS("consumers.count"),
    CONSUMER_ACK_MODE("consumers.ackMode"),
    CONSUMER_BATCH("consumers.batch"),
    CONSUMER_START("consumers.start"),
    DESTINATIONS("destinations.count"),
    DRAIN_TIMEOUT("drainTimeout"),
    DURABLE("consumers.durable"),
    DURATION("duration"),
    I_OWN_THIS_BROKER(""),
    MAX_PENDING("producers.maxPending"),
    MESSAGE_BARE("message.bare"),
    MESSAGE_BODY("message.body"),
    MESSAGE_DELIVERY_DELAY("message.deliveryDelay"),
    MESSAGE_HEADERS("message.headers"),
    MESSAGE_IDS("message.ids"),
    MESSAGE_KEYS("message.keys"),
    MESSAGE_PERSISTENT("message.persistent"),
    MESSAGE_PRIORITY("message.priority"),
    MESSAGE_SIZE("message.size"),
    MESSAGE_TIMESTAMPS("message.timestamps"),
    MESSAGE_TTL("message.ttl"),
    PACING("pacing"),
    POLLING("consumers.polling"),
    PREFETCH("consumers.prefetch"),
    PRODUCERS("producers.count"),
    PRODUCER_MESSAGES("load.messages"),
    PRODUCER_START("producers.start"),
    PROTOCOL("protocol"),
    RATE("load.rate"),
    RECONNECT("reconnect"),
    RECONNECT_LIMIT("reconnectLimit"),
    REJECT("consumers.reject"),
    REQUEUE("consumers.requeue"),
    ROLLBACK("producers.rollback"),
    SELECTOR("consumers.selector"),
    SHARED("consumers.shared"),
    SOURCE_ADDRESSES("sourceAddresses"),
    THINK_TIME("producers.thinkTime"),
    THREADS("producers.threads"),
    USER("user"),
    WARMUP("warmup");

    private final String path;

    Setting(String path) {
        this.path = path;
    }

    /** Returns the path of the setting's key in a scenario file; empty for a setting that only commands have. */
    public String path() {
        return path;
    }

    /** Returns the setting's name in a sentence about a scenario file: its key, or the words of its constant where it has no key. */
    public String key() {
        return path.isEmpty() ? name().toLowerCase(Locale.ROOT).replace('_', ' ') : "key '" + path + "'";
    }
}
