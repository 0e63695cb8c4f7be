package io.brokermeter.brokers.observe;

/**
 * One look at what processes use: levels, and amounts since some moment of the past. What is not known is NaN or -1.
 *
 * @param nanos when, by {@link System#nanoTime()}
 * @param cpuSeconds amount
 * @param residentBytes level
 * @param threads level
 * @param openFiles level
 * @param diskReadBytes amount
 * @param diskWrittenBytes amount
 * @param voluntarySwitches amount
 * @param involuntarySwitches amount
 */
record UsageReading(
        long nanos, double cpuSeconds, long residentBytes, int threads, int openFiles, long diskReadBytes,
        long diskWrittenBytes, long voluntarySwitches, long involuntarySwitches) {

    /** What both use together; one that does not know leaves the sum unknown. */
    UsageReading plus(UsageReading other) {
        return new UsageReading(Math.max(nanos, other.nanos), cpuSeconds + other.cpuSeconds,
            sum(residentBytes, other.residentBytes), (int) sum(threads, other.threads),
            (int) sum(openFiles, other.openFiles), sum(diskReadBytes, other.diskReadBytes),
            sum(diskWrittenBytes, other.diskWrittenBytes), sum(voluntarySwitches, other.voluntarySwitches),
            sum(involuntarySwitches, other.involuntarySwitches));
    }

    private static long sum(long one, long other) {
        return one < 0 || other < 0 ? -1 : one + other;
    }
}
