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

/** Messages, and the settings with which most tests send and receive them. */
public final class Messages {

    /** So many sends may be unreported. */
    static final int WINDOW = 100;

    private Messages() {}

    public static Payload payload(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8));
    }

    public static ProducerSettings plain() {
        return new ProducerSettings(false, 0, null, false, false, false, WINDOW);
    }

    public static ProducerSettings unlimited() {
        return new ProducerSettings(false, 0, null, false, false, false, 0);
    }

    public static ProducerSettings transacted() {
        return new ProducerSettings(false, 0, null, false, false, true, WINDOW);
    }

    public static ProducerSettings varying(List<MessageVariant> variants) {
        return new ProducerSettings(false, 0, 0, false, false, false, WINDOW, false, variants);
    }

    public static ConsumerSettings auto() {
        return consumer(AckMode.AUTO, 1);
    }

    public static ConsumerSettings consumer(AckMode mode, int batch) {
        return new ConsumerSettings(mode, batch, null, false, false, -1, true);
    }

    public static ConsumerSettings selecting(String selector) {
        return new ConsumerSettings(AckMode.AUTO, 1, null, false, false, -1, true, selector);
    }

    /** Sends {@code prefix + token} for each token of the range, never more unreported than the window. */
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
}
