package io.brokermeter.driver.mqtt;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import org.jspecify.annotations.Nullable;

/**
 * The messages of a session that wait for the broker's acknowledgement, in the order they were sent. Packet ids are assigned cyclically, so
 * the id of a message determines its place in a ring. Any thread adds under the session's lock; only the session's reader thread removes. A
 * place becomes free when everything sent before it is acknowledged as well; with a broker that keeps the order required by section 4.6 no
 * sender waits for that. A message stays until then, even if its producer is closed: its id is in use, and it counts towards the receive
 * maximum.
 */
final class InFlight {

    /** The largest packet id of a message; the smallest is 1, and larger ids are reserved for subscriptions. */
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

    /** @param places the most messages in flight at a time */
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

    /** Creates a larger ring that replaces this one, which must be empty. Packet ids continue. Call under the lock. */
    InFlight larger(int places) {
        return new InFlight(places, head);
    }

    private static int capacity(int places) {
        return Integer.highestOneBit(Math.max(2, Math.min(places, IDS) - 1)) * 2;
    }

    /** Returns the most messages that can be in flight at a time. */
    int capacity() {
        return Math.min(mask + 1, IDS);
    }

    /** Returns the number of messages in flight. Exact under the lock while nothing is acknowledged; never too small. */
    int size() {
        return (int) (head - tail);
    }

    /** Adds a message by its number among those of its owner, and returns its packet id. There must be room. Call under the lock. */
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
     * Returns the place of the message with this packet id, -1 if it is not in flight. Called by the reader thread; valid until the next
     * {@link #done}.
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

    /** Returns the producer of the message at a place. Called by the reader thread. */
    MqttProducer owner(long place) {
        return java.util.Objects.requireNonNull(owners[(int) place & mask]);
    }

    /** Returns the number of the message at a place among those of its producer. */
    long number(long place) {
        return numbers[(int) place & mask];
    }

    /** Removes an acknowledged or refused message. Called by the reader thread. */
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

    /** Makes freed places visible to senders. Called by the reader thread after a batch of acknowledgements. */
    void publish() {
        sweep();
        tail = first;
    }
}
