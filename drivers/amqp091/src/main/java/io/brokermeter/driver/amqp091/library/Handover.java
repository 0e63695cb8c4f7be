package io.brokermeter.driver.amqp091.library;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import com.rabbitmq.client.Delivery;

/**
 * Takes messages from the client's thread and gives them to a taker on a thread of its own, in their order, so that the
 * client's thread is free while the taker waits for an answer of the broker.
 *
 * <p>The client queues at most 1000 messages of a channel, and its only reading thread waits while there are more. It
 * lifts that limit while a request waits for its answer, but may end the lift of a request when it ends the one before:
 * the answer then stands behind messages that nobody reads (version 5.37). Up to 1000 unacknowledged messages never get
 * there; more need this class.
 */
final class Handover {

    /** Prefetch counts up to here fit into the client's queue. */
    static final int CLIENT_QUEUE = 1000;

    /** Where the messages go. */
    interface Taker {

        /** Called for one message after the other. */
        void take(Delivery delivery);
    }

    private final Taker taker;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition came = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final ArrayDeque<Delivery> deliveries = new ArrayDeque<>();
    private boolean lifted;
    private boolean closed;

    private Handover(Taker taker) {
        this.taker = taker;
    }

    /** Starts the thread, which ends with {@link #close()}. */
    static Handover start(Taker taker) {
        Handover handover = new Handover(taker);
        Thread.ofPlatform().daemon().name("brokermeter-amqp091-handover").start(handover::run);
        return handover;
    }

    /** Whether messages that are acknowledged by requests with an answer need this class. */
    static boolean needed(int prefetch) {
        return prefetch == 0 || prefetch > CLIENT_QUEUE;
    }

    /** Hands a message over; waits while the taker has too many, unless it waits for the broker itself. */
    void put(Delivery delivery) {
        lock.lock();
        try {
            while (!closed && !lifted && deliveries.size() >= CLIENT_QUEUE) {
                room.awaitUninterruptibly();
            }
            if (!closed) {
                deliveries.add(delivery);
                came.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says whether the taker waits for an answer of the broker. */
    void waitsForBroker(boolean waits) {
        lock.lock();
        try {
            lifted = waits;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Gives out no more messages, and drops those that were not taken. Waits for nothing. */
    void close() {
        lock.lock();
        try {
            closed = true;
            deliveries.clear();
            came.signalAll();
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (true) {
            Delivery delivery;
            lock.lock();
            try {
                while (!closed && deliveries.isEmpty()) {
                    came.awaitUninterruptibly();
                }
                if (closed) {
                    return;
                }
                delivery = deliveries.remove();
                room.signal();
            } finally {
                lock.unlock();
            }
            taker.take(delivery);
        }
    }
}
