package io.brokermeter.contract;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.DeliveryListener;

/** Keeps what a consumer delivered, and what was wrong with the way it did. Thread-safe. */
public final class Deliveries implements DeliveryListener {

    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private boolean inside;
    private boolean closed;

    /**
     * One delivery.
     *
     * @param bytes a copy of the body
     * @param redelivered whether the broker called it redelivered
     */
    public record Delivery(byte[] bytes, boolean redelivered) {

        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    @Override
    public void delivered(ByteBuffer body, boolean redelivered) {
        synchronized (this) {
            if (inside) {
                violations.add("two deliveries overlapped");
            }
            if (closed) {
                violations.add("a message was delivered after close had returned");
            }
            inside = true;
        }
        var bytes = new byte[body.remaining()];
        body.get(bytes);
        synchronized (this) {
            deliveries.add(new Delivery(bytes, redelivered));
            inside = false;
        }
    }

    @Override
    public synchronized void failed(Throwable cause) {
        failures.add(cause);
    }

    /** From now on a delivery is a violation. */
    public synchronized void closed() {
        closed = true;
    }

    public synchronized List<Delivery> all() {
        return List.copyOf(deliveries);
    }

    public synchronized List<String> texts() {
        return deliveries.stream().map(Delivery::text).toList();
    }

    public synchronized int count() {
        return deliveries.size();
    }

    public synchronized List<Throwable> failures() {
        return List.copyOf(failures);
    }

    public synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** Waits until so many messages were delivered. */
    public void await(int count) {
        Await.until(() -> count() >= count,
            () -> count() + " of " + count + " messages were delivered, failures: " + failures());
    }
}
