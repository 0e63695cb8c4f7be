package io.brokermeter.brokers.observe;

import io.brokermeter.engine.recording.BrokerSample;
import org.jspecify.annotations.Nullable;

/**
 * Readings of the heaps of one source, as they become samples and the figures of the measured phase. All methods may be
 * called from any thread.
 */
final class HeapSeries {

    private static final long SOON = 300_000_000;
    private static final long OLD = 3_000_000_000L;

    private @Nullable HeapReading last;
    private long takenCount;
    private long takenMillis;
    private boolean measuring;
    private long begunAt;
    private boolean counted;
    private long gcCount;
    private long gcMillis;
    private long usedMax = -1;
    private long maxBytes = -1;

    synchronized void add(HeapReading now) {
        HeapReading before = last;
        last = now;
        if (before != null) {
            takenCount = UsageSeries.grown(takenCount, before.gcCount(), now.gcCount());
            takenMillis = UsageSeries.grown(takenMillis, before.gcMillis(), now.gcMillis());
            if (measuring && before.nanos() < begunAt && now.nanos() - begunAt < SOON) {
                return;
            }
            if (measuring) {
                counted = true;
                gcCount = UsageSeries.grown(gcCount, before.gcCount(), now.gcCount());
                gcMillis = UsageSeries.grown(gcMillis, before.gcMillis(), now.gcMillis());
            }
        }
        if (measuring) {
            usedMax = Math.max(usedMax, now.usedBytes());
            maxBytes = Math.max(maxBytes, now.maxBytes());
        }
    }

    synchronized void begin(long nanos) {
        measuring = true;
        begunAt = nanos;
        counted = false;
        gcCount = 0;
        gcMillis = 0;
        usedMax = -1;
        maxBytes = -1;
    }

    synchronized boolean isKnown() {
        return last != null;
    }

    /** The levels as they are, and what the amounts grew by since the last call; null when the last reading is old. */
    synchronized BrokerSample.@Nullable Heap take(long nanos) {
        HeapReading now = last;
        if (now == null || nanos - now.nanos() > OLD) {
            return null;
        }
        BrokerSample.Heap heap = new BrokerSample.Heap(now.usedBytes(), now.committedBytes(), now.maxBytes(), takenCount,
            takenMillis);
        takenCount = 0;
        takenMillis = 0;
        return heap;
    }

    /** The measured phase so far; amounts are -1 without two readings in it. */
    record Whole(long usedBytesMax, long maxBytes, long gcCount, long gcMillis) {}

    synchronized Whole whole() {
        return new Whole(usedMax, maxBytes, counted ? gcCount : -1, counted ? gcMillis : -1);
    }
}
