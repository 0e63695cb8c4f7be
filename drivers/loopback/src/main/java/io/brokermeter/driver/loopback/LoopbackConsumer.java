package io.brokermeter.driver.loopback;

import java.time.Duration;

import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;

/** A consumer: its listener is called by whichever thread the message comes on, under the destination's lock. */
final class LoopbackConsumer implements Consumer {

    final DeliveryListener listener;
    private final LoopbackDestination destination;
    private final LoopbackSubscription subscription;
    private final boolean polling;
    /** Under the destination's lock. */
    private boolean closed;
    /** Whether its listener takes no more. Under the destination's lock. */
    boolean leaving;
    /** What is under way to it and not acknowledged. Under the destination's lock. */
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

    /** Under the destination's lock. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public boolean needsPolling() {
        return polling;
    }

    /** Delivers one message. */
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
