package io.brokermeter.engine.plan;

import io.brokermeter.spi.Destination;

/**
 * One producer that will run.
 *
 * @param index number of the producer in the run
 * @param stripe number of the producer in its group, which is its stripe of the group's schedule
 * @param destinationIndex number of the destination in the plan
 * @param destination destination of the producer
 * @param thread number of the sending thread of the group that owns the producer
 * @param connection number of the producing connection of the group that the producer uses
 */
public record ProducerPlan(
        int index, int stripe, int destinationIndex, Destination destination, int thread, int connection) {}
