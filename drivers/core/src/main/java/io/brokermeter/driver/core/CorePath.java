package io.brokermeter.driver.core;

import io.brokermeter.driver.core.codec.CodecUrl;
import io.brokermeter.driver.core.codec.OlderBroker;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Parameter;
import org.apache.activemq.artemis.utils.VersionLoader;

/** Tells which connections use brokermeter's own path, and says what leaves the others to Artemis' client. */
final class CorePath {

    static final Parameter PARAMETER = new Parameter(CoreUrl.TRANSPORT, "own|client", "own", "Whether producers and consumers go over"
        + " brokermeter's own path, where it has what is asked for, or over Artemis' client; codec is the former name of own.");

    /** Name and version of Artemis' client. */
    static final String LIBRARY = "artemis-jakarta-client " + VersionLoader.getVersion().getFullVersion();

    private final CoreUrl url;
    private final ConnectionSettings settings;

    CorePath(CoreUrl url, ConnectionSettings settings) {
        this.url = url;
        this.settings = settings;
    }

    /** @throws IllegalArgumentException if the user asks for this path by name, and for something that it has not */
    void check() {
        var obstacle = obstacle();
        if (isNamed() && !obstacle.isEmpty()) {
            throw new IllegalArgumentException(PARAMETER.name() + "=own does not go together with " + obstacle
                + ", which brokermeter's own CORE path has not; leave " + PARAMETER.name() + "=own out.");
        }
    }

    private boolean isNamed() {
        return url.transport() == CoreUrl.Transport.OWN;
    }

    private String obstacle() {
        return url.transport() == CoreUrl.Transport.CLIENT ? ""
            : settings.clientId() != null ? "a client id" : CodecUrl.obstacle(url.url());
    }

    /** Returns whether this path has what is asked for, and the user did not ask for the client. */
    boolean isOwn() {
        return url.transport() != CoreUrl.Transport.CLIENT && obstacle().isEmpty();
    }

    /** Returns whether this path {@linkplain #isOwn is used}. Otherwise the listener is told why, unless the user asked for the client. */
    boolean isUsed(ConnectionListener listener) {
        var obstacle = obstacle();
        if (!obstacle.isEmpty()) {
            listener.notice("CORE goes over " + LIBRARY + " because of " + obstacle + ", which brokermeter's own path has not.");
        }
        return isOwn();
    }

    /** Leaves it to the client, unless the user asked for this path by name. */
    void leave(OlderBroker why, ConnectionListener listener) throws OlderBroker {
        if (isNamed()) {
            throw why;
        }
        listener.notice("CORE goes over " + LIBRARY + ": " + why.getMessage());
    }
}
