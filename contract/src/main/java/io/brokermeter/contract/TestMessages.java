package io.brokermeter.contract;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;

/** Creates messages, and the settings with which most tests send and receive them. */
public final class TestMessages {

    /** The maximum number of unreported sends. */
    public static final int WINDOW = 100;

    private TestMessages() {}

    public static Payload payload(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8));
    }

    public static ProducerSettings plain() {
        return ProducerSettings.of(its -> its.maxPending = WINDOW);
    }

    public static ProducerSettings unlimited() {
        return ProducerSettings.DEFAULT;
    }

    public static ProducerSettings transacted() {
        return ProducerSettings.of(its -> { its.transacted = true; its.maxPending = WINDOW; });
    }

    public static ProducerSettings varying(List<MessageVariant> variants) {
        return ProducerSettings.of(its -> { its.maxPending = WINDOW; its.variants = variants; });
    }

    public static ConsumerSettings auto() {
        return consumer(AckMode.AUTO, 1);
    }

    public static ConsumerSettings consumer(AckMode mode, int batch) {
        return ConsumerSettings.of(its -> { its.ackMode = mode; its.batch = batch; its.mayBlock = true; });
    }

    public static ConsumerSettings selecting(String selector) {
        return ConsumerSettings.of(its -> { its.mayBlock = true; its.selector = selector; });
    }

    /** Sends {@code prefix + token} for each token of the range, with at most {@link #WINDOW} unreported sends at any time. */
    public static void send(Producer producer, Sends sends, int from, int to, String prefix) throws Exception {
        for (int token = from; token < to; token++) {
            int next = token;
            if (next - sends.reported() >= WINDOW) {
                producer.flush();
                Await.until(() -> next - sends.reported() < WINDOW, () -> "no confirmation of " + (next - WINDOW));
            }
            producer.send(payload(prefix + token), token);
        }
        producer.flush();
    }

    public static List<String> numbered(String prefix, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> prefix + i).toList();
    }

    public static long depth(Connection connection, Destination queue) {
        try {
            return connection.depth(queue).orElse(-1);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until a queue has a number of messages; a broker may count confirmed and acknowledged messages a moment later. */
    public static void awaitDepth(Connection connection, Destination queue, long expected) {
        Await.until(() -> depth(connection, queue) == expected, () -> "the depth is " + depth(connection, queue));
    }
}
