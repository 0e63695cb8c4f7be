package io.brokermeter.driver.loopback;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;

/** A producer; a transaction is a list of bodies that is sent at its commit. */
final class LoopbackProducer implements Producer {

    private final LoopbackBroker broker;
    private final LoopbackDestination destination;
    private final SendListener listener;
    private final boolean transacted;
    private final List<byte[]> transaction = new ArrayList<>();
    private long lastToken = -1;

    LoopbackProducer(LoopbackBroker broker, LoopbackDestination destination, SendListener listener, boolean transacted) {
        this.broker = broker;
        this.destination = destination;
        this.listener = listener;
        this.transacted = transacted;
    }

    @Override
    public void send(Payload payload, long token) {
        if (broker.isDead()) {
            throw new IllegalStateException("the loopback broker is dead");
        }
        if (transacted) {
            transaction.add(payload.copy());
            lastToken = token;
            return;
        }
        destination.send(payload.buffer(), listener, token);
    }

    @Override
    public void commit() {
        if (transaction.isEmpty()) {
            return;
        }
        for (byte[] body : transaction) {
            destination.send(ByteBuffer.wrap(body), null, 0);
        }
        transaction.clear();
        listener.confirmedUpTo(lastToken);
    }

    /** Commits what is open, as the other drivers do. */
    @Override
    public void close() {
        commit();
    }
}
