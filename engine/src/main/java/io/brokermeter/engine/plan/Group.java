package io.brokermeter.engine.plan;

import java.util.List;

import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.GroupSpec;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/** A group of producers or of consumers that will run. */
public sealed interface Group permits ProducerGroup, ConsumerGroup {

    /** Returns the number of the group among all groups of the run. */
    int index();

    /** Returns the driver of the group's protocol. */
    Driver driver();

    /** Returns the requested settings. */
    GroupSpec spec();

    /** Returns how the group reaches its broker. */
    default Endpoint endpoint() {
        return spec().endpoint();
    }

    default List<Destination> destinations() {
        return spec().destinations();
    }

    default Start start() {
        return spec().start();
    }

    /** Returns the number of connections of the group. */
    int connections();

    /** Returns the client id of a connection of the group; null for none. */
    @Nullable String clientId(int connection);

    /** Returns the URL that the group connects to, for display, without passwords. */
    default String url() {
        return driver().effectiveUrl(endpoint().settings());
    }
}
