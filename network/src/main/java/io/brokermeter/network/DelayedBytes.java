package io.brokermeter.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * One direction of one connection: the bytes that are on their way, with the moments at which they arrive. Used by the proxy's loop
 * alone. All moments are those of {@link System#nanoTime()}.
 *
 * <p>The bytes are kept in blocks, in their order; marks hold the positions up to which bytes are due, each with its moment. With a
 * delay, no more is read than the receiver had advertised room for one one-way delay ago, where the kernel reports that: as much as a
 * sender at that distance would have in flight.
 */
final class DelayedBytes {

    /** A moment that never comes. */
    static final long NEVER = Long.MAX_VALUE;

    static final int BLOCK = 64 << 10;
    /** The greatest number of bytes on their way in one direction of a connection. */
    static final long CAPACITY = 16L << 20;
    /** The greatest number of bytes that the receiver has not taken, where the rule delays nothing. */
    static final long CAPACITY_WITHOUT_DELAY = 4 * BLOCK;
    private static final int MARKS = 1 << 18;
    private static final int PACKET = 1_448;
    private static final long SLICE_NANOS = 500_000;
    /** The shortest and the longest interval between looks for room that a receiver has made, which no event reports; in nanoseconds. */
    private static final long SOONEST_LOOK_NANOS = 50_000;
    private static final long LATEST_LOOK_NANOS = 2_000_000;
    /** A look waits for an arrival at most this much later, in nanoseconds: a thread that woke for both would be late for the arrival. */
    private static final long TOGETHER_NANOS = 500_000;

    /** The interval between looks for a free block when all are in use, in nanoseconds. */
    private static final long BLOCK_LOOK_NANOS = 10_000_000;

    private final SocketChannel source;
    private final SocketChannel sink;
    private final Blocks blocks;
    private final DueTimes dues;
    private final Bottleneck.Share share;
    private final ArrayDeque<ByteBuffer> filled = new ArrayDeque<>();

    private NetworkRule rule;

    /** The positions up to which the bytes that were read are due at the sink, each with its moment. */
    private final TimedOffsets arrivals = new TimedOffsets();

    private long readBytes;
    private long writtenBytes;
    /** The position in the stream of the first byte of the first block. */
    private long base;

    /** The descriptor of the sink, -1 where it is not known. */
    private final int descriptor;
    /** The positions up to which the receiver has room, each with the moment at which the sender learns of it. */
    private final TimedOffsets edges = new TimedOffsets();
    /** The position up to which the sender knows of room; less than 0 before the first look. */
    private long edge = -1;
    private long lastEdge;
    private long widest;
    private long lookAt = NEVER;
    private long pause = SOONEST_LOOK_NANOS;

    private boolean ended;
    private boolean shut;
    private boolean blocked;

    /**
     * Creates a direction with no bytes on their way.
     *
     * @param descriptor descriptor of the sink, -1 where it is not known
     * @param bottleneck the bottleneck that all connections of the proxy share in this direction
     */
    DelayedBytes(SocketChannel source, SocketChannel sink, int descriptor, NetworkRule rule, Blocks blocks, Bottleneck bottleneck,
            long seed) {
        this.source = source;
        this.sink = sink;
        this.descriptor = descriptor;
        this.rule = rule;
        this.blocks = blocks;
        this.dues = new DueTimes(bottleneck, new SplittableRandom(seed));
        this.share = bottleneck.new Share();
    }

    void rule(NetworkRule now) {
        rule = now;
        if (!followsReceiver()) {
            // These marks would be outdated when the receiver is followed again, and until then next() would wake for their moments.
            edges.clear();
            edge = -1;
        }
    }

    /** Returns the number of bytes that may be read now; 0 or less for none. */
    long room(long now) {
        long upTo = advertised(now);
        if (arrivals.size() >= MARKS || readBytes > writtenBytes && blocks.areScarce() || waitsForABlock()) {
            return 0;
        }
        long most = rule.rtt().isZero() && rule.bandwidth() == 0 ? CAPACITY_WITHOUT_DELAY : CAPACITY;
        long room = Math.min(most - (readBytes - writtenBytes), upTo - readBytes);
        return rule.bandwidth() == 0 ? room : Math.min(room, share.room(rule, PACKET, now));
    }

    private boolean waitsForABlock() {
        return readBytes == writtenBytes && blocks.areUsedUp();
    }

    /** Returns the position up to which the sender knows that the receiver has room; {@link #NEVER} for no limit. */
    private long advertised(long now) {
        if (!followsReceiver()) {
            return NEVER;
        }
        if (edge < 0) {
            // The sender has learnt the first window from the handshake.
            look(now);
            edge = lastEdge;
        }
        edge = Math.max(edge, edges.reached(now, edge));
        edges.drop(edge, now);
        return edge;
    }

    private boolean followsReceiver() {
        return descriptor >= 0 && !rule.rtt().isZero();
    }

    private void look(long now) {
        long at = Linux.advertised(descriptor);
        if (at > lastEdge) {
            lastEdge = at;
            edges.add(at, now + rule.oneWayNanos());
            pause = SOONEST_LOOK_NANOS;
        } else {
            pause = Math.min(2 * pause, LATEST_LOOK_NANOS);
        }
        widest = Math.max(widest, lastEdge - writtenBytes);
        lookAt = lastEdge - writtenBytes < widest ? now + pause : NEVER;
    }

    /**
     * Reads bytes that have come from the source.
     *
     * @param room the greatest number of bytes to read
     * @param behind how much earlier than now the bytes had come, in nanoseconds
     * @throws IOException when the source is broken
     */
    void read(long room, long behind) throws IOException {
        ByteBuffer block = filled.peekLast();
        if (block == null || block.position() == block.capacity()) {
            block = blocks.take();
            filled.addLast(block);
        }
        int slice = rule.bandwidth() == 0 ? BLOCK : (int) Math.clamp((long) Bottleneck.bytes(rule, SLICE_NANOS), PACKET, BLOCK);
        block.limit((int) Math.min(block.capacity(), block.position() + Math.min(room, slice)));
        int n = source.read(block);
        block.limit(block.capacity());
        if (block.position() == 0) {
            filled.removeLast();
            blocks.give(block);
        }
        if (n < 0) {
            // The end of the stream arrives behind all bytes.
            ended = true;
            arrivals.add(readBytes, dues.next(rule, 0, System.nanoTime() - behind));
        } else if (n > 0) {
            readBytes += n;
            arrivals.add(readBytes, dues.next(rule, n, System.nanoTime() - behind));
            if (rule.bandwidth() != 0) {
                share.add(n);
            }
        }
    }

    /**
     * Writes the bytes that are due to the sink, and passes on the end of the source behind them.
     *
     * @throws IOException when the sink is broken
     */
    void deliver(long now) throws IOException {
        long before = writtenBytes;
        long end = arrivals.reached(now, writtenBytes);
        write(end);
        blocked = writtenBytes < end;
        arrivals.drop(writtenBytes, now);
        if (followsReceiver() && (writtenBytes > before || now >= lookAt)) {
            look(now);
        }
        if (ended && arrivals.isEmpty() && !shut) {
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

    /**
     * Returns the next moment at which to look for room of the receiver, unless bytes are due before or soon after it; otherwise
     * {@link #NEVER}. The moment need not be exact.
     */
    long nextLook() {
        return !followsReceiver() || !blocked && arrivals.nextMoment() < lookAt + TOGETHER_NANOS ? NEVER : lookAt;
    }

    /** Returns the next moment, apart from {@link #nextLook()}, at which there is something to do without an event of a socket. */
    long next(boolean reading, long now) {
        long next = blocked ? NEVER : arrivals.nextMoment();
        if (reading || ended) {
            return next;
        }
        next = Math.min(next, edges.nextMoment());
        if (waitsForABlock()) {
            // A direction that gives a block back does not know which ones wait for it.
            next = Math.min(next, now + BLOCK_LOOK_NANOS);
        }
        // At least a slice of time later, so that at a high bandwidth many packets are read at once.
        return rule.bandwidth() == 0 ? next : Math.min(next, Math.max(share.nextPasses(), now + SLICE_NANOS));
    }

    /** Returns whether the sink does not take the bytes that are due, for the moment. */
    boolean isBlocked() {
        return blocked;
    }

    /** Returns whether the source has ended. */
    boolean hasEnded() {
        return ended;
    }

    /** Returns whether the end of the source was passed on to the sink. */
    boolean isShut() {
        return shut;
    }

    void release() {
        filled.forEach(blocks::give);
        filled.clear();
        share.leave();
    }
}
