package io.brokermeter.cluster;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jgroups.Address;
import org.jgroups.JChannel;

/** One member as this process sees it: the messages to it and from it. */
final class Peer {

    private final Member member;
    private final Address address;
    private final Outbox outbox;
    private final Events events;
    private final Consumer<Peer> goodbye;
    private final ReceiveBudget.Part waiting;
    private final EarlyFrames early = new EarlyFrames();
    /**
     * The assembler of this member's messages. Used by one thread at a time: JGroups delivers the messages of a member one after the other,
     * and none of them is taken before the {@link #early} ones.
     */
    private final Frames frames = new Frames();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean gone;
    private boolean heard;

    /**
     * @param events receives the messages, within the budget of all members
     * @param goodbye called when the member says that it leaves, by any thread
     */
    Peer(Member member, Address address, JChannel channel, Events events, Consumer<Peer> goodbye) {
        this.member = member;
        this.address = address;
        outbox = new Outbox(channel, address);
        this.events = events;
        this.goodbye = goodbye;
        waiting = events.budget().new Part();
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

    /** Takes the frames that came before this, now that the arrival of the member was reported. Does not block. */
    void arrived() {
        early.release(frame -> takeNext(frame, 0, frame.length));
    }

    /**
     * Takes a frame of the member, or keeps it until the member has arrived. Blocks the thread that delivers messages of this member until
     * the listener has taken earlier ones, of other members, too.
     */
    void take(byte[] array, int offset, int length) throws InterruptedException {
        if (!early.keep(array, offset, length)) {
            takeNext(array, offset, length);
        }
    }

    private void takeNext(byte[] array, int offset, int length) throws InterruptedException {
        switch (frames.take(array, offset, length)) {
            case Frames.Piece.Part _ -> {
            }
            case Frames.Piece.Whole(String text, int bytes) -> {
                if (waiting.await(bytes)) {
                    events.message(member, text, () -> waiting.taken(bytes));
                }
            }
            case Frames.Piece.Bad(String sentence) -> events.refused("message " + member.id(), new PeerRefusal(PeerRefusal.Reason.MESSAGE,
                member.name(), member.name() + " at " + member.address() + " sent " + sentence));
            case Frames.Piece.Heard() -> heardGoodbye();
            case Frames.Piece.Bye() -> goodbye.accept(this);
        }
    }

    /** Records that the member has received everything that was sent before the goodbye. */
    private void heardGoodbye() {
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
        early.close();
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
