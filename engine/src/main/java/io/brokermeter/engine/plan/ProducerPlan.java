package io.brokermeter.engine.plan;

import io.brokermeter.spi.Destination;

/**
 * One producer that will run.
 *
 * @param index its number in the run
 * @param stripe its number in its group: its stripe of the group's schedule
 * @param destinationIndex number of its destination in the plan
 * @param destination its destination
 * @param thread number of the sending thread of its group that owns it
 * @param connection number of the producing connection of its group that it uses
 */
public record ProducerPlan(
        int index, int stripe, int destinationIndex, Destination destination, int thread, int connection) {}
