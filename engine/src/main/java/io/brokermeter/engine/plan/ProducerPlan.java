package io.brokermeter.engine.plan;

import io.brokermeter.spi.Destination;

/**
 * One producer that will run.
 *
 * @param index its number in the run; also its stripe of the schedule
 * @param destinationIndex number of its destination
 * @param destination its destination
 * @param thread number of the sending thread that owns it
 * @param connection number of the producing connection it uses
 */
public record ProducerPlan(int index, int destinationIndex, Destination destination, int thread, int connection) {}
