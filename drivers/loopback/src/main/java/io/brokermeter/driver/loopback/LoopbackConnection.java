package io.brokermeter.driver.loopback;

import java.util.OptionalLong;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;

/** A connection to a {@link LoopbackBroker}. */
final class LoopbackConnection implements Connection {

    private final LoopbackBroker broker;
    private final ConnectionListener listener;
    private volatile boolean lost;

    LoopbackConnection(LoopbackBroker broker, ConnectionListener listener) {
        this.broker = broker;
        this.listener = listener;
    }

    @Override
    public boolean declare(Destination destination) {
        return broker.declare(destination);
    }

    @Override
    public void delete(Destination destination) {
        broker.delete(destination);
    }

    @Override
    public OptionalLong depth(Destination destination) {
        requireLife();
        return OptionalLong.of(broker.destination(destination).depth());
    }

    private void requireLife() {
        if (isGone()) {
            throw new IllegalStateException(lost ? "the connection is lost" : "the loopback broker is dead");
        }
    }

    @Override
    public Producer producer(Destination destination, ProducerSettings settings, SendListener sendListener) {
        return new LoopbackProducer(this, broker, broker.destination(destination), settings, sendListener);
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener deliveryListener) {
        requireLife();
        LoopbackDestination target = broker.destination(destination);
        LoopbackSubscription subscription = target.subscribe(settings.subscription(), settings.durable(), deliveryListener);
        LoopbackConsumer consumer = new LoopbackConsumer(target, subscription, deliveryListener, settings.polling());
        consumer.open();
        return consumer;
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) {
        broker.destination(destination).unsubscribe(subscription);
    }

    @Override
    public String broker() {
        return "loopback";
    }

    /** Returns whether the broker is dead, or has come back without this connection. */
    boolean isGone() {
        return lost || broker.isDead();
    }

    /** Returns whether what is sent now never arrives. Of a connection that is restored it does. */
    boolean isBeyondReach() {
        return lost || broker.isDead() && !broker.knobs.outlivesDeath();
    }

    void lose() {
        lost = true;
        listener.lost(new java.io.EOFException("the loopback broker died"));
    }

    void interrupt() {
        listener.interrupted("the loopback broker died");
    }

    void resume() {
        listener.resumed();
    }

    @Override
    public void close() {
        broker.leave(this);
    }
}
