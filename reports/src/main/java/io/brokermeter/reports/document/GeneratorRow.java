package io.brokermeter.reports.document;

/**
 * A line of {@code generator.csv}: what the generator itself used until the report of an interval.
 *
 * @param time when the interval ended, in UTC
 * @param elapsedSeconds the same since the start of the load; NaN for a line that was cut off before it
 * @param seconds length of the time that amounts and CPU cover
 * @param cpuPercent CPU time in percent of this length; NaN if unknown, as the other figures
 */
public record GeneratorRow(String time, double elapsedSeconds, boolean warmup, String phase, double seconds, double cpuPercent,
        double residentBytes, double heapUsedBytes, double gcPauses, double gcPauseMillis) {}
