package io.brokermeter.driver.kafka.fetch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.driver.kafka.link.ResponseFrames;
import org.jspecify.annotations.Nullable;

/**
 * An answer with the batches of some partitions, and the buffer in which it lies. Reused. It belongs to the thread of its connection from the
 * question on, and to the consumer's thread from its arrival until it is free again.
 */
final class FetchAnswer {

    final FetchLink link;
    final ResponseFrames in;
    private final List<FetchedPart> parts = new ArrayList<>();
    private int count;
    private int given;
    /** Views of the buffer, for the body and the envelope of a message. */
    private ByteBuffer of;
    ByteBuffer body;
    ByteBuffer envelope;

    FetchAnswer(FetchLink link, ResponseFrames in) {
        this.link = link;
        this.in = in;
        this.of = in.buffer();
        this.body = of.duplicate();
        this.envelope = of.duplicate();
    }

    /** Forgets the parts, since another answer arrived. */
    void begin() {
        count = 0;
        given = 0;
        if (of != in.buffer()) {
            of = in.buffer();
            body = of.duplicate();
            envelope = of.duplicate();
        }
    }

    /** Adds a part, to be filled. */
    FetchedPart add() {
        if (count == parts.size()) {
            parts.add(new FetchedPart());
        }
        return parts.get(count++);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns the next part that was not returned yet; null if there is none. */
    @Nullable FetchedPart next() {
        return given < count ? parts.get(given++) : null;
    }
}
