package io.brokermeter.driver.kafka.fetch;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/** Takes fetched messages, on the thread that asks for them. */
public interface FetchSink {

    /**
     * Takes a message, in buffers that are valid until it returns.
     *
     * @param envelope the value of the header with the envelope; null if there is none
     * @return whether it was taken; if not, no other one of its partition may come until it is assigned anew
     */
    boolean take(int partition, long offset, ByteBuffer body, @Nullable ByteBuffer envelope);

    /**
     * Called after messages of a partition that came together.
     *
     * @param next the offset of the first message that was not taken, behind the markers of transactions that precede it
     * @param count number of messages that were taken
     */
    void taken(int partition, long next, int count);
}
