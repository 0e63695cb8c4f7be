package io.brokermeter.driver.loopback;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * A queue or topic. Without faults or delays, a message is delivered to its consumers on the sending thread. Otherwise one server thread
 * processes the messages in the order of their arrival. The time at which a message leaves is computed from the time of its arrival, so
 * that late wake-ups of the thread do not accumulate.
 */
final class LoopbackDestination {

    /** The longest time in nanoseconds that a message to be overtaken waits for one that overtakes it. */
    private static final long PATIENCE = 20_000_000;

    /**
     * A message that arrived at the destination.
     *
     * @param at time of the arrival, in nanoseconds
     * @param number number of the message at this destination, from 0
     * @param delay how long the message is held back after it was served, in nanoseconds
     */
    private record Arrival(LoopbackMessage message, @Nullable SendListener listener, long token, long at, long number, long delay) {}

    /**
     * A message, confirmation or action that is due at a given time.
     *
     * @param message null if there is only something to confirm or to do
     * @param at time at which it is due, in nanoseconds
     * @param target the only subscription that gets the message, or null for all of them
     * @param action an action to run under the lock, or null for none
     */
    private record Departure(
            @Nullable LoopbackMessage message, long at, long number, @Nullable LoopbackSubscription target,
            @Nullable SendListener listener, long token, @Nullable Runnable action) {

        Departure(@Nullable LoopbackMessage message, long at, long number, @Nullable LoopbackSubscription target,
                @Nullable SendListener listener, long token) {
            this(message, at, number, target, listener, token, null);
        }
    }

    private final LoopbackBroker broker;
    private final LoopbackSettings loopback;
    private final boolean topic;
    private final boolean direct;
    private final Map<String, LoopbackSubscription> subscriptions = new LinkedHashMap<>();
    private LoopbackSubscription[] targets = new LoopbackSubscription[0];
    private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
    private final ArrayDeque<Departure> returned = new ArrayDeque<>();
    /** Copies of the messages delivered last, as many as are delivered again after the broker's death; guarded by the lock. */
    private final ArrayDeque<LoopbackMessage> delivered = new ArrayDeque<>();
    private final ServiceTimes times;
    private @Nullable Thread server;
    private volatile boolean stopped;
    private long number;
    /** Number of items that the server thread has taken and not finished; guarded by the lock. */
    private long inHand;
    /**
     * Number of scheduled actions, which are no messages here: the caller of {@link #after} counts its own message. Guarded by the lock.
     */
    private long inTransit;
    /**
     * Number of actions so far. Actions that are due at the same time run in the order in which they were scheduled. Guarded by the lock.
     */
    private long actions;

    LoopbackDestination(Destination destination, LoopbackBroker broker) {
        this.broker = broker;
        this.loopback = broker.knobs;
        this.topic = destination.isTopic();
        this.direct = loopback.none();
        this.times = new ServiceTimes(broker, loopback);
        if (!topic) {
            subscriptions.put("", new LoopbackSubscription(this, true));
            refreshTargets();
        }
    }

    /** Joins a subscription, and creates it if necessary; an unnamed subscription of a topic gets a name of its own. */
    synchronized LoopbackSubscription subscribe(@Nullable String name, boolean durable, Object consumer) {
        String key = !topic ? "" : name == null ? "unnamed-" + System.identityHashCode(consumer) : name;
        LoopbackSubscription subscription = subscriptions.computeIfAbsent(key, k -> new LoopbackSubscription(this, durable));
        refreshTargets();
        return subscription;
    }

    synchronized void unsubscribe(String name) {
        subscriptions.remove(name);
        refreshTargets();
    }

    /** Handles a consumer that left: a subscription that is not durable ends with its last consumer. */
    synchronized void leave(LoopbackSubscription subscription) {
        if (topic && subscription.isOver()) {
            subscriptions.values().remove(subscription);
            refreshTargets();
        }
    }

    /** Wakes polling consumers that wait for messages. */
    void wakeConsumers() {
        broker.time.signal(this);
    }

    /** Waits for {@link #wakeConsumers}, at most for {@code nanos} nanoseconds. */
    void awaitMessages(long nanos) throws InterruptedException {
        broker.time.await(this, nanos);
    }

    long nanos() {
        return broker.time.nanos();
    }

    private void refreshTargets() {
        targets = subscriptions.values().toArray(new LoopbackSubscription[0]);
    }

    synchronized long depth() {
        long depth = arrivals.size() + returned.size() + inHand - inTransit;
        for (LoopbackSubscription target : targets) {
            depth += target.depth();
        }
        return depth;
    }

