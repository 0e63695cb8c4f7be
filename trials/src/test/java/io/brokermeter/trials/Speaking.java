package io.brokermeter.trials;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;

/**
 * A driver for the first protocol of the default broker that connects to nothing. It refuses a parameter that is both in the URL and among
 * the properties.
 */
public final class Speaking implements Driver {

    public static final Drivers ONLY = new Drivers(List.of(new Speaking()));

    private Speaking() {}

    @Override
    public String protocol() {
        return "CORE";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("tcp");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public String client() {
        return "none";
    }

    @Override
    public void check(ConnectionSettings settings) {
        settings.properties().keySet().stream().filter(name -> settings.url().contains(name + "=")).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException("Parameter " + name + " is given twice.");
        });
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) {
        throw new UnsupportedOperationException();
    }
}
