package io.brokermeter.engine.plan;

import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;

/**
 * One consumer that will run.
 *
 * @param index its number in the run
 * @param destinationIndex number of its destination in the plan
 * @param destination its destination
 * @param subscription number of the subscription, in the ledger's sense, that it belongs to
 * @param connection number of the consuming connection of its group that it uses
 * @param settings how it receives
 */
public record ConsumerPlan(
        int index, int destinationIndex, Destination destination, int subscription, int connection,
        ConsumerSettings settings) {}
