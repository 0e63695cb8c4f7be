package io.brokermeter.engine.plan;

import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;

/**
 * One consumer that will run.
 *
 * @param index number of the consumer in the run
 * @param destinationIndex number of the destination in the plan
 * @param destination destination of the consumer
 * @param subscription number of the subscription, in the ledger's sense, to which the consumer belongs
 * @param connection number of the consuming connection of the group that the consumer uses
 * @param settings how the consumer receives
 */
public record ConsumerPlan(
        int index, int destinationIndex, Destination destination, int subscription, int connection,
        ConsumerSettings settings) {}
