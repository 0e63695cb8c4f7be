package io.brokermeter.reports.document;

/**
 * A line of {@code failover.csv}: a short step of the time around faults.
 *
 * @param elapsedSeconds the end of the step since the start of the load
 * @param seconds length of the step
 * @param longestWaitMicros NaN if nothing was delivered
 */
public record FaultStep(double elapsedSeconds, double seconds, double confirmed, double delivered, double failed,
        double longestWaitMicros) {}
