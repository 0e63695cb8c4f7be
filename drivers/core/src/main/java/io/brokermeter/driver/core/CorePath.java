package io.brokermeter.driver.core;

import io.brokermeter.driver.core.codec.CodecUrl;
import io.brokermeter.driver.core.codec.OlderBroker;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Transport;
import org.apache.activemq.artemis.utils.VersionLoader;

/** Tells which connections use brokermeter's own path, and says what leaves the others to Artemis' client. */
final class CorePath {

    static final Parameter PARAMETER = Transport.parameter("Whether producers and consumers go over brokermeter's own path, where it has"
        + " what is asked for, or over Artemis' client; codec is the former name of own.");

    /** Name and version of Artemis' client. */
    static final String LIBRARY = "artemis-jakarta-client " + VersionLoader.getVersion().getFullVersion();
    private static final String WHAT = "CORE goes";

    private final Transport transport;
    /** What the own path has not; empty for nothing. */
    private final String obstacle;

    CorePath(CoreUrl url, ConnectionSettings settings) {
        this.transport = url.transport();
        // The client has stores that the own path cannot read, which asking for obstacles would refuse.
        this.obstacle = transport == Transport.CLIENT ? "" : settings.clientId() != null ? "a client id" : CodecUrl.obstacle(url.url());
    }

    /** @throws IllegalArgumentException if the user asks for this path by name, and for something that it has not */
    void check() {
        transport.check("CORE", obstacle);
    }

    /** Returns whether this path has what is asked for, and the user did not ask for the client. */
    boolean isOwn() {
        return transport.isOwn(obstacle);
    }

    /** Returns whether this path {@linkplain #isOwn is used}. Otherwise the listener is told why, unless the user asked for the client. */
    boolean isUsed(ConnectionListener listener) {
        return transport.isOwn(WHAT, LIBRARY, obstacle, listener);
    }

    /** Leaves it to the client, unless the user asked for this path by name. */
    void leave(OlderBroker why, ConnectionListener listener) throws OlderBroker {
        transport.leave(WHAT, LIBRARY, why, listener);
    }
}
