package io.brokermeter.cluster;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jgroups.Address;
import org.jgroups.JChannel;

/** One member as this process sees it: the messages to it and from it. */
final class Peer {

    private final Member member;
    private final Address address;
    private final Outbox outbox;
    private final WaitingRoom.Part waiting;
    private final Frames frames = new Frames();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean gone;
    private boolean heard;

    /** @param room the room for messages of all members that wait for the listener */
    Peer(Member member, Address address, JChannel channel, WaitingRoom room) {
        this.member = member;
        this.address = address;
        outbox = new Outbox(channel, address);
        waiting = room.new Part();
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
     * Blocks the thread that delivers messages of this member until the listener has taken earlier ones, of other members, too.
     *
     * @return false if the member is gone
     */
    boolean awaitRoom(int bytes) throws InterruptedException {
        return waiting.await(bytes);
    }

    void taken(int bytes) {
        waiting.taken(bytes);
    }

    /** Records that the member has received everything that was sent before the goodbye. */
    void heardGoodbye() {
        lock.lock();
        try {
            heard = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void awaitGoodbyeHeard(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!heard && !gone && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    void go() {
        outbox.close();
        waiting.close();
        lock.lock();
        try {
            gone = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
