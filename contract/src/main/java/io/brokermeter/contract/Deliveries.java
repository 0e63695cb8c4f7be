package io.brokermeter.contract;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;

/** Records the deliveries to a consumer, and violations of the contract of its listener. Thread-safe. */
public final class Deliveries implements DeliveryListener {

    private static final Duration STILL = Duration.ofSeconds(60);

    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final Function<Delivery, Settlement> answers;
    private boolean inside;
    private boolean closed;

    /**
     * A delivery.
     *
     * @param bytes copy of the body
     * @param envelope copy of the envelope that arrived as a property; empty when there was none
     * @param redelivered whether the broker flagged the message as redelivered
     */
    public record Delivery(byte[] bytes, byte[] envelope, boolean redelivered) {

        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** Creates a listener that accepts every delivery. */
    public Deliveries() {
        this(delivery -> Settlement.ACCEPT);
    }

    /** Creates a listener that settles each delivery as {@code answers} returns. */
    public Deliveries(Function<Delivery, Settlement> answers) {
        this.answers = answers;
    }

    @Override
    public Settlement delivered(ByteBuffer body, boolean redelivered) {
        return delivered(ByteBuffer.allocate(0), body, redelivered);
    }

    @Override
    public Settlement delivered(ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
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
        var property = new byte[envelope.remaining()];
        envelope.get(property);
        var delivery = new Delivery(bytes, property, redelivered);
        synchronized (this) {
            deliveries.add(delivery);
            inside = false;
        }
        return answers.apply(delivery);
    }

    @Override
    public synchronized void failed(Throwable cause) {
        failures.add(cause);
    }

    /** Marks the consumer as closed; any further delivery is a violation. */
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

    /** Waits until this number of messages has been delivered. */
    public void await(int count) {
        await(count, this);
    }

    /**
     * Waits until this number of messages has been delivered to all of these listeners together; fails when none came for 60 s, however long
     * a busy machine takes for all.
     */
    public static void await(int count, Deliveries... all) {
        int before;
        do {
            before = sum(all);
        } while (!Await.holdsWithin(STILL, () -> sum(all) >= count) && sum(all) > before);
        if (sum(all) < count) {
            var texts = Arrays.stream(all).flatMap(each -> each.texts().stream()).toList();
            throw new AssertionError(texts.size() + " of " + count + " messages were delivered, "
                + Arrays.stream(all).map(each -> Integer.toString(each.count())).collect(Collectors.joining(" and ")) + ", and none for "
                + STILL.toSeconds() + " s; " + Difference.missing(texts, count) + "; failures: "
                + Arrays.stream(all).flatMap(each -> each.failures().stream()).toList());
        }
    }

    private static int sum(Deliveries[] all) {
        return Arrays.stream(all).mapToInt(Deliveries::count).sum();
    }
}
