package io.brokermeter.engine.plan;

import java.util.List;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/**
 * A group of consumers that will run.
 *
 * @param index number of the group among all groups of the run
 * @param spec the requested settings; for consumers of replies, what follows from their requesters
 * @param driver driver of the group's protocol
 * @param consumers consumers of the group
 * @param clientIds client id of each connection of the group, null for a connection without one
 * @param requesters the group whose replies this group receives, or null for a group of the scenario
 */
public record ConsumerGroup(
        int index, ConsumerGroupSpec spec, Driver driver, List<ConsumerPlan> consumers, List<@Nullable String> clientIds,
        @Nullable ProducerGroup requesters) implements Group {

    /** Returns whether this group begins late and misses what was sent to a destination before, unless others consumed from it by then. */
    public boolean misses(Destination destination) {
        return !spec.start().isWithRun() && !spec.durable() && !driver.keeps(spec.endpoint().settings(), destination);
    }

    @Override
    public int connections() {
        return clientIds.size();
    }

    @Override
    public @Nullable String clientId(int connection) {
        return clientIds.get(connection);
    }
}
