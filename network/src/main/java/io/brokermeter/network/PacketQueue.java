package io.brokermeter.network;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * One direction of a link under one rule: packets wait here until they are due. One thread adds them, another thread, which belongs to the
 * queue, writes them; a packet that need wait neither for its moment nor for others before it is written by the first thread, which saves
 * a wake-up.
 */
final class PacketQueue {

    private static final int CHUNKS = 64;
    private static final int CHUNK = 1_024;
    private static final int MOST = CHUNKS * CHUNK;
    private static final int SLOT = 2_048;
    private static final int PACKET = 1_500;
    /** The longest wait of the adding thread for a packet's moment, in nanoseconds: waking the other thread would take longer. */
    private static final long MOMENT = 2_000;

    private final NetworkRule rule;
    private final int to;
    private final SplittableRandom random;
    private final MemorySegment[] chunks = new MemorySegment[CHUNKS];
    private final int[] lengths = new int[MOST];
    private final long[] dues = new long[MOST];
    private final Bottleneck bottleneck = new Bottleneck();
    private final DueTimes times;
    private final Punctuality punctual = new Punctuality(System::nanoTime);
    private final Thread thread;
    private long broughtAt = System.nanoTime();
    private volatile long brought;
    private volatile long taken;
    private volatile boolean waits;
    private volatile long passed;
    private volatile long lost;
    private volatile long dropped;
    /** The number of packets that the device did not take. */
    private volatile long refused;

    /** @param to descriptor of the device to which packets are written */
    PacketQueue(NetworkRule rule, int to, long seed, String name) {
        this.rule = rule;
        this.to = to;
        this.random = new SplittableRandom(seed);
        this.times = new DueTimes(bottleneck, random);
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        if (!rule.isNone()) {
            thread.start();
        }
    }

    /** Adds a packet. The memory belongs to the caller again when this method returns. Called by one thread. */
    void bring(MemorySegment packet, int length) {
        if (rule.isNone()) {
            hand(packet, length);
            return;
        }
        if (rule.loss() > 0 && random.nextDouble() < rule.loss()) {
            lost = lost + 1;
            return;
        }
        long now = System.nanoTime();
        long number = brought;
        if (number - taken >= MOST || length > SLOT || !fits(now)) {
            dropped = dropped + 1;
            return;
        }
        // The caller has waited for this packet since the one before.
        long due = times.next(rule, length, now - punctual.behind(broughtAt, now));
        broughtAt = now;
        if (due - now <= MOMENT && taken == number) {
            // All packets before it are written, and the other thread has nothing to do until more are added.
            while (System.nanoTime() < due) {
                Thread.onSpinWait();
            }
            hand(packet, length);
            return;
        }
        int slot = (int) (number % MOST);
        MemorySegment.copy(packet, 0, slot(slot), 0, length);
        lengths[slot] = length;
        dues[slot] = due;
        brought = number + 1;
        if (waits) {
            LockSupport.unpark(thread);
        }
    }

    /** Writes a packet to the device. Called by the adding thread while the other one has nothing to do, or by the other one. */
    private void hand(MemorySegment packet, int length) {
        if (Linux.write(to, packet, length) == length) {
            passed = passed + 1;
        } else {
            refused = refused + 1;
        }
    }

    /** Returns whether the queue of a router with the rule's bandwidth would have room for another packet. */
    private boolean fits(long now) {
        return rule.bandwidth() == 0 || bottleneck.waiting(rule, now) < Bottleneck.queue(rule, PACKET);
    }

    private MemorySegment slot(int slot) {
        int chunk = slot / CHUNK;
        if (chunks[chunk] == null) {
            chunks[chunk] = Arena.global().allocate((long) CHUNK * SLOT);
        }
        return chunks[chunk].asSlice((long) (slot % CHUNK) * SLOT, SLOT);
    }

    private void run() {
        Linux.lowerTimerSlack();
        while (true) {
            long number = taken;
            if (number == brought) {
                waits = true;
                if (number == brought) {
                    LockSupport.park(this);
                }
                waits = false;
                continue;
            }
            int slot = (int) (number % MOST);
            long due = dues[slot];
            long now = System.nanoTime();
            if (due > now) {
                LockSupport.parkNanos(this, punctual.wakeFor(due, now) - now);
                if (punctual.await(due) < due) {
                    continue;
                }
            }
            hand(slot(slot), lengths[slot]);
            taken = number + 1;
        }
    }

    long passed() {
        return passed;
    }

    long lost() {
        return lost;
    }

    long dropped() {
        return dropped + refused;
    }
}
