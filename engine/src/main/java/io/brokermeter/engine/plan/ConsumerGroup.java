package io.brokermeter.engine.plan;

import java.util.List;

import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/**
 * A group of consumers that will run.
 *
 * @param index its number among all groups of the run
 * @param side what was asked for; of consumers of replies, what follows from their requesters
 * @param driver its protocol
 * @param consumers its consumers
 * @param clientIds client id of each of its connections, null where it has none
 * @param requesters the group whose replies it receives, or null when it is a group of the scenario
 */
public record ConsumerGroup(
        int index, ConsumerSide side, Driver driver, List<ConsumerPlan> consumers, List<@Nullable String> clientIds,
        @Nullable ProducerGroup requesters) implements Group {

    @Override
    public int connections() {
        return clientIds.size();
    }

    @Override
    public @Nullable String clientId(int connection) {
        return clientIds.get(connection);
    }
}
