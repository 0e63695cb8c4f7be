package io.brokermeter.engine.run.send;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

import io.brokermeter.engine.recording.lane.Counter;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one producer that are in flight: a ring of slots indexed by token. The sending thread takes a slot, and the client's
 * confirming thread frees it with one compare-and-set, so no lock, map or object per message is needed.
 *
 * <p>A message that stays unconfirmed must not block the ring when the ring comes round to its slot. The sending thread then sets it aside,
 * into a map, where its confirmation finds it later. A producer of requests has a second ring for requests without a reply; its window
 * counts those requests, and not the unconfirmed messages.
 *
 * <p>Tokens count from 0. There is one sending thread. Confirming threads exclude each other, and so do the threads that bring replies.
 */
final class Window {

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle SETTLED;
    private static final long FREE = -1;
    /** Marks the token of a slot that the sending thread is about to set aside. */
    private static final long MOVING = Long.MIN_VALUE;

    static {
        try {
            SETTLED = MethodHandles.lookup().findVarHandle(Window.class, "settled", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Number of requests that were given up because they got no reply in time. */
    final Counter expired = new Counter();
    /** Number of requests whose reply came after their time, before they were given up. */
    final Counter answeredLate = new Counter();

    private final int size;
    private final int mask;
    private final long[] slots;
    private final long[] intendedAt;
    private final long[] sentAt;
    /** What the sender noted of the message in each slot, where {@link Confirmed} needs it. */
    private final long[] noteAt;
    private final boolean notes;
    /** Tokens of requests without a reply, by slot as in {@link #slots}; empty for a producer of plain messages. */
    private final long[] requests;
    /** Whether the producer sends requests, so that {@link #requests} are kept. */
    private final boolean asks;
    private final long replyWithin;
    /** Unconfirmed messages whose slot was needed again: token to {intended, sent, note}. */
    private final ConcurrentHashMap<Long, long[]> aside;
    /** Requests without a reply whose slot was needed again, as in {@link #aside}. */
    private final ConcurrentHashMap<Long, long[]> requestsAside = new ConcurrentHashMap<>();

    // Sending thread only.
    private long next;
    private long oldestRequest;

    /** Number of messages that no longer count as in flight. Added to by all threads. */
    @SuppressWarnings("unused")
    private long settled;
    /** The token below which {@link #confirmUpTo} has confirmed all. Used by confirming threads only. */
    private long lowestPending;

    /** Receives what is known of a message that was confirmed. */
    interface Confirmed {

        /**
         * Called for each message that is confirmed. Times are nanoseconds since the epoch.
         *
         * @param intended when the message was due
         * @param sentAt when the message was sent
         * @param note what the sender noted of it; 0 in a window without notes
         * @param now when its confirmation came
         */
        void accept(long token, long intended, long sentAt, long note, long now);
    }

    /**
     * Creates an empty window.
     *
     * @param size largest number of messages in flight, at least 1
     * @param replyWithin how long a request waits for its reply, or null for plain messages
     * @param notes whether {@link Confirmed} needs the notes of messages
     */
    Window(int size, @Nullable Duration replyWithin, boolean notes) {
        this(size, replyWithin, notes, new ConcurrentHashMap<>());
    }

    /** Creates an empty window with the map for messages that are set aside, whose calls a test may delay. */
    Window(int size, @Nullable Duration replyWithin, boolean notes, ConcurrentHashMap<Long, long[]> aside) {
        this.size = size;
        this.aside = aside;
        int capacity = size <= 1 ? 2 : Integer.highestOneBit(size - 1) * 2;
        this.mask = capacity - 1;
        this.slots = new long[capacity];
        Arrays.fill(slots, FREE);
        this.asks = replyWithin != null;
        this.requests = replyWithin == null ? new long[0] : slots.clone();
        this.replyWithin = replyWithin == null ? 0 : replyWithin.toNanos();
        this.intendedAt = new long[capacity];
        this.sentAt = new long[capacity];
        this.notes = notes;
        this.noteAt = new long[notes ? capacity : 0];
    }

    int size() {
        return size;
    }

    /** Returns whether its messages are requests, which wait for a reply. */
    boolean asks() {
        return asks;
    }

    // ---- sending thread ----

    /** Returns the token of the next message, which is the number of messages taken so far. Other threads may read an older value. */
    long next() {
        return next;
    }

    /**
     * Returns the number of messages in flight. On threads other than the sending one it may be too low, but not after a call that settled
     * a message, such as {@link #confirm}.
     */
    long inFlight() {
        return next - (long) SETTLED.getOpaque(this);
    }

    /** Returns whether as many messages are in flight as allowed. If not, everything that the confirming threads did before is visible. */
    boolean isFull() {
        return next - (long) SETTLED.getAcquire(this) >= size;
    }

    /** Returns the number of messages in flight by a volatile read, for a thread that has just published that it waits. */
    long inFlightNow() {
        return next - (long) SETTLED.getVolatile(this);
    }

    /** Takes the next message, which is in flight from now on, with a note about it; returns its token. */
    long take(long intended, long now, long note) {
        long token = next;
        int slot = (int) token & mask;
        setAside(slots, aside, slot);
        if (asks) {
            expire(now);
            setAside(requests, requestsAside, slot);
        }
        intendedAt[slot] = intended;
        sentAt[slot] = now;
        if (notes) {
            noteAt[slot] = note;
        }
        SLOT.setRelease(slots, slot, token);
        if (asks) {
            SLOT.setRelease(requests, slot, token);
        }
        next = token + 1;
        return token;
    }

    /**
     * Moves a message that still occupies a slot into a map. Off the hot path. A map is bounded by the size of the window, except for the
     * unconfirmed messages of a producer of requests, which the window does not count.
     */
    private void setAside(long[] ring, ConcurrentHashMap<Long, long[]> into, int slot) {
        long token = (long) SLOT.getAcquire(ring, slot);
        // The token is claimed before it is put into the map, so it can never be confirmed twice, in both places.
        if (token != FREE && SLOT.compareAndSet(ring, slot, token, token | MOVING)) {
            into.put(token, new long[] {intendedAt[slot], sentAt[slot], notes ? noteAt[slot] : 0});
            SLOT.setRelease(ring, slot, FREE);
        }
    }

    /**
     * Gives up requests that got no reply in time, and returns whether that made room. Called by the sending thread, or by any thread when
     * that has ended.
     */
    boolean expire(long now) {
        if (!asks) {
            return false;
        }
        long limit = now - replyWithin;
        boolean room = false;
        while (oldestRequest < next) {
            long token = oldestRequest;
            int slot = (int) token & mask;
            boolean inRing = (long) SLOT.getAcquire(requests, slot) == token;
            long[] old = inRing || requestsAside.isEmpty() ? null : requestsAside.get(token);
            if (inRing || old != null) {
                if ((old == null ? sentAt[slot] : old[1]) > limit) {
                    break;
                }
                if (inRing ? SLOT.compareAndSet(requests, slot, token, FREE) : requestsAside.remove(token) != null) {
                    expired.increment();
                    SETTLED.getAndAdd(this, 1L);
                    room = true;
                }
            }
            oldestRequest++;
        }
        return room;
    }

    /**
     * Returns how much time the oldest request that {@link #expire} has left still has, in nanoseconds; {@link Long#MAX_VALUE} when no
     * request waits for its reply. Called by the sending thread, or by any thread when that has ended.
     */
    long expiresIn(long now) {
        if (!asks || oldestRequest == next) {
            return Long.MAX_VALUE;
        }
        long[] old = requestsAside.isEmpty() ? null : requestsAside.get(oldestRequest);
        return replyWithin - (now - (old == null ? sentAt[(int) oldestRequest & mask] : old[1]));
    }

    // ---- confirming threads, one at a time ----

    /** Confirms a token. Returns false when it is not pending. */
    boolean confirm(long token, long now, Confirmed to) {
        if (token < 0) {
            return false;
        }
        int slot = (int) token & mask;
        long intended = intendedAt[slot];
        long sent = sentAt[slot];
        long note = notes ? noteAt[slot] : 0;
        if (!SLOT.compareAndSet(slots, slot, token, FREE)) {
            long[] old = takeAside(slots, aside, token);
            if (old == null) {
                return false;
            }
            intended = old[0];
            sent = old[1];
            note = old[2];
        }
        to.accept(token, intended, sent, note, now);
        if (!asks) {
            SETTLED.getAndAdd(this, 1L);
        }
        return true;
    }

    /** Confirms every pending token up to and including {@code token}. */
    void confirmUpTo(long token, long now, Confirmed to) {
        if (!aside.isEmpty()) {
            for (Long old : aside.keySet()) {
                if (old <= token) {
                    confirm(old, now, to);
                }
            }
        }
        for (long t = Math.max(lowestPending, token - mask); t <= token; t++) {
            confirm(t, now, to);
        }
        lowestPending = Math.max(lowestPending, token + 1);
    }

    /**
     * Removes a message that will be neither confirmed nor answered. Returns false when it is not pending. May also be called by the
     * sending thread.
     */
    boolean drop(long token) {
        int slot = (int) token & mask;
        if (token < 0 || !SLOT.compareAndSet(slots, slot, token, FREE) && takeAside(slots, aside, token) == null) {
            return false;
        }
        if (!asks || SLOT.compareAndSet(requests, slot, token, FREE)
            || takeAside(requests, requestsAside, token) != null) {
            SETTLED.getAndAdd(this, 1L);
        }
        return true;
    }

    /**
     * Notes the reply to a request. May be called by any thread, but only by one at a time.
     *
     * @return whether the request was still waiting for the reply; false when its time was over
     */
    boolean answer(long token, long now) {
        if (token < 0 || !asks) {
            return false;
        }
        int slot = (int) token & mask;
        long sent = sentAt[slot];
        if (!SLOT.compareAndSet(requests, slot, token, FREE)) {
            long[] old = takeAside(requests, requestsAside, token);
            if (old == null) {
                return false;
            }
            sent = old[1];
        }
        boolean inTime = now - sent <= replyWithin;
        if (!inTime) {
            answeredLate.increment();
        }
        SETTLED.getAndAdd(this, 1L);
        return inTime;
    }

    /** Removes and returns what was set aside of a token; null when the token is not pending. */
    private static long @Nullable [] takeAside(long[] ring, ConcurrentHashMap<Long, long[]> from, long token) {
        long slot;
        while ((slot = (long) SLOT.getAcquire(ring, (int) token & ring.length - 1)) == (token | MOVING) && slot != FREE) {
            // The sending thread is just moving this token, between two lines of setAside.
            Thread.yield();
        }
        return from.isEmpty() ? null : from.remove(token);
    }

    // ---- any thread ----

    /**
     * Calls {@code each} with the token of each message that is in flight. Messages that are taken or settled meanwhile may be missed or
     * reported.
     */
    void forEachPending(LongConsumer each) {
        for (int slot = 0; slot < slots.length; slot++) {
            long token = (long) SLOT.getAcquire(slots, slot);
            if (token >= 0) {
                each.accept(token);
            }
        }
        aside.keySet().forEach(each::accept);
    }

    /** Returns the number of requests that got no reply in time. */
    long late() {
        return expired.get() + answeredLate.get();
    }

    /** Returns how many of {@code taken} messages wait for a reply; 0 for a producer of plain messages. */
    long unreplied(long taken) {
        return !asks ? 0 : taken - (long) SETTLED.getAcquire(this);
    }
}
