package io.brokermeter.driver.mqtt;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import org.jspecify.annotations.Nullable;

/**
 * The messages of a session that wait for the broker's acknowledgement, in the order they were sent. Packet ids are given
 * in turn, so the id of a message gives its place in a ring. Threads add under the session's lock; the session's reader
 * alone takes away. A place becomes free when everything sent before it is acknowledged, too, which a broker that keeps
 * the order required by section 4.6 never makes anybody wait for. A message stays until then, even when its producer is closed:
 * its id is in use, and it counts towards the receive maximum.
 */
final class InFlight {

    /** Packet ids of messages run from 1 to this; those above are left for subscriptions. */
    static final int IDS = 65_000;

    private static final VarHandle OWNER = MethodHandles.arrayElementVarHandle(MqttProducer[].class);
    private static final byte SENT = 0;
    private static final byte DONE = 1;

    private final int mask;
    private final @Nullable MqttProducer[] owners;
    private final long[] numbers;
    private final byte[] states;
    private long head;
    private long first;
    private volatile long tail;

    /** @param places the most messages that will be in it at a time */
    InFlight(int places) {
        this(places, 0);
    }

    private InFlight(int places, long begin) {
        int capacity = capacity(places);
        head = begin;
        first = begin;
        tail = begin;
        mask = capacity - 1;
        owners = new MqttProducer[capacity];
        numbers = new long[capacity];
        states = new byte[capacity];
    }

    /** A larger one in the place of this one, which is empty. Its ids go on from there. Under the lock. */
    InFlight larger(int places) {
        return new InFlight(places, head);
    }

    private static int capacity(int places) {
        return Integer.highestOneBit(Math.max(2, Math.min(places, IDS) - 1)) * 2;
    }

    /** The most messages that can be in it at a time. */
    int capacity() {
        return Math.min(mask + 1, IDS);
    }

    /** How many messages are in it. Exact under the lock while nobody acknowledges; never too few. */
    int size() {
        return (int) (head - tail);
    }

    /** Adds a message by its number among those of its owner, for which there must be room, and returns its packet id. Under the lock. */
    int add(MqttProducer owner, long number) {
        long place = head;
        int at = (int) place & mask;
        numbers[at] = number;
        states[at] = SENT;
        OWNER.setRelease(owners, at, owner);
        head = place + 1;
        return id(place);
    }

    private static int id(long place) {
        return (int) (place % IDS) + 1;
    }

    /**
     * The place of the message with this packet id, -1 when it is not in flight. Reader only; valid until the
     * next {@link #done}.
     */
    long place(int id) {
        if (id < 1 || id > IDS) {
            return -1;
        }
        int distance = id - id(first);
        long place = first + (distance < 0 ? distance + IDS : distance);
        if (place - first > mask) {
            return -1;
        }
        int at = (int) place & mask;
        return OWNER.getAcquire(owners, at) == null || states[at] == DONE ? -1 : place;
    }

    /** Whose message it is. Reader only. */
    MqttProducer owner(long place) {
        return java.util.Objects.requireNonNull(owners[(int) place & mask]);
    }

    /** The number of a message among those of its owner. */
    long number(long place) {
        return numbers[(int) place & mask];
    }

    /** The message is acknowledged or refused. Reader only. */
    void done(long place) {
        states[(int) place & mask] = DONE;
        if (place == first) {
            sweep();
        }
    }

    private void sweep() {
        long at = first;
        while (at - first <= mask && OWNER.getAcquire(owners, (int) at & mask) != null
            && states[(int) at & mask] == DONE) {
            owners[(int) at & mask] = null;
            at++;
        }
        first = at;
    }

    /** Lets senders see which places are free. Reader only, when a batch of acknowledgements is through. */
    void publish() {
        sweep();
        tail = first;
    }
}
