package io.brokermeter.contract;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;

/** A driver with the capabilities of a list, which carries no message. */
record ListedDriver(Set<?> offered) implements Driver {

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public Set<Capability> capabilities(ConnectionSettings settings) {
        var all = EnumSet.noneOf(Capability.class);
        Arrays.stream(Capability.values()).filter(offered::contains).forEach(all::add);
        if (settings.clientId() != null) {
            put(all, Capability.DURABLE_SUBSCRIPTIONS, Fixture.DURABLE_SUBSCRIPTION_OF_A_CLIENT);
        }
        if (settings.properties().containsKey("priorities")) {
            put(all, Capability.PRIORITY, Fixture.PRIORITIES);
        }
        return all;
    }

    private void put(Set<Capability> all, Capability capability, Fixture fixture) {
        all.remove(capability);
        if (offered.contains(fixture)) {
            all.add(capability);
        }
    }

    @Override
    public String protocol() {
        return "LISTED";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("listed");
    }

    @Override
    public String client() {
        return "none";
    }

    @Override
    public void check(ConnectionSettings settings) {}

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) {
        throw new AssertionError("A connection to a broker that nobody started.");
    }
}
