package io.brokermeter.driver.loopback;

import java.time.Duration;

import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;

/** A consumer. Its listener is called by the thread that delivers the message, under the destination's lock. */
final class LoopbackConsumer implements Consumer {

    final DeliveryListener listener;
    private final LoopbackDestination destination;
    private final LoopbackSubscription subscription;
    private final boolean polling;
    /** Whether the consumer is closed; guarded by the destination's lock. */
    private boolean closed;
    /** Whether the listener accepts no more messages; guarded by the destination's lock. */
    boolean leaving;
    /** The messages on their way to the consumer and not acknowledged; guarded by the destination's lock. */
    final LoopbackWindow window;

    LoopbackConsumer(
            LoopbackDestination destination, LoopbackSubscription subscription, DeliveryListener listener, boolean polling) {
        this.destination = destination;
        this.subscription = subscription;
        this.listener = listener;
        this.polling = polling;
        this.window = new LoopbackWindow(destination.consuming());
    }

    void open() {
        synchronized (destination) {
            subscription.add(this);
        }
    }

    /** Returns whether the consumer is closed. Call under the destination's lock. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public boolean needsPolling() {
        return polling;
    }

    /** Delivers one message, if one arrives within the limit. */
    @Override
    public void poll(Duration limit) throws InterruptedException {
        long end = destination.nanos() + limit.toNanos();
        synchronized (destination) {
            while (!closed && !subscription.deliverOne(this)) {
                long left = end - destination.nanos();
                if (left <= 0) {
                    return;
                }
                destination.awaitMessages(left);
            }
        }
    }

    @Override
    public void close() {
        synchronized (destination) {
            closed = true;
            subscription.remove(this);
            destination.wakeConsumers();
        }
        destination.leave(subscription);
    }
}
