package io.brokermeter.driver.loopback;

import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;

/** A consumer: its listener is called by whichever thread the message comes on, under the destination's lock. */
final class LoopbackConsumer implements Consumer {

    final DeliveryListener listener;
    private final LoopbackDestination destination;
    private final LoopbackSubscription subscription;

    LoopbackConsumer(LoopbackDestination destination, LoopbackSubscription subscription, DeliveryListener listener) {
        this.destination = destination;
        this.subscription = subscription;
        this.listener = listener;
    }

    void open() {
        synchronized (destination) {
            subscription.add(this);
        }
    }

    @Override
    public void close() {
        synchronized (destination) {
            subscription.remove(this);
        }
        destination.leave(subscription);
    }
}
