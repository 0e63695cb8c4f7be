package io.brokermeter.driver.loopback;

import java.util.ArrayDeque;
import java.util.Arrays;

import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * What gets each message of a destination once, whichever of its consumers takes it. Guarded by its destination's lock,
 * so a consumer receives one delivery at a time.
 */
final class LoopbackSubscription {

    private static final int PRIORITIES = 10;

    private final LoopbackDestination destination;
    private final boolean durable;
    private LoopbackConsumer[] consumers = new LoopbackConsumer[0];
    /** Those of them that take messages when they come. */
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

    /** Whether nobody will ever take from it again. */
    boolean isOver() {
        return !durable && consumers.length == 0;
    }

    int depth() {
        return depth;
    }

    /** Adds a consumer and hands it what waits, unless it asks for messages itself. */
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

    /** Hands a message to the consumer whose turn it is, or keeps a copy for whoever comes or asks. */
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

    /** Sends what waits, as far as the windows of the consumers have room, each message over the whole way. */
    private void sendWaiting() {
        ArrayDeque<LoopbackMessage> level;
        while (pushed.length > 0 && (level = firstLevel()) != null) {
            LoopbackMessage message = level.getFirst();
            LoopbackConsumer consumer = withRoom(message);
            if (consumer == null) {
                return;
            }
            level.removeFirst();
            // It stays in the depth until it arrives.
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

    /** Hands what waits longest, of the highest priority, to a consumer that asks. Returns false when nothing waits. */
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

    /** Takes a message back that one of its consumers did not want; it comes before those that wait. */
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

    /** What waits of the highest priority; null when nothing waits. */
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
