package io.brokermeter.driver.loopback;

import java.util.ArrayDeque;
import java.util.Arrays;

import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A subscription: each message of a destination is delivered to one of its consumers. Guarded by the destination's lock, so that a consumer
 * receives one delivery at a time.
 */
final class LoopbackSubscription {

    private static final int PRIORITIES = 10;

    private final LoopbackDestination destination;
    private final boolean durable;
    private LoopbackConsumer[] consumers = new LoopbackConsumer[0];
    /** The consumers to which messages are pushed: those that neither poll nor leave. */
    private LoopbackConsumer[] pushed = new LoopbackConsumer[0];
    private final @Nullable ArrayDeque<LoopbackMessage>[] waiting = levels();
    private int depth;
    private int turn;
    private final boolean far;
    private final long wayNanos;

    LoopbackSubscription(LoopbackDestination destination, boolean durable) {
        this.destination = destination;
        this.durable = durable;
        this.far = !destination.consuming().isNone();
        this.wayNanos = destination.consuming().rttNanos() / 2;
    }

    @SuppressWarnings("unchecked")
    private static @Nullable ArrayDeque<LoopbackMessage>[] levels() {
        return (ArrayDeque<LoopbackMessage>[]) new ArrayDeque<?>[PRIORITIES];
    }

    boolean isDurable() {
        return durable;
    }

    /** Returns whether the subscription has ended: it is not durable and has no consumer. */
    boolean isOver() {
        return !durable && consumers.length == 0;
    }

    int depth() {
        return depth;
    }

    /** Adds a consumer and delivers the waiting messages to it, unless it polls. */
    void add(LoopbackConsumer consumer) {
        consumers = Arrays.copyOf(consumers, consumers.length + 1);
        consumers[consumers.length - 1] = consumer;
        refresh();
        if (far) {
            sendWaiting();
            return;
        }
        LoopbackMessage message;
        while (!consumer.needsPolling() && !consumer.leaving && (message = take()) != null) {
            settle(message, message.to(consumer.listener), consumer);
        }
    }

    void remove(LoopbackConsumer consumer) {
        consumers = Arrays.stream(consumers).filter(c -> c != consumer).toArray(LoopbackConsumer[]::new);
        refresh();
    }

    private void refresh() {
        pushed = Arrays.stream(consumers).filter(c -> !c.needsPolling() && !c.leaving).toArray(LoopbackConsumer[]::new);
    }

    /** Delivers a message to the next consumer in turn, or keeps a copy for a consumer that comes later or polls. */
    void deliver(LoopbackMessage message) {
        LoopbackConsumer[] all = pushed;
        if (far && all.length > 0) {
            keep(message.copy(), false);
            sendWaiting();
            return;
        }
        if (all.length == 0) {
            keep(message.copy(), false);
            if (consumers.length > 0) {
                destination.wakeConsumers();
            }
            return;
        }
        String group = message.group();
        int next;
        if (group != null) {
            next = Math.floorMod(group.hashCode(), all.length);
        } else {
            next = ++turn >= all.length ? 0 : turn;
            turn = next;
        }
        settle(message, message.to(all[next].listener), all[next]);
    }

    /** Sends waiting messages, each over the whole distance, as long as the consumers' windows have room. */
    private void sendWaiting() {
        ArrayDeque<LoopbackMessage> level;
        while (pushed.length > 0 && (level = firstLevel()) != null) {
            LoopbackMessage message = level.getFirst();
            LoopbackConsumer consumer = withRoom(message);
            if (consumer == null) {
                return;
            }
            level.removeFirst();
            // The message stays in the depth until it arrives.
            long size = message.size();
            consumer.window.take(size);
            destination.after(wayNanos, () -> arrive(message, size, consumer));
        }
    }

    private @Nullable LoopbackConsumer withRoom(LoopbackMessage message) {
        String group = message.group();
        if (group != null) {
            LoopbackConsumer one = pushed[Math.floorMod(group.hashCode(), pushed.length)];
            return one.window.hasRoom(message.size()) ? one : null;
        }
        for (int i = 1; i <= pushed.length; i++) {
            int next = (turn + i) % pushed.length;
            if (pushed[next].window.hasRoom(message.size())) {
                turn = next;
                return pushed[next];
            }
        }
        return null;
    }

    private void arrive(LoopbackMessage message, long size, LoopbackConsumer consumer) {
        depth--;
        if (consumer.isClosed() || consumer.leaving) {
            takeBack(message);
        } else {
            settle(message, message.to(consumer.listener), consumer);
        }
        destination.after(wayNanos, () -> {
            consumer.window.free(size);
            sendWaiting();
        });
    }

    /** Delivers the message of the highest priority that has waited longest to a polling consumer. Returns false if none waits. */
    boolean deliverOne(LoopbackConsumer consumer) {
        LoopbackMessage message = consumer.leaving ? null : take();
        if (message == null) {
            return false;
        }
        settle(message, message.to(consumer.listener), consumer);
        return true;
    }

    private void settle(LoopbackMessage message, Settlement answer, LoopbackConsumer consumer) {
        if (answer == Settlement.LEAVE) {
            consumer.leaving = true;
            refresh();
            takeBack(message.copy());
        } else if (answer == Settlement.REQUEUE) {
            LoopbackMessage again = message.copy();
            again.markRedelivered();
            destination.deliverAgain(again, this);
        }
    }

    /** Takes back a message that a consumer did not accept; it is put before the waiting ones. */
    void takeBack(LoopbackMessage message) {
        if (pushed.length == 0) {
            keep(message, true);
            destination.wakeConsumers();
        } else {
            deliver(message);
        }
    }

    private void keep(LoopbackMessage message, boolean first) {
        ArrayDeque<LoopbackMessage> level = waiting[message.priority()];
        if (level == null) {
            level = new ArrayDeque<>();
            waiting[message.priority()] = level;
        }
        if (first) {
            level.addFirst(message);
        } else {
            level.add(message);
        }
        depth++;
    }

    /** Returns the waiting messages of the highest priority; null if none waits. */
    private @Nullable ArrayDeque<LoopbackMessage> firstLevel() {
        for (int priority = PRIORITIES - 1; depth > 0 && priority >= 0; priority--) {
            ArrayDeque<LoopbackMessage> level = waiting[priority];
            if (level != null && !level.isEmpty()) {
                return level;
            }
        }
        return null;
    }

    private @Nullable LoopbackMessage take() {
        ArrayDeque<LoopbackMessage> level = firstLevel();
        if (level == null) {
            return null;
        }
        depth--;
        return level.removeFirst();
    }
}
