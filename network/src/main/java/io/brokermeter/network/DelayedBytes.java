package io.brokermeter.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * One direction of one connection: bytes that are on their way, each read with the moment at which it arrives. Used by the proxy's loop
 * alone. All moments are those of {@link System#nanoTime()}.
 *
 * <p>Bytes stand in blocks, in their order; marks say up to which byte what is due when. Over a distance no more is read than the receiver had
 * advertised room for one way ago, where the kernel reports that: as much as a sender there would have in flight.
 */
final class DelayedBytes {

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
    /** How soon, and how late at most, it looks again for room that a receiver has made, since no event reports it. */
    private static final long SOONEST_LOOK_NANOS = 50_000;
    private static final long LATEST_LOOK_NANOS = 2_000_000;
    /** What arrives so soon after a look is looked at with it: a thread that wakes for both is late for the second. */
    private static final long TOGETHER_NANOS = 500_000;

    /** How soon it looks again for a block when all are in use. */
    private static final long BLOCK_LOOK_NANOS = 10_000_000;

    private final SocketChannel source;
    private final SocketChannel sink;
    private final Blocks blocks;
    private final DueTimes dues;
    private final Bottleneck.Share share;
    private final ArrayDeque<ByteBuffer> filled = new ArrayDeque<>();

    private NetworkRule rule;

    /** Up to where what was read is due when. */
    private final Marks arrivals = new Marks();

    private long readBytes;
    private long writtenBytes;
    /** The stream's position of the first byte of the first block. */
    private long base;

    /** Of the sink, -1 where it is not known. */
    private final int descriptor;
    /** Up to where the receiver had made room, on its way back to the sender. */
    private final Marks edges = new Marks();
    /** What has come back of that; less than 0 before the first look. */
    private long edge = -1;
    private long lastEdge;
    private long widest;
    private long lookAt = NEVER;
    private long pause = SOONEST_LOOK_NANOS;

    private boolean ended;
    private boolean shut;
    private boolean blocked;

    /**
     * Nothing is on its way.
     *
     * @param descriptor of the sink, -1 where it is not known
     * @param bottleneck that of all connections of the proxy in this direction
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
            // What stands there is old when it is followed again, and its moments would count as something to do.
            edges.clear();
            edge = -1;
        }
    }

    /** How many bytes may be read now. */
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

    /** Up to where the sender knows that there is room. */
    private long advertised(long now) {
        if (!followsReceiver()) {
            return NEVER;
        }
        if (edge < 0) {
            // The handshake has shown it.
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
     * Takes what has come.
     *
     * @param room the most that is read
     * @param behind how much earlier it had come
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
            // The end arrives behind all that came.
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
     * Hands over what is due.
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

    /** The next moment at which it looks for room, if nothing else is to be done before or soon after. It need not be exact. */
    long nextLook() {
        return !followsReceiver() || !blocked && arrivals.nextMoment() < lookAt + TOGETHER_NANOS ? NEVER : lookAt;
    }

    /** The next moment at which there is something else to do without news from a socket. */
    long next(boolean reading, long now) {
        long next = blocked ? NEVER : arrivals.nextMoment();
        if (reading || ended) {
            return next;
        }
        next = Math.min(next, edges.nextMoment());
        if (waitsForABlock()) {
            // Those that give one back do not know who waits.
            next = Math.min(next, now + BLOCK_LOOK_NANOS);
        }
        // Where much passes in a slice, it is read at once.
        return rule.bandwidth() == 0 ? next : Math.min(next, Math.max(share.nextPasses(), now + SLICE_NANOS));
    }

    /** Whether the sink takes no more for the moment. */
    boolean isBlocked() {
        return blocked;
    }

    /** Whether the source has ended. */
    boolean hasEnded() {
        return ended;
    }

    /** Whether the end was passed on to the sink. */
    boolean isShut() {
        return shut;
    }

    void release() {
        filled.forEach(blocks::give);
        filled.clear();
        share.leave();
    }
}
