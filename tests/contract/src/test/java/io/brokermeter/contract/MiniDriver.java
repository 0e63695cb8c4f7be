package io.brokermeter.contract;

import java.net.URI;
import java.util.EnumSet;
import java.util.Set;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;

/** A driver for {@link MiniBroker} that fulfils the contract, except for one fault. */
final class MiniDriver implements Driver {

    private final DriverFault fault;

    MiniDriver(DriverFault fault) {
        this.fault = fault;
    }

    @Override
    public String protocol() {
        return "MINI";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("mini");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.CONFIRMATIONS, Capability.DEPTH, Capability.DELAYED_DELIVERY, Capability.TIME_TO_LIVE,
            Capability.BATCH_ACKNOWLEDGEMENT);
    }

    @Override
    public String client() {
        return fault == DriverFault.NAMELESS_CLIENT ? "mini" : "mini client 1.0";
    }

    @Override
    public void check(ConnectionSettings settings) {
        var query = URI.create(settings.url()).getQuery();
        if (query != null) {
            throw new IllegalArgumentException("There is no parameter " + query + ".");
        }
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        return new MiniConnection(fault, settings, listener);
    }
}
