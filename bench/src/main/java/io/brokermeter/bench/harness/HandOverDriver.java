package io.brokermeter.bench.harness;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A broker in memory for one producer and one consumer, of which one thread confirms and another delivers, as with a broker behind a
 * socket: what the threads of the harness cost each other shows with it. A send copies the body into a ring; the copy is part of the cost.
 */
final class HandOverDriver implements Driver {

    /** Messages that are sent and not yet delivered, at most; a power of two. */
    private static final int SLOTS = 4096;
    /** Looks at the ring before a thread parks, and how long it parks, in nanoseconds. */
    private static final int SPINS = 200;
    private static final long PARK = 20_000;

    private final Ring ring = new Ring();

    /** Counts that only grow, each written by one thread and in a cache line of its own; token t stands in the slot t modulo {@link #SLOTS}. */
    private static final class Ring {

        private static final int SENT = 16;
        private static final int CONFIRMED = 32;
        private static final int DELIVERED = 48;

        private final AtomicLongArray counts = new AtomicLongArray(64);
        private final byte[][] bodies = new byte[SLOTS][0];
        private final int[] lengths = new int[SLOTS];
        private volatile boolean closed;

        void put(Payload payload, long token) {
            awaitMore(DELIVERED, token - SLOTS);
            int slot = (int) token & SLOTS - 1;
            int length = payload.length();
            if (bodies[slot].length < length) {
                bodies[slot] = new byte[length];
            }
            System.arraycopy(payload.bytes(), 0, bodies[slot], 0, length);
            lengths[slot] = length;
            counts.setRelease(SENT, token + 1);
        }

        /** Waits until the count is greater than {@code count}, or the ring is closed, and returns it. */
        long awaitMore(int which, long count) {
            int looks = 0;
            long now = counts.getAcquire(which);
            while (now <= count && !closed) {
                if (looks++ < SPINS) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(PARK);
                }
                now = counts.getAcquire(which);
            }
            return now;
        }
    }

    @Override
    public String protocol() {
        return "HANDOVER";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("handover");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.CONFIRMATIONS);
    }

    @Override
    public String client() {
        return "hand-over";
    }

    @Override
    public void check(ConnectionSettings settings) {}

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) {
        return new Side(ring);
    }

    /** A connection, which carries either the producer or the consumer, and the thread of that one. */
    private static final class Side implements Connection {

        private final Ring ring;
        private @Nullable Thread thread;

        Side(Ring ring) {
            this.ring = ring;
        }

        @Override
        public boolean declare(Destination destination) {
            return false;
        }

        @Override
        public void delete(Destination destination) {}

        @Override
        public Producer producer(Destination destination, ProducerSettings settings, SendListener listener) {
            start("confirms", () -> {
                for (long confirmed = 0; (confirmed = next(Ring.SENT, Ring.CONFIRMED, confirmed)) >= 0;) {
                    listener.confirmedUpTo(confirmed - 1);
                }
            });
            return new Producer() {

                @Override
                public void send(Payload payload, long token) {
                    ring.put(payload, token);
                }

                @Override
                public void close() {
                    ring.awaitMore(Ring.CONFIRMED, ring.counts.get(Ring.SENT) - 1);
                }
            };
        }

        @Override
        public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener listener) {
            start("delivers", () -> {
                ByteBuffer[] views = new ByteBuffer[SLOTS];
                for (long from = 0, to; (to = next(Ring.SENT, Ring.DELIVERED, from)) >= 0; from = to) {
                    for (long token = from; token < to; token++) {
                        int slot = (int) token & SLOTS - 1;
                        if (views[slot] == null || views[slot].array() != ring.bodies[slot]) {
                            views[slot] = ByteBuffer.wrap(ring.bodies[slot]);
                        }
                        if (listener.delivered(views[slot].clear().limit(ring.lengths[slot]), false) == Settlement.LEAVE) {
                            return;
                        }
                    }
                }
            });
            return this::close;
        }

        /** Tells the others how far this thread has come, and returns how far it may go; -1 when the ring is closed. */
        private long next(int source, int own, long done) {
            ring.counts.setRelease(own, done);
            long more = ring.awaitMore(source, done);
            return more > done ? more : -1;
        }

        private void start(String name, Runnable work) {
            thread = Thread.ofPlatform().daemon().name(name).start(work);
        }

        @Override
        public void close() {
            ring.closed = true;
            if (thread != null) {
                try {
                    thread.join(1000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
