package io.brokermeter.driver.loopback;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What gets each message of a destination once, whichever of its consumers takes it. Guarded by its destination's lock,
 * so a consumer hears one delivery at a time.
 */
final class LoopbackSubscription {

    private final boolean durable;
    private LoopbackConsumer[] consumers = new LoopbackConsumer[0];
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private int turn;

    LoopbackSubscription(boolean durable) {
        this.durable = durable;
    }

    boolean isDurable() {
        return durable;
    }

    /** Whether nobody will ever take from it again. */
    boolean isOver() {
        return !durable && consumers.length == 0;
    }

    int depth() {
        return waiting.size();
    }

    /** Adds a consumer and hands it what waits. */
    void add(LoopbackConsumer consumer) {
        LoopbackConsumer[] more = java.util.Arrays.copyOf(consumers, consumers.length + 1);
        more[consumers.length] = consumer;
        consumers = more;
        byte[] body;
        while ((body = waiting.poll()) != null) {
            consumer.listener.delivered(ByteBuffer.wrap(body), false);
        }
    }

    void remove(LoopbackConsumer consumer) {
        consumers = java.util.Arrays.stream(consumers).filter(c -> c != consumer).toArray(LoopbackConsumer[]::new);
    }

    /** Hands a message to the consumer whose turn it is, or keeps a copy for whoever comes. */
    void deliver(ByteBuffer body, boolean redelivered) {
        LoopbackConsumer[] all = consumers;
        if (all.length == 0) {
            byte[] copy = new byte[body.remaining()];
            body.get(body.position(), copy);
            waiting.add(copy);
            return;
        }
        if (++turn >= all.length) {
            turn = 0;
        }
        all[turn].listener.delivered(body, redelivered);
    }
}
