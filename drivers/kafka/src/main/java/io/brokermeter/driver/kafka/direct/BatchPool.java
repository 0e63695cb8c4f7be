package io.brokermeter.driver.kafka.direct;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/** The batches of one producer, which together take a limited number of bytes. Guarded by the producer's lock. */
final class BatchPool {

    /** The step in bytes of the capacities of batches for messages that are larger than a usual batch. */
    private static final int STEP = 64 * 1024;
    /** The part of all memory that is free before a thread which waits for some is woken. */
    private static final int WORTH_WAKING = 8;

    private final int head;
    private final int usual;
    private final long most;
    private final Deque<Batch> free = new ArrayDeque<>();
    private final Deque<Batch> large = new ArrayDeque<>();
    private long allocated;
    /** The number of bytes of the batches that are allocated and not in use. */
    private long unused;

    /**
     * @param head number of bytes of the room before each batch
     * @param usual capacity of a usual batch
     * @param most the most bytes of all batches
     */
    BatchPool(int head, int usual, long most) {
        this.head = head;
        this.usual = usual;
        this.most = most;
    }

    /** Returns a batch with a capacity of at least so many bytes; null while there is no memory for it. */
    @Nullable Batch take(int bytes) {
        if (bytes <= usual) {
            Batch kept = free.pollLast();
            return kept != null ? used(kept) : make(usual);
        }
        for (int i = large.size(); i > 0; i--) {
            Batch kept = large.removeLast();
            if (kept.capacity() >= bytes) {
                return used(kept);
            }
            large.addFirst(kept);
        }
        return make((int) Math.min(Integer.MAX_VALUE - (long) head, ((long) bytes + STEP - 1) / STEP * STEP));
    }

    private @Nullable Batch make(int capacity) {
        while (allocated > 0 && allocated + capacity > most) {
            Batch dropped = large.isEmpty() ? free.poll() : large.poll();
            if (dropped == null) {
                return null;
            }
            allocated -= used(dropped).capacity();
        }
        allocated += capacity;
        return new Batch(head, capacity);
    }

    private Batch used(Batch batch) {
        unused -= batch.capacity();
        return batch;
    }

    /** Returns whether so much is free that a sending thread which waits for memory is worth waking: it fills all of it in one go. */
    boolean hasRoom() {
        return most - allocated + unused >= most / WORTH_WAKING;
    }

    /** Takes a batch back that is not used any more. */
    void release(Batch batch) {
        unused += batch.capacity();
        (batch.capacity() == usual ? free : large).addLast(batch);
    }
}
