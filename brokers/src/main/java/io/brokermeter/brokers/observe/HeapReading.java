package io.brokermeter.brokers.observe;

/**
 * One look at the heap of a JVM. What is not known is -1.
 *
 * @param nanos when, by {@link System#nanoTime()}
 * @param usedBytes level
 * @param committedBytes level
 * @param maxBytes level
 * @param gcCount amount of pauses since the JVM began
 * @param gcMillis amount of time in them
 */
record HeapReading(long nanos, long usedBytes, long committedBytes, long maxBytes, long gcCount, long gcMillis) {

    /** What both have together; one that does not know leaves the sum unknown. */
    HeapReading plus(HeapReading other) {
        return new HeapReading(Math.max(nanos, other.nanos), sum(usedBytes, other.usedBytes),
            sum(committedBytes, other.committedBytes), sum(maxBytes, other.maxBytes), sum(gcCount, other.gcCount),
            sum(gcMillis, other.gcMillis));
    }

    private static long sum(long one, long other) {
        return one < 0 || other < 0 ? -1 : one + other;
    }
}
