package io.brokermeter.spi;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/** Numbers producers, for drivers in which each further producer sends to the next partition or queue. Thread-safe. */
public final class ProducerNumbers {

    /** @param connection the connection that asked for the number last */
    private record Numbered(int number, WeakReference<Object> connection) {}

    private final Map<SendListener, Numbered> numbers = new WeakHashMap<>();
    private int next;

    /** @param first the number of the first producer */
    public ProducerNumbers(int first) {
        next = first;
    }

    /**
     * Returns the number of a producer. A producer that replaces one whose connection was lost has the same listener and gets the same
     * number: its messages would be out of order in another partition.
     *
     * @param connection an object that identifies the producer's connection; a second producer of the same connection gets a number of its
     *     own, whatever its listener is
     */
    public synchronized int of(SendListener listener, Object connection) {
        Numbered before = numbers.get(listener);
        int number = before == null || before.connection.get() == connection ? next++ : before.number;
        numbers.put(listener, new Numbered(number, new WeakReference<>(connection)));
        return number;
    }
}