    synchronized boolean holdsMessages() {
        for (LoopbackSubscription target : targets) {
            if (target.depth() > 0 || topic && target.isDurable()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Accepts a message. When this returns, the sender may reuse the message's buffers.
     *
     * @param from connection of the sender, which may have been lost while the sender waited for the lock; null if the caller holds the lock
     *     and has looked
     * @param delay how long the message is held back, in nanoseconds
     * @throws IllegalStateException if the connection is lost
     */
    void send(LoopbackMessage message, @Nullable LoopbackConnection from, @Nullable SendListener listener, long token, long delay) {
        if (direct && delay == 0) {
            deliverToAll(message);
            if (listener != null) {
                listener.confirmed(token);
            }
            return;
        }
        LoopbackMessage copy = message.copy();
        synchronized (this) {
            if (from != null && from.isBeyondReach()) {
                // Once the server has settled the fate of all that had come, this one would be served after the revival.
                throw new IllegalStateException("the loopback broker is dead");
            }
            broker.age();
            arrivals.add(
                new Arrival(copy, listener, token, broker.time.nanos() + loopback.producing().rttNanos() / 2, number++, delay));
            wakeServer();
        }
    }

    /** Takes back a message that a consumer of a subscription requeued; the server thread delivers it again. Call under the lock. */
    void deliverAgain(LoopbackMessage message, LoopbackSubscription subscription) {
        returned.add(new Departure(message, broker.time.nanos(), -1, subscription, null, 0));
        wakeServer();
    }

    /** Schedules an action, which runs under the lock after a time in nanoseconds. Call under the lock. */
    void after(long nanos, Runnable action) {
        returned.add(new Departure(null, broker.time.nanos() + nanos, Long.MIN_VALUE + actions++, null, null, 0, action));
        inTransit++;
        wakeServer();
    }

    LoopbackSettings.Distance consuming() {
        return loopback.consuming();
    }

    private void wakeServer() {
        if (server == null && !stopped) {
            server = broker.server(this::serve);
        } else if (server != null) {
            broker.time.unpark(server);
        }
    }

    /**
     * Decides the fate of the undelivered messages when the broker dies. Of the confirmed messages the newest are lost, as many as the
     * settings say; unconfirmed and just arrived ones are treated by {@link #keep}. Called under the lock.
     */
    private void die(PriorityQueue<Departure> leaving) {
        List<Departure> all = new ArrayList<>();
        Map<Long, SendListener> confirmations = new HashMap<>();
        for (Departure next = leaving.poll(); next != null; next = leaving.poll()) {
            if (next.listener != null) {
                confirmations.put(next.number, next.listener);
            }
            all.add(next);
        }
        List<Departure> confirmed = new ArrayList<>();
        List<Departure> open = new ArrayList<>();
        for (Departure each : all) {
            if (each.message != null) {
                (confirmations.containsKey(each.number) ? open : confirmed).add(each);
            }
        }
        inHand -= Math.min(loopback.death().loses(), confirmed.size());
        confirmed.subList(Math.max(0, confirmed.size() - loopback.death().loses()), confirmed.size()).clear();
        returned.addAll(confirmed);
        for (Departure each : open) {
            keep(each.message, confirmations.get(each.number), each.token);
        }
        inHand -= confirmed.size() + open.size();
        for (Arrival each : arrivals) {
            keep(each.message, each.listener, each.token);
        }
        arrivals.clear();
    }

    /**
     * Keeps a message that was not confirmed when the broker died: the broker's copy, if the broker keeps such messages, and the copy that
     * a client sends again, if connections are restored.
     */
    private void keep(@Nullable LoopbackMessage message, @Nullable SendListener listener, long token) {
        if (message == null) {
            return;
        }
        long now = broker.time.nanos();
        if (loopback.death().keeps()) {
            returned.add(new Departure(message.copy(), now, token, null, null, token));
        }
        if (loopback.restores()) {
            returned.add(new Departure(message, now, token, null, listener, token));
        }
    }

    /** Returns whether the server thread is running; after {@link #stop} it runs until it notices. */
    synchronized boolean isServed() {
        return server != null;
    }

    /** Resumes after a death: delivers the last messages again, then those that the broker holds. */
    synchronized void liveAgain() {
        stopped = false;
        for (LoopbackMessage each : delivered) {
            LoopbackMessage again = each.copy();
            if (loopback.redelivered()) {
                again.markRedelivered();
            }
            returned.addFirst(new Departure(again, broker.time.nanos(), -1, null, null, 0));
        }
        wakeServer();
    }

    private synchronized void deliverToAll(LoopbackMessage message) {
        for (LoopbackSubscription target : targets) {
            target.deliver(message);
        }
    }

    /** Resumes after all connections were gone. */
    synchronized void serveAgain() {
        stopped = false;
        if (server != null || !arrivals.isEmpty() || !returned.isEmpty()) {
            wakeServer();
        }
    }

    synchronized void stop() {
        stopped = true;
        if (server != null) {
            broker.time.unpark(server);
        }
    }

    private void serve() {
        PriorityQueue<Departure> leaving = new PriorityQueue<>(
            Comparator.comparingLong(Departure::at).thenComparingLong(Departure::number));
        List<Arrival> batch = new ArrayList<>();
        @Nullable Arrival overtaken = null;
        long overtakenUntil = 0;
        long free = 0;
        long idleSince = broker.time.nanos();
        while (true) {
            batch.clear();
            synchronized (this) {
                if (stopped) {
                    server = null;
                    if (broker.isDown()) {
                        die(leaving);
                    }
                    return;
                }
                inHand += arrivals.size() + returned.size();
                while (!arrivals.isEmpty()) {
                    batch.add(arrivals.poll());
                }
                while (!returned.isEmpty()) {
                    leaving.add(returned.poll());
                }
            }
            for (Arrival a : batch) {
                free = times.served(Math.max(free, a.at));
                long at = free + times.delay();
                if (hit(loopback.reorderEvery(), a.number) && overtaken == null) {
                    overtaken = a;
                    overtakenUntil = a.number + loopback.reorderDepth();
                    continue;
                }
                depart(leaving, a, at);
                if (overtaken != null && a.number >= overtakenUntil) {
                    depart(leaving, overtaken, at + 1);
                    overtaken = null;
                }
            }
            if (!batch.isEmpty()) {
                idleSince = broker.time.nanos();
            } else if (overtaken != null && broker.time.nanos() - idleSince > PATIENCE) {
                // No message is coming that could overtake it.
                depart(leaving, overtaken, broker.time.nanos());
                overtaken = null;
            }
            long now = broker.time.nanos();
            Departure next = leaving.peek();
            while (!stopped && next != null && next.at - now <= 0) {
                leaving.poll();
                leave(next);
                now = broker.time.nanos();
                next = leaving.peek();
            }
            boolean more;
            synchronized (this) {
                more = !arrivals.isEmpty() || !returned.isEmpty();
            }
            if (!more) {
                broker.time.park(next == null ? overtaken == null ? 100_000_000 : PATIENCE : Math.max(1, next.at - now));
            }
        }
    }

    private synchronized void hold(int more) {
        inHand += more;
    }

    private static boolean hit(long every, long number) {
        return every > 0 && number % every == every - 1;
    }

    private void depart(PriorityQueue<Departure> leaving, Arrival a, long at) {
        if (hit(loopback.refuseEvery(), a.number)) {
            if (a.listener != null) {
                a.listener.failed(a.token, new IllegalStateException("refused by the loopback broker"));
            }
            hold(-1);
            return;
        }
        if (hit(loopback.corruptEvery(), a.number)) {
            a.message.corrupt();
        }
        if (hit(loopback.truncateEvery(), a.number)) {
            a.message.truncate(10);
        }
        boolean denied = hit(loopback.denyEvery(), a.number);
        SendListener listener = a.listener;
        if (denied && listener != null) {
            listener.failed(a.token, new IllegalStateException("denied by the loopback broker"));
        }
        SendListener confirm = denied || hit(loopback.silentEvery(), a.number) ? null : a.listener;
        LoopbackMessage message = hit(loopback.loseEvery(), a.number) ? null : a.message;
        if (message == null) {
            hold(-1);
        }
        long back = loopback.producing().rttNanos() / 2;
        long delay = a.delay + loopback.lingerNanos();
        if (delay > 0 || back > 0) {
            leaving.add(new Departure(null, at + back, a.number, null, confirm, a.token));
            confirm = null;
        }
        leaving.add(new Departure(message, at + delay, a.number, null, confirm, a.token));
        if (hit(loopback.duplicateEvery(), a.number)) {
            LoopbackMessage second = a.message.copy();
            if (loopback.redelivered()) {
                second.markRedelivered();
            }
            hold(1);
            leaving.add(new Departure(second, at + delay + 1 + loopback.duplicateDelayNanos(), a.number, null, null, a.token));
        }
    }

    private void leave(Departure d) {
        LoopbackMessage message = d.message;
        if (message != null) {
            // Under one lock, so that the message is never missing from the depth.
            synchronized (this) {
                hold(-1);
                if (loopback.death().repeats() > 0) {
                    delivered.add(message.copy());
                    if (delivered.size() > loopback.death().repeats()) {
                        delivered.poll();
                    }
                }
                if (d.target == null) {
                    deliverToAll(message);
                } else {
                    d.target.takeBack(message);
                }
            }
        }
        Runnable action = d.action;
        if (action != null) {
            synchronized (this) {
                hold(-1);
                inTransit--;
                action.run();
            }
        }
        if (d.listener != null) {
            d.listener.confirmed(d.token);
        }
    }
}
