package io.brokermeter.cluster;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jgroups.Address;

/** One member as this process sees it: the messages to it and from it. */
final class Peer {

    /** The most bytes of messages that wait for the listener; beyond that the sender waits. A coordinator has it for each of many agents. */
    private static final long MOST_WAITING = 4L << 20;

    private final Member member;
    private final Address address;
    private final Outbox outbox;
    private final Frames frames = new Frames();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private long waiting;
    private boolean gone;
    private boolean heard;

    Peer(Member member, Address address, Outbox outbox) {
        this.member = member;
        this.address = address;
        this.outbox = outbox;
    }

    Member member() {
        return member;
    }

    Address address() {
        return address;
    }

    Outbox outbox() {
        return outbox;
    }

    /**
     * Returns the assembler of this member's messages. Used by one thread at a time: JGroups delivers the messages of a member one after
     * the other.
     */
    Frames frames() {
        return frames;
    }

    /**
     * Blocks the thread that delivers messages of this member until the listener has taken earlier ones.
     *
     * @return false if the member is gone
     */
    boolean awaitRoom(int bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!gone && waiting > 0 && waiting + bytes > MOST_WAITING) {
                room.await();
            }
            waiting += bytes;
            return !gone;
        } finally {
            lock.unlock();
        }
    }

    void taken(int bytes) {
        lock.lock();
        try {
            waiting -= bytes;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Records that the member has received everything that was sent before the goodbye. */
    void heardGoodbye() {
        lock.lock();
        try {
            heard = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void awaitGoodbyeHeard(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!heard && !gone && left > 0) {
                left = room.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    void go() {
        outbox.close();
        lock.lock();
        try {
            gone = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
