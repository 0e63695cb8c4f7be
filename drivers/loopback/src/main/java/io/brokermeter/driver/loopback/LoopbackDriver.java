package io.brokermeter.driver.loopback;

import java.net.ConnectException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;

/**
 * The driver for the loopback broker, {@code loopback://NAME?knob=value&...}. Connections with the same name and the same parameters share
 * one broker, which lives as long as any of them is open. The name {@code nobody} refuses connections.
 */
public final class LoopbackDriver implements Driver {

    private final LoopbackTime time;

    public LoopbackDriver() {
        this(LoopbackTime.SYSTEM);
    }

    /** Creates a driver whose brokers use the clock of a test. */
    public LoopbackDriver(LoopbackTime time) {
        this.time = time;
    }

    @Override
    public String protocol() {
        return "LOOPBACK";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("loopback");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.TOPICS, Capability.DURABLE_SUBSCRIPTIONS, Capability.SHARED_SUBSCRIPTIONS,
            Capability.TRANSACTED_SEND, Capability.PERSISTENCE, Capability.CONFIRMATIONS, Capability.DEPTH,
            Capability.MESSAGE_GROUPS, Capability.VARIANTS, Capability.PRIORITY, Capability.DELAYED_DELIVERY,
            Capability.ENVELOPE_PROPERTY, Capability.ROLLBACK, Capability.REQUEUE, Capability.REJECT, Capability.POLLING);
    }

    @Override
    public List<Parameter> parameters() {
        return LoopbackSettings.ALL;
    }

    @Override
    public String client() {
        return "loopback";
    }

    @Override
    public boolean connectsBySockets() {
        return false;
    }

    @Override
    public void check(ConnectionSettings settings) {
        LoopbackSettings.of(this, settings);
    }

    /** Connections are objects in this process; what waits in the broker has the limits that its knobs set. */
    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new ConnectionMemory(1_000, 0, 0, 0);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        LoopbackSettings loopback = LoopbackSettings.of(this, settings);
        if (LoopbackSettings.parsed(settings).server().host().equals("nobody")) {
            throw new ConnectException("Connection refused");
        }
        return LoopbackBroker.connect(LoopbackSettings.url(settings), loopback, time, listener);
    }
}
