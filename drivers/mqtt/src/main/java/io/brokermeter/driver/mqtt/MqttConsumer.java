package io.brokermeter.driver.mqtt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Receives on the session's reading thread. Messages are acknowledged after the listener has returned, all those of one read
 * with one write. A listener that may block gets a thread of its own.
 */
final class MqttConsumer extends WireEndpoint implements Consumer {

    /** Messages that wait for a listener that blocks; beyond that the socket is not read. */
    private static final int QUEUED = 1000;

    /**
     * A topic filter.
     *
     * @param text as it is sent to the broker
     * @param topic the filter without the name of a shared subscription
     */
    record Filter(String text, String topic) {

        static Filter of(String topic) {
            return new Filter(topic, topic);
        }

        /** Section 4.8.2: the consumers of a share name share what the filter matches. */
        static Filter shared(String share, String topic) {
            return new Filter("$share/" + share.replace('/', '_').replace('+', '_').replace('#', '_') + "/" + topic, topic);
        }

        /** Whether it matches one topic only, whose name it is. */
        boolean isOneTopic() {
            return topic.indexOf('+') < 0 && topic.indexOf('#') < 0 && !topic.startsWith("$share/");
        }

        /** Whether nothing distinguishes the names of their topics: RabbitMQ makes slashes of dots. */
        boolean sameTopic(Filter other) {
            return topic.replace('.', '/').equals(other.topic.replace('.', '/'));
        }

        boolean isShared() {
            return !text.equals(topic);
        }
    }

    private record Item(int qos, int id, boolean redelivered, @Nullable ByteBuffer envelope, ByteBuffer body) {}

    private final Session session;
    private final Filter filter;
    private final byte[] topic;
    private final DeliveryListener listener;
    private final boolean takesRetained;
    private final Ending ending;

    /** Held while the listener runs and until what it took is on its way to be acknowledged. */
    private final ReentrantLock turn = new ReentrantLock();
    /** Whether the reader has the turn; reader only. */
    private boolean inTurn;

    private volatile boolean closing;
    /** Whether the listener takes no more: nothing that follows is acknowledged. */
    private volatile boolean left;
    private volatile boolean closed;
    private final @Nullable ConsumerThread<Item> thread;

    /** What becomes of the session when its consumer closes. */
    enum Ending {
        /** The session has others to serve. */
        STAYS,
        /** It was the consumer's own. */
        ENDS,
        /** It was the consumer's own, and the broker keeps it. */
        IS_KEPT
    }

    MqttConsumer(Session session, Filter filter, DeliveryListener listener, boolean mayBlock, boolean takesRetained, Ending ending) {
        this.session = session;
        this.filter = filter;
        this.topic = filter.topic().getBytes(StandardCharsets.UTF_8);
        this.listener = listener;
        this.takesRetained = takesRetained;
        this.ending = ending;
        this.thread = mayBlock ? new ConsumerThread<>(
            "brokermeter-mqtt-consumer", QUEUED, turn, () -> closing || left, this::take, session::flush) : null;
    }

    /** Begins to deliver, where that needs a thread. */
    void start() {
        if (thread != null) {
            thread.start();
        }
    }

    Filter filter() {
        return filter;
    }

    /** Whether this consumer's topic stands in a buffer, slashes counting as dots. */
    boolean subscribesTo(ByteBuffer in, int at, int length) {
        if (length != topic.length) {
            return false;
        }
        for (int i = length - 1; i >= 0; i--) {
            byte came = in.get(at + i);
            if (came != topic[i] && !(came == '/' && topic[i] == '.')) {
                return false;
            }
        }
        return true;
    }

    // ---- by the reader

    /** A message came. */
    void arrived(
            int qos, int id, boolean redelivered, boolean retained, @Nullable ByteBuffer envelope, ByteBuffer body) {
        if (retained && !takesRetained) {
            session.acknowledge(qos, id);
            return;
        }
        if (left) {
            return;
        }
        if (thread != null) {
            thread.hand(new Item(qos, id, redelivered, ConsumerThread.copyOf(envelope), ConsumerThread.copy(body)));
            return;
        }
        if (!inTurn) {
            turn.lock();
            inTurn = true;
            session.touch(this);
        }
        if (!closing && deliver(envelope, body, redelivered)) {
            session.acknowledge(qos, id);
        }
    }

    /** Returns whether the listener has taken the message. Under turn. */
    private boolean deliver(@Nullable ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
        if (left) {
            return false;
        }
        Settlement settlement =
            envelope == null ? listener.delivered(body, redelivered) : listener.delivered(envelope, body, redelivered);
        if (settlement == Settlement.LEAVE) {
            left = true;
            return false;
        }
        return true;
    }

    @Override
    protected void endOfBatch() {
        if (inTurn) {
            inTurn = false;
            turn.unlock();
        }
    }

    @Override
    protected void ended(Throwable reason) {
        closing = true;
    }

    /** On the consumer's own thread, under turn. */
    private void take(Item item) {
        if (!closing && deliver(item.envelope(), item.body(), item.redelivered())) {
            session.acknowledgeAside(item.qos(), item.id());
        }
    }

    // ---- the end

    /**
     * What arrives until the broker has confirmed the end of the subscription is delivered, since nobody else will get it. What
     * the listener left stays unacknowledged: a broker gives it to others when the session ends.
     */
    @Override
    public void close() throws Exception {
        if (closed) {
            return;
        }
        closed = true;
        if (!closing && ending != Ending.IS_KEPT) {
            session.unsubscribe(filter);
        }
        boolean over = false;
        try {
            over = turn.tryLock(session.closeLimitNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closing = true;
        if (over) {
            turn.unlock();
        }
        if (thread != null) {
            thread.join(session.closeLimitNanos());
        }
        if (session.out.pending() > 0) {
            session.help();
        }
        session.remove(this);
        if (ending != Ending.STAYS) {
            session.close();
        }
        if (!over && session.options.consumerQos() > 0) {
            throw new DriverException("The last delivery from " + filter.text() + " did not end within "
                + TimeUnit.NANOSECONDS.toMillis(session.closeLimitNanos()) + " ms, so it is not acknowledged.", null);
        }
    }
}
