package io.brokermeter.driver.rocketmq;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.rocketmq.library.ClientLibrary;
import io.brokermeter.driver.rocketmq.route.TopicBrokers;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Directions;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.StoreParameter;

/** The driver for RocketMQ 4 and 5 over the remoting protocol. */
public final class RocketMqDriver implements Driver {

    private static final Set<Capability> CAPABILITIES = Set.of(Capability.TOPICS, Capability.DURABLE_SUBSCRIPTIONS,
        Capability.SHARED_SUBSCRIPTIONS, Capability.TRANSACTED_SEND, Capability.PERSISTENCE, Capability.MESSAGE_GROUPS,
        Capability.MESSAGE_IDS, Capability.TIMESTAMPS, Capability.PREFETCH, Capability.HEADERS, Capability.SELECTORS,
        Capability.CONFIRMATIONS, Capability.DEPTH, Capability.RECONNECT, Capability.VARIANTS, Capability.ENVELOPE_PROPERTY,
        Capability.DELAYED_DELIVERY, Capability.ROLLBACK, Capability.REQUEUE, Capability.REJECT);

    /** The brokers of topics, kept for later connections. */
    private final TopicBrokers brokers = new TopicBrokers();
    private final QueueGroups groups = new QueueGroups();

    /** Creates the driver; called by the service loader. */
    public RocketMqDriver() {}

    @Override
    public String protocol() {
        return "ROCKETMQ";
    }

    @Override
    public Set<String> schemes() {
        return Set.of(RocketMqSettings.SCHEME);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Set<Capability> capabilities(ConnectionSettings settings) {
        RocketMqSettings read = RocketMqSettings.of(this, settings);
        Set<Capability> able = EnumSet.copyOf(CAPABILITIES);
        if (read.send == RocketMqSettings.Send.ONEWAY) {
            able.remove(Capability.CONFIRMATIONS);
            able.remove(Capability.TRANSACTED_SEND);
            able.remove(Capability.ROLLBACK);
        }
        if (read.orderly) {
            // The next message of a queue waits for the one before it, which cannot be given back.
            able.remove(Capability.REQUEUE);
            able.remove(Capability.REJECT);
        }
        return able;
    }

    @Override
    public List<Parameter> parameters() {
        return RocketMqSettings.PARAMETERS;
    }

    @Override
    public List<StoreParameter> stores() {
        return TlsOptions.STORES;
    }

    @Override
    public String clientParameters() {
        return "Besides these, every property of a number, a word or true and false that DefaultMQProducer and "
            + "DefaultMQPushConsumer have setters for, by its name there, such as sendMsgTimeout or maxReconsumeTimes.";
    }

    @Override
    public String client() {
        return "rocketmq-client " + ClientLibrary.version();
    }

    @Override
    public void check(ConnectionSettings settings) {
        RocketMqSettings.of(this, settings);
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return RocketMqSettings.of(this, settings).url;
    }

    @Override
    public Optional<Directions> directions() {
        return Optional.of(new RouteDirections(this));
    }

    /** Each client has some 14 threads. */
    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return RocketMqSettings.of(this, settings).sharedClient ? ConnectionMemory.USUAL : new ConnectionMemory(330_000, 0, 2, 0);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        return RocketMqConnection.open(RocketMqSettings.of(this, settings), brokers, groups, listener);
    }
}
