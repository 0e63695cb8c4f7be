package io.brokermeter.trials.agents;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;

/** Protocol AROUND, {@code around://localhost:PORT}: a broker in memory, with a socket to the port for each connection. */
public final class AroundDriver implements Driver {

    static final String PROTOCOL = "AROUND";
    /** The sockets, which stay open for the lifetime of this process. */
    private static final List<Socket> SOCKETS = new CopyOnWriteArrayList<>();

    private final Driver loopback = new LoopbackDriver();

    @Override
    public String protocol() {
        return PROTOCOL;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("around");
    }

    @Override
    public Set<Capability> capabilities() {
        return loopback.capabilities();
    }

    @Override
    public String client() {
        return "around";
    }

    @Override
    public void check(ConnectionSettings settings) {
        // all settings are accepted
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        SOCKETS.add(new Socket(InetAddress.getLoopbackAddress(), URI.create(settings.url()).getPort()));
        return loopback.connect(settings.withUrl("loopback://around"), listener);
    }
}
