package io.brokermeter.spi;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/** Counts producers, for drivers in which each next one takes the next partition or queue. Thread-safe. */
public final class ProducerNumbers {

    /** @param connection by which it was asked for last */
    private record Numbered(int number, WeakReference<Object> connection) {}

    private final Map<SendListener, Numbered> numbers = new WeakHashMap<>();
    private int next;

    /** @param first the number of the first producer */
    public ProducerNumbers(int first) {
        next = first;
    }

    /**
     * The number of a producer. One that takes the place of another, whose connection was lost, has the same listener and gets the same
     * number: its messages would be out of order in another partition.
     *
     * @param connection what its connection has alone; a second producer there is another one, whatever its listener is
     */
    public synchronized int of(SendListener listener, Object connection) {
        Numbered before = numbers.get(listener);
        int number = before == null || before.connection.get() == connection ? next++ : before.number;
        numbers.put(listener, new Numbered(number, new WeakReference<>(connection)));
        return number;
    }
}
