package io.brokermeter.driver.mqtt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that receives on the session's reader thread. Messages are acknowledged after the listener has returned; the acknowledgements
 * of one read are written at once. If the listener may block, deliveries run on a thread of their own.
 */
final class MqttConsumer extends WireEndpoint implements Consumer {

    /** The most messages that wait for a blocking listener; beyond that the socket is not read. */
    private static final int QUEUED = 1000;

    /**
     * A topic filter.
     *
     * @param text the filter sent to the broker
     * @param topic the filter without the name of a shared subscription
     */
    record Filter(String text, String topic) {

        static Filter of(String topic) {
            return new Filter(topic, topic);
        }

        /** Creates the filter of a shared subscription (section 4.8.2): the consumers of a share name share the matching messages. */
        static Filter shared(String share, String topic) {
            return new Filter("$share/" + share.replace('/', '_').replace('+', '_').replace('#', '_') + "/" + topic, topic);
        }

        /** Returns whether the filter matches a single topic only, whose name it is. */
        boolean isOneTopic() {
            return topic.indexOf('+') < 0 && topic.indexOf('#') < 0 && !topic.startsWith("$share/");
        }

        /** Returns whether the topic names cannot be told apart: RabbitMQ replaces dots by slashes. */
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

    /** Held while the listener runs, and until the acknowledgement of its messages has been appended. */
    private final ReentrantLock turn = new ReentrantLock();
    /** Whether the reader thread holds {@link #turn}; used by the reader only. */
    private boolean inTurn;

    /** The message that the consumer's own thread took last, if it was not delivered; guarded by {@link #turn}. */
    private @Nullable Item refused;

    private volatile boolean closing;
    /** Whether no more messages are delivered, by the listener's wish or at the end; those that follow are not acknowledged. */
    private volatile boolean left;
    private volatile boolean closed;
    private final @Nullable ConsumerThread<Item> thread;

    /** The fate of the session when its consumer closes. */
    enum Ending {
        /** The session stays, since it has others to serve. */
        STAYS,
        /** The session ends with its consumer. */
        ENDS,
        /** The connection of the session ends with its consumer, and the broker keeps the session. */
        IS_KEPT
    }

    MqttConsumer(Session session, Filter filter, DeliveryListener listener, ConsumerSettings settings, boolean takesRetained,
            Ending ending) {
        this.session = session;
        this.filter = filter;
        this.topic = filter.topic().getBytes(StandardCharsets.UTF_8);
        this.listener = listener;
        this.takesRetained = takesRetained;
        this.ending = ending;
        this.thread = settings.mayBlock() ? new ConsumerThread<>(
            "brokermeter-mqtt-consumer", settings.fit(QUEUED), turn, () -> closing || left, this::take, session::flush) : null;
    }

    /** Starts the delivery thread, if there is one. */
    void start() {
        if (thread != null) {
            thread.start();
        }
    }

    Filter filter() {
        return filter;
    }

    /** Returns whether the broker keeps the session for another consumer after this one. */
    boolean isKept() {
        return ending == Ending.IS_KEPT;
    }

    /** Returns whether a buffer contains this consumer's topic; a slash in the buffer matches a dot of the topic. */
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

    // ---- called by the reader thread

    /** Handles a message that arrived. */
    void arrived(
            int qos, int id, boolean redelivered, boolean retained, @Nullable ByteBuffer envelope, ByteBuffer body) {
        if (retained && !takesRetained) {
            session.acknowledge(qos, id);
            return;
        }
        if (left) {
            drop(qos, id);
            return;
        }
        if (thread != null) {
            boolean queued =
                thread.hand(new Item(qos, id, redelivered, ConsumerThread.copyOf(envelope), ConsumerThread.copy(body)));
            if (!queued) {
                left = true; // nothing behind a gap is delivered
                drop(qos, id);
            }
            return;
        }
        if (!inTurn) {
            turn.lock();
            inTurn = true;
            session.touch(this);
        }
        if (!closing && deliver(envelope, body, redelivered)) {
            session.acknowledge(qos, id);
        } else {
            drop(qos, id);
        }
    }

    /** Lets the session forget a message that is not delivered. */
    private void drop(int qos, int id) {
        if (qos == 2) {
            session.unreleased().drop(id);
        }
    }

    /** Delivers a message; returns whether the listener accepted it. Call with {@code turn} held. */
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

    /** Delivers a queued message and acknowledges it. Called by the consumer's own thread with {@code turn} held. */
    private void take(Item item) {
        if (!closing && deliver(item.envelope(), item.body(), item.redelivered())) {
            session.acknowledgeAside(item.qos(), item.id());
        } else {
            refused = item;
        }
    }

    // ---- the end

    /**
     * Ends the subscription, unless the broker keeps the session. Messages that arrive until the broker has confirmed the end are
     * delivered, since no other consumer gets them, unless the queue of a blocking listener is full. Messages that the listener left, or
     * that found the queue full, stay unacknowledged: the broker gives them to other consumers when the session ends.
     */
    @Override
    public void close() throws Exception {
        if (closed) {
            return;
        }
        closed = true;
        if (thread != null) {
            thread.stopWaiting(); // the answer to UNSUBSCRIBE is behind the messages that the reader hands over
        }
        if (!closing && !isKept()) {
            session.requests.unsubscribe(filter);
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
        if (over && isKept()) {
            complete();
        }
        if (!over && session.options.consumerQos() > 0) {
            throw new DriverException("The last delivery from " + filter.text() + " did not end within "
                + TimeUnit.NANOSECONDS.toMillis(session.closeLimitNanos()) + " ms, so it is not acknowledged.", null);
        }
    }

    /** Lets the session forget the messages that were handed over and not delivered. Call when no thread handles any more. */
    private void complete() {
        if (thread != null) {
            Item last = refused;
            if (last != null) {
                drop(last.qos(), last.id());
            }
            for (Item item = thread.poll(); item != null; item = thread.poll()) {
                drop(item.qos(), item.id());
            }
        }
        session.unreleased().complete();
    }
}
