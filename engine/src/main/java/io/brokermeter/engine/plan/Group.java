package io.brokermeter.engine.plan;

import java.util.List;

import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.GroupSide;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/** What a group of producers and one of consumers have in common. */
public sealed interface Group permits ProducerGroup, ConsumerGroup {

    /** Its number among all groups of the run. */
    int index();

    /** Its protocol. */
    Driver driver();

    /** What was asked for. */
    GroupSide side();

    /** How the group reaches its broker. */
    default Endpoint endpoint() {
        return side().endpoint();
    }

    default List<Destination> destinations() {
        return side().destinations();
    }

    default Start start() {
        return side().start();
    }

    /** Number of its connections. */
    int connections();

    /** The client id of one of its connections; null for none. */
    @Nullable String clientId(int connection);

    /** Where it connects to, for people, without passwords. */
    default String url() {
        return driver().effectiveUrl(endpoint().settings());
    }
}
