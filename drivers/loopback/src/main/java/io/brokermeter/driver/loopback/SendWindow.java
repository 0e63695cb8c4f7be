package io.brokermeter.driver.loopback;

import java.util.HashMap;
import java.util.Map;

import io.brokermeter.spi.SendListener;

/** The window of a producer that blocks its sends, like clients with a window of their own. Safe for use by several threads. */
final class SendWindow implements SendListener {

    private static final long LOOK_AGAIN = 100_000_000;

    private final SendListener listener;
    private final LoopbackBroker broker;
    private final LoopbackWindow window;
    private final Map<Long, Integer> sizes = new HashMap<>();
    private boolean closed;

    SendWindow(SendListener listener, LoopbackBroker broker) {
        this.listener = listener;
        this.broker = broker;
        this.window = new LoopbackWindow(broker.knobs.producing());
    }

    /**
     * Waits until the message may leave.
     *
     * @throws IllegalStateException if the producer is closed meanwhile, or the broker dies
     */
    synchronized void take(long token, int size) throws InterruptedException {
        while (!window.hasRoom(size)) {
            if (closed || broker.isDead()) {
                throw new IllegalStateException(closed ? "the producer is closed" : "the loopback broker is dead");
            }
            broker.time.await(this, LOOK_AGAIN);
        }
        window.take(size);
        sizes.put(token, size);
    }

    synchronized void close() {
        closed = true;
        broker.time.signal(this);
    }

    private synchronized void free(long token) {
        Integer size = sizes.remove(token);
        if (size != null) {
            window.free(size);
            broker.time.signal(this);
        }
    }

    @Override
    public void confirmed(long token) {
        free(token);
        listener.confirmed(token);
    }

    @Override
    public void confirmedUpTo(long token) {
        listener.confirmedUpTo(token);
    }

    @Override
    public void failed(long token, Throwable cause) {
        free(token);
        listener.failed(token, cause);
    }

    @Override
    public void unknown(long token, Throwable cause) {
        free(token);
        listener.unknown(token, cause);
    }
}
