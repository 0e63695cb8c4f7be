package io.brokermeter.driver.loopback;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * A queue or topic. Without knobs a message goes to its consumers on the sending thread. With knobs one server thread
 * works through the messages in the order in which they came; when a message leaves is computed from when it came, so a
 * late wake-up of the thread does not add up.
 */
final class LoopbackDestination {

    /** How long a message that is to be overtaken waits for one that overtakes it. */
    private static final long PATIENCE = 20_000_000;

    /** @param delay how long it is kept back once its turn has come */
    private record Arrival(LoopbackMessage message, @Nullable SendListener listener, long token, long at, long number, long delay) {}

    /**
     * @param message null when there is something to confirm only
     * @param target the only subscription that gets it, or null for all of them
     * @param action what happens then under the lock, or null for nothing
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
    /** Copies of what was delivered last, as many as are delivered again after a death. Under the lock. */
    private final ArrayDeque<LoopbackMessage> delivered = new ArrayDeque<>();
    private final SplittableRandom random = new SplittableRandom(42);
    private @Nullable Thread server;
    private volatile boolean stopped;
    private long number;
    /** Messages that the server thread has taken and not delivered. Under the lock. */
    private long inHand;
    /** Actions that are due later, which are no messages here: whoever asks for one counts its message. Under the lock. */
    private long inTransit;
    /** Those that are due at one moment happen in the order in which they were asked for. Under the lock. */
    private long actions;

    LoopbackDestination(Destination destination, LoopbackBroker broker) {
        this.broker = broker;
        this.loopback = broker.knobs;
        this.topic = destination.isTopic();
        this.direct = loopback.none();
        if (!topic) {
            subscriptions.put("", new LoopbackSubscription(this, true));
            refreshTargets();
        }
    }

    /** Joins a subscription, made at need; an unnamed one on a topic gets a name of its own. */
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

    /** A consumer left: a subscription that is not durable goes with its last one. */
    synchronized void leave(LoopbackSubscription subscription) {
        if (topic && subscription.isOver()) {
            subscriptions.values().remove(subscription);
            refreshTargets();
        }
    }

    /** Wakes consumers that ask for messages. */
    void wakeConsumers() {
        broker.time.signal(this);
    }

    /** Waits for {@link #wakeConsumers}. */
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
     * Takes a message, whose buffers are the sender's again afterwards.
     *
     * @param delay how long nobody may get it, in nanoseconds
     */
    void send(LoopbackMessage message, @Nullable SendListener listener, long token, long delay) {
        if (direct && delay == 0) {
            deliverToAll(message);
            if (listener != null) {
                listener.confirmed(token);
            }
            return;
        }
        LoopbackMessage copy = message.copy();
        synchronized (this) {
            broker.age();
            arrivals.add(
                new Arrival(copy, listener, token, broker.time.nanos() + loopback.producing().rttNanos() / 2, number++, delay));
            wakeServer();
        }
    }

    /** Takes back what a consumer of a subscription gave back, and delivers it by the server thread. Under the lock. */
    void deliverAgain(LoopbackMessage message, LoopbackSubscription subscription) {
        returned.add(new Departure(message, broker.time.nanos(), -1, subscription, null, 0));
        wakeServer();
    }

    /** Does something when a time has passed, under the lock. The caller holds it. */
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

    /** What becomes of messages when the broker dies, those that come as well. Under the lock. */
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
        inHand -= Math.min(loopback.dieLoses(), confirmed.size());
        confirmed.subList(Math.max(0, confirmed.size() - loopback.dieLoses()), confirmed.size()).clear();
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

    /** A message that was not confirmed when the broker died: what the broker kept of it, and what a client sends again. */
    private void keep(@Nullable LoopbackMessage message, @Nullable SendListener listener, long token) {
        if (message == null) {
            return;
        }
        long now = broker.time.nanos();
        if (loopback.dieKeeps()) {
            returned.add(new Departure(message.copy(), now, token, null, null, token));
        }
        if (loopback.restores()) {
            returned.add(new Departure(message, now, token, null, listener, token));
        }
    }

    /** Whether its server thread has still to notice that it is stopped. */
    synchronized boolean isServed() {
        return server != null;
    }

    /** Goes on after a death, with what was delivered last and then what it holds. */
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

    /** Goes on after all connections were gone. */
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
                free = Math.max(free, a.at) + service();
                free = afterFreeze(free);
                long at =
                    free + loopback.delayNanos() + (loopback.randomDelayNanos() == 0 ? 0 : random.nextLong(loopback.randomDelayNanos()));
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
                // Nobody comes to overtake it any more.
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

    private long service() {
        if (loopback.serviceNanos() == 0) {
            return 0;
        }
        return loopback.exponential()
            ? (long) (-Math.log(1 - random.nextDouble()) * loopback.serviceNanos()) : loopback.serviceNanos();
    }

    /** A moment moved behind the freeze, when it falls into it. */
    private long afterFreeze(long moment) {
        if (loopback.freezeNanos() == 0) {
            return moment;
        }
        long origin = broker.time.nanos() - broker.age();
        long from = origin + loopback.freezeAtNanos();
        long to = from + loopback.freezeNanos();
        return moment >= from && moment < to ? to : moment;
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
            // At once, so that it is missing from the depth at no time.
            synchronized (this) {
                hold(-1);
                if (loopback.dieRepeats() > 0) {
                    delivered.add(message.copy());
                    if (delivered.size() > loopback.dieRepeats()) {
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
