package io.brokermeter.driver.mqtt;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.StoreParameter;

/** The driver for MQTT 3.1.1 and 5. */
public final class MqttDriver implements Driver {

    /** The ids of received QoS 2 messages by kept session. A connection that takes the place of a lost one goes on with them. */
    private final Map<String, Unreleased> unreleased = new ConcurrentHashMap<>();

    @Override
    public String protocol() {
        return "MQTT";
    }

    @Override
    public Set<String> schemes() {
        return MqttOptions.SCHEMES;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.TOPICS, Capability.DURABLE_SUBSCRIPTIONS, Capability.SHARED_SUBSCRIPTIONS,
            Capability.TIME_TO_LIVE, Capability.HEADERS, Capability.CONFIRMATIONS, Capability.VARIANTS,
            Capability.ENVELOPE_PROPERTY);
    }

    /**
     * Returns the capabilities with these settings. Version 3.1.1 has no headers and no time to live. QoS 0 has no confirmations, and
     * brokers need not keep its messages for an absent subscription. A durable subscription needs a client id.
     */
    @Override
    public Set<Capability> capabilities(ConnectionSettings settings) {
        MqttOptions options = MqttOptions.of(this, settings);
        Set<Capability> can = EnumSet.copyOf(capabilities());
        if (!options.five()) {
            can.removeAll(Set.of(
                Capability.TIME_TO_LIVE, Capability.HEADERS, Capability.VARIANTS, Capability.ENVELOPE_PROPERTY));
        }
        if (options.qos() == 0) {
            can.remove(Capability.CONFIRMATIONS);
        }
        if (options.consumerQos() == 0 || settings.clientId() == null) {
            can.remove(Capability.DURABLE_SUBSCRIPTIONS);
        }
        return can;
    }

    @Override
    public List<Parameter> parameters() {
        return MqttOptions.PARAMETERS;
    }

    @Override
    public List<StoreParameter> stores() {
        return TlsOptions.STORES;
    }

    @Override
    public String client() {
        return "brokermeter's own";
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return true;
    }

    /** Returns true: version 5 allows it, and the options refuse it for 3.1.1. */
    @Override
    public boolean takesPasswordAlone(ConnectionSettings settings) {
        return true;
    }

    @Override
    public void check(ConnectionSettings settings) {
        MqttOptions.of(this, settings);
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination) {
        if (destination.name().indexOf(0) >= 0 || destination.name().getBytes(java.nio.charset.StandardCharsets.UTF_8).length > 60_000) {
            throw new IllegalArgumentException(
                "'" + destination + "' is no name of an MQTT topic; it is too long or has a null character.");
        }
    }

    /** Checks that the destination is a topic and not a filter, which only a consumer may have. */
    @Override
    public void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {
        String name = destination.name();
        if (name.indexOf('+') >= 0 || name.indexOf('#') >= 0 || name.startsWith("$share/")) {
            throw new IllegalArgumentException("Nothing can be sent to " + destination
                + ", which is a filter; the name of a topic has no + and no #.");
        }
    }

    /** Returns false: a queue is a shared subscription, which is there as long as its consumers are. */
    @Override
    public boolean keeps(ConnectionSettings settings, Destination destination) {
        return false;
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return MqttOptions.of(this, settings).shown();
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return ConnectionMemory.SOCKET;
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        return MqttConnection.connect(settings, MqttOptions.of(this, settings), unreleased, listener);
    }
}
