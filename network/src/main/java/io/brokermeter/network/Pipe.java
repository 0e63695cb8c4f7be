package io.brokermeter.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One direction of one connection: bytes that are on their way, each read with the moment at which it arrives. Used by the proxy's loop
 * alone. All moments are those of {@link System#nanoTime()}.
 *
 * <p>Bytes stand in blocks, in their order; marks say up to which byte what is due when.
 */
final class Pipe {

    /** No moment. */
    static final long NEVER = Long.MAX_VALUE;

    static final int BLOCK = 64 << 10;
    /** The most that is on its way in one direction of a connection. */
    static final long CAPACITY = 16L << 20;
    /** The same where nothing is kept back: what the other side has not taken. */
    static final long CAPACITY_WITHOUT_DELAY = 4 * BLOCK;
    private static final int MARKS = 1 << 18;
    private static final int PACKET = 1_448;
    private static final long SLICE_NANOS = 500_000;

    private final SocketChannel source;
    private final SocketChannel sink;
    private final Blocks blocks;
    private final DueTimes dues;
    private final ArrayDeque<ByteBuffer> filled = new ArrayDeque<>();

    private NetworkRule rule;

    /** Ring of marks: those from {@code delivered} to {@code read} wait for their time. */
    private long[] ends = new long[64];
    private long[] times = new long[64];
    private long deliveredMarks;
    private long readMarks;

    private long readBytes;
    private long writtenBytes;
    /** The stream's position of the first byte of the first block. */
    private long base;

    private boolean ended;
    private boolean shut;
    private boolean blocked;

    Pipe(SocketChannel source, SocketChannel sink, NetworkRule rule, Blocks blocks, long seed) {
        this.source = source;
        this.sink = sink;
        this.rule = rule;
        this.blocks = blocks;
        this.dues = new DueTimes(PACKET, new SplittableRandom(seed));
    }

    void rule(NetworkRule now) {
        rule = now;
    }

    /** How many bytes may be read now. */
    long room(long now) {
        if (readMarks - deliveredMarks >= MARKS || readBytes > writtenBytes && blocks.areScarce()) {
            return 0;
        }
        long most = rule.rtt().isZero() && rule.bandwidth() == 0 ? CAPACITY_WITHOUT_DELAY : CAPACITY;
        long room = most - (readBytes - writtenBytes);
        return rule.bandwidth() == 0 ? room : Math.min(room, (long) dues.queue(rule) - (long) dues.waiting(rule, now));
    }

    /**
     * Takes what has come.
     *
     * @throws IOException when the source is broken
     */
    void read(long room) throws IOException {
        ByteBuffer block = filled.peekLast();
        if (block == null || block.position() == block.capacity()) {
            block = blocks.take();
            filled.addLast(block);
        }
        int slice = rule.bandwidth() == 0 ? BLOCK : (int) Math.clamp((long) DueTimes.bytes(rule, SLICE_NANOS), PACKET, BLOCK);
        block.limit((int) Math.min(block.capacity(), block.position() + Math.min(room, slice)));
        int n = source.read(block);
        block.limit(block.capacity());
        if (block.position() == 0) {
            filled.removeLast();
            blocks.give(block);
        }
        if (n < 0) {
            // The end arrives behind all that came.
            ended = true;
            mark(dues.next(rule, 0, System.nanoTime()));
        } else if (n > 0) {
            readBytes += n;
            mark(dues.next(rule, n, System.nanoTime()));
        }
    }

    private void mark(long due) {
        if (readMarks - deliveredMarks == ends.length) {
            grow();
        }
        int at = slot(readMarks++);
        ends[at] = readBytes;
        times[at] = due;
    }

    private int slot(long mark) {
        return (int) (mark & ends.length - 1);
    }

    private void grow() {
        long[] newEnds = Arrays.copyOf(ends, ends.length * 2);
        long[] newTimes = Arrays.copyOf(times, times.length * 2);
        for (long mark = deliveredMarks; mark < readMarks; mark++) {
            int to = (int) (mark & newEnds.length - 1);
            newEnds[to] = ends[slot(mark)];
            newTimes[to] = times[slot(mark)];
        }
        ends = newEnds;
        times = newTimes;
    }

    /**
     * Hands over what is due.
     *
     * @throws IOException when the sink is broken
     */
    void deliver(long now) throws IOException {
        long end = writtenBytes;
        long mark = deliveredMarks;
        for (; mark < readMarks && times[slot(mark)] <= now; mark++) {
            end = ends[slot(mark)];
        }
        write(end);
        blocked = writtenBytes < end;
        while (deliveredMarks < mark && ends[slot(deliveredMarks)] <= writtenBytes) {
            deliveredMarks++;
        }
        if (ended && deliveredMarks == readMarks && !shut) {
            shut = true;
            sink.shutdownOutput();
        }
    }

    private void write(long end) throws IOException {
        while (writtenBytes < end) {
            ByteBuffer block = filled.getFirst();
            int from = (int) (writtenBytes - base);
            int to = (int) Math.min(block.position(), end - base);
            int n = sink.write(block.duplicate().position(from).limit(to));
            writtenBytes += n;
            if (from + n == block.capacity()) {
                filled.removeFirst();
                blocks.give(block);
                base += block.capacity();
            }
            if (n < to - from) {
                return;
            }
        }
        if (writtenBytes == readBytes && filled.size() == 1) {
            ByteBuffer block = filled.removeFirst();
            base = writtenBytes;
            blocks.give(block);
        }
    }

    /** The next moment at which there is something to do without news from a socket. */
    long next(boolean reading, long now) {
        long next = !blocked && deliveredMarks < readMarks ? times[slot(deliveredMarks)] : NEVER;
        return !reading && !ended && rule.bandwidth() != 0 && dues.waiting(rule, now) >= 1 ? Math.min(next, now + SLICE_NANOS) : next;
    }

    /** Whether the sink takes no more for the moment. */
    boolean isBlocked() {
        return blocked;
    }

    /** Whether the source has ended. */
    boolean hasEnded() {
        return ended;
    }

    /** Whether the sink was told of the end. */
    boolean isShut() {
        return shut;
    }

    void release() {
        filled.forEach(blocks::give);
        filled.clear();
    }
}
