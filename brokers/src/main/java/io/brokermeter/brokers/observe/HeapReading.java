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
record HeapReading(long nanos, long usedBytes, long committedBytes, long maxBytes, long gcCount, long gcMillis) { }
