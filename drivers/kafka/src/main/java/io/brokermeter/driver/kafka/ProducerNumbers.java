package io.brokermeter.driver.kafka;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

import io.brokermeter.spi.SendListener;

/**
 * Counts the producers of each topic that this process makes, so that each next one takes the next partition. Thread-safe.
 */
final class ProducerNumbers {

    /** @param connection by which it was asked for last */
    private record Numbered(int number, WeakReference<Object> connection) {}

    /** Of one topic. */
    private static final class Count {

        private final Map<SendListener, Numbered> numbers = new WeakHashMap<>();
        private int next;
    }

    private final Map<String, Count> topics = new HashMap<>();

    /**
     * The number of a producer, from 0. One that takes the place of another, whose connection was lost, has the same listener and gets
     * the same number: its messages would be out of order in another partition.
     *
     * @param connection that it is on; a second one there is another producer, whatever its listener is
     */
    synchronized int of(String topic, SendListener listener, Object connection) {
        Count count = topics.computeIfAbsent(topic, t -> new Count());
        Numbered before = count.numbers.get(listener);
        int number = before == null || before.connection.get() == connection ? count.next++ : before.number;
        count.numbers.put(listener, new Numbered(number, new WeakReference<>(connection)));
        return number;
    }
}
