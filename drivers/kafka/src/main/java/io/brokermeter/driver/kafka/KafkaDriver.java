package io.brokermeter.driver.kafka;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerNumbers;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.spi.parameter.Transport;

/** The driver for Apache Kafka, with URLs of the form {@code kafka://host:port,host:port?name=value}. */
public final class KafkaDriver implements Driver {

    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.of(Capability.TOPICS,
        Capability.DURABLE_SUBSCRIPTIONS, Capability.SHARED_SUBSCRIPTIONS, Capability.TRANSACTED_SEND, Capability.PERSISTENCE,
        Capability.MESSAGE_GROUPS, Capability.TIMESTAMPS, Capability.HEADERS, Capability.BATCH_ACKNOWLEDGEMENT,
        Capability.CONFIRMATIONS, Capability.DEPTH, Capability.RECONNECT, Capability.VARIANTS, Capability.ENVELOPE_PROPERTY,
        Capability.ROLLBACK, Capability.REQUEUE, Capability.REJECT, Capability.POLLING));

    private final Map<String, ProducerNumbers> producersOf = new ConcurrentHashMap<>();

    @Override
    public String protocol() {
        return "KAFKA";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("kafka");
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Set<Capability> capabilities(ConnectionSettings settings) {
        Set<Capability> able = EnumSet.copyOf(CAPABILITIES);
        KafkaSettings given = KafkaSettings.of(this, settings);
        if (!given.shareGroup()) {
            // A consumer group acknowledges by position.
            able.remove(Capability.REQUEUE);
            able.remove(Capability.REJECT);
        }
        String acks = given.acks();
        if (!acks.equals("all") && !acks.equals("-1")) {
            able.remove(Capability.PERSISTENCE);
            able.remove(Capability.TRANSACTED_SEND);
            able.remove(Capability.ROLLBACK);
        }
        if (acks.equals("0")) {
            able.remove(Capability.CONFIRMATIONS);
        }
        return able;
    }

    @Override
    public List<Parameter> parameters() {
        return KafkaSettings.PARAMETERS;
    }

    @Override
    public List<StoreParameter> stores() {
        return KafkaSettings.STORES;
    }

    @Override
    public String clientParameters() {
        return "Every property of Kafka's producer, consumer and admin client, such as acks, linger.ms, batch.size, compression.type, "
            + "buffer.memory, group.protocol, fetch.min.bytes or max.poll.records, goes to each of them that knows it; Kafka's "
            + "documentation describes them.";
    }

    @Override
    public Set<String> clientParameterNames() {
        return KafkaSettings.clientNames();
    }

    @Override
    public String client() {
        return "brokermeter's own path, and " + OwnPath.LIBRARY + " for what that has not";
    }

    @Override
    public void check(ConnectionSettings settings) {
        KafkaSettings.of(this, settings).check();
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {
        if (producer.transacted()) {
            Transport.refuseSource(settings, "Transactions", OwnPath.LIBRARY);
        }
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return KafkaSettings.of(this, settings).own().takesSource();
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return KafkaSettings.of(this, settings).shown();
    }

    /** Without the batches of a producer, which grow up to buffer.memory, 32 MiB by default. */
    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new ConnectionMemory(160_000, 0, 2, 0);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        if (settings.source() != null) {
            listener.notice("KAFKA sends and fetches from the given addresses; what " + OwnPath.LIBRARY
                + " does for it, such as the membership in groups, comes from the address that the system chooses.");
        }
        return KafkaConnection.open(KafkaSettings.of(this, settings),
            topic -> producersOf.computeIfAbsent(topic, t -> new ProducerNumbers(0)), listener);
    }
}
