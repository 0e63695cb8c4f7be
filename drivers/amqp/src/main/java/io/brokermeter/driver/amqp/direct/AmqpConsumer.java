package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.amqp.library.QpidConnection;
import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that receives on the connection's reader thread. Messages are accepted after the listener has returned; all messages of one
 * read are accepted by one range. Credit is renewed when half of it is used. If the listener may block, deliveries run on a thread of their
 * own; a polled consumer delivers on the polling thread.
 */
final class AmqpConsumer extends Link implements Consumer {

    /** The credit of a consumer unless the user sets another one, in messages; the default of qpid-jms. */
    static final int PREFETCH = 1000;

    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final int prefetch;
    private final boolean polling;
    private final boolean knowsModified;
    private final IncomingMessage message = new IncomingMessage();

    /** Held while the listener runs, and until the acceptance of its messages has been appended. */
    private final ReentrantLock turn = new ReentrantLock();

    // used by the reader thread
    private final PartialDelivery partial = new PartialDelivery();
    private boolean inParts;
    /** Transfer number of the next frame in this session; written by the reader. */
    private volatile int nextTransfer;
    /** The incoming session window in frames, 0 for none. {@link #told} is the transfer at which the reader last sent it to the broker. */
    private final int window;
    private int told;
    private volatile int deliveryCount;

    // guarded by turn
    private int firstUnaccepted;
    private int unaccepted;
    private int sinceBatch;
    private int processed;
    /** The sender's delivery count up to which credit has been granted. */
    private int granted;

    private boolean received;
    private volatile boolean left;
    private volatile boolean closing;
    private volatile boolean unfiltered;
    /** Messages that arrived and were not polled yet. */
    private final BlockingQueue<Item> queue = new LinkedBlockingQueue<>();
    private final @Nullable ConsumerThread<Item> thread;

    /** Credit granted for messages that were not yet taken from the queue; used by the polling thread. */
    private int asked;

    private record Item(
            int id, boolean settled, boolean redelivered, @Nullable ByteBuffer envelope, @Nullable ByteBuffer body) {}

    AmqpConsumer(
            AmqpConnection connection, int channel, Destination destination, ConsumerSettings settings,
            DeliveryListener listener) {
        super(connection, channel, destination);
        this.settings = settings;
        this.listener = listener;
        this.polling = settings.polling();
        this.window = connection.sessionWindow();
        this.knowsModified = QpidConnection.knowsModified(connection.broker());
        int usual = polling ? 1 : connection.defaultPrefetch(settings);
        // without any credit nothing would ever arrive
        this.prefetch = Math.max(1, settings.prefetch() < 0 ? usual : settings.prefetch());
        this.thread = settings.mayBlock() && !polling ? new ConsumerThread<>(
            "brokermeter-amqp-consumer", Integer.MAX_VALUE, turn, () -> closing, this::take, connection::flush) : null;
    }

    @Override
    UnsignedInteger incomingWindow() {
        return window == 0 ? super.incomingWindow() : UnsignedInteger.valueOf(window);
    }

    @Override
    Attach attach() {
        String address = connection.address(destination);
        Source source = new Source();
        source.setAddress(address);
        source.setDurable(TerminusDurability.NONE);
        source.setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH);
        source.setCapabilities(Symbol.valueOf(destination.isTopic() ? "topic" : "queue"));
        if (settings.selector() != null) {
            source.setFilter(Map.of(SelectorFilter.NAME, new SelectorFilter(settings.selector())));
        }
        Modified failed = new Modified();
        failed.setDeliveryFailed(true);
        source.setDefaultOutcome(failed);
        return attach("receiver", Role.RECEIVER, address, source, new Target());
    }

    @Override
    void begun(Begin begin) {
        nextTransfer = begin.getNextOutgoingId().intValue();
        told = nextTransfer;
    }

    @Override
    void attached(Attach attach) {
        if (attach.getSource() == null) {
            return; // refused; the reason comes with the detach
        }
        if (settings.selector() != null && !SelectorFilter.isApplied((Source) attach.getSource())) {
            unfiltered = true;
            return; // no credit for messages that do not match the selector
        }
        deliveryCount = attach.getInitialDeliveryCount() == null ? 0 : attach.getInitialDeliveryCount().intValue();
        granted = deliveryCount;
        if (polling) {
            return; // credit is granted when the consumer is polled
        }
        granted += prefetch;
        if (thread != null) {
            thread.start();
        }
        grant();
    }

    /** Returns whether the broker opened the link without applying the selector, in which case no credit is granted. */
    boolean isUnfiltered() {
        return unfiltered;
    }

    private void grant() {
        int seen = deliveryCount;
        appendFlow(nextTransfer, 0, seen, granted - seen, false);
    }

    @Override
    void flow(Flow flow) {
        if (flow.getEcho()) {
            grant();
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the reader writes
    void transfer(int deliveryId, boolean settled, boolean more, boolean aborted, int from, int to) {
        nextTransfer++;
        if (window > 0 && 2 * (nextTransfer - told) >= window) {
            told = nextTransfer;
            // Read under the lock, so that no older value of another thread is appended behind it.
            connection.locked(() -> {
                if (!isOver()) {
                    appendSessionFlow(nextTransfer, 0);
                }
            });
            connection.owe();
        }
        boolean whole = !inParts && !more;
        if (!whole) {
            if (!inParts) {
                inParts = true;
                partial.begin(deliveryId);
            }
            partial.add(settled, connection.view(from, to));
            if (more && !aborted) {
                return;
            }
            inParts = false;
        }
        deliveryCount++;
        if (aborted) {
            aborted();
        } else if (whole) {
            arrived(deliveryId, settled, connection.view(from, to));
        } else {
            arrived(partial.id(), partial.isSettled(), partial.payload());
        }
    }

    /** Counts the credit that an aborted delivery has used up. */
    private void aborted() {
        Item nothing = new Item(0, true, false, null, null);
        if (polling) {
            queue.add(nothing);
        } else if (thread != null) {
            thread.hand(nothing);
        } else {
            if (!turn.isHeldByCurrentThread()) {
                turn.lock();
                connection.touch(this);
            }
            processed++;
        }
    }

    private void arrived(int id, boolean settled, ByteBuffer encoded) {
        if (closing) {
            return;
        }
        ByteBuffer body = message.body(encoded.order(java.nio.ByteOrder.BIG_ENDIAN));
        if (polling || thread != null) {
            Item item = new Item(
                id, settled, message.redelivered(), ConsumerThread.copyOf(message.envelope()), ConsumerThread.copy(body));
            if (thread != null) {
                thread.hand(item);
            } else {
                queue.add(item);
            }
            return;
        }
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
            connection.touch(this);
            if (closing) {
                return;
            }
        }
        deliver(id, settled, message.envelope(), body, message.redelivered());
    }

    private void deliver(int id, boolean settled, @Nullable ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
        if (left) {
            return; // the message goes back to the broker when the link is closed
        }
        received = true;
        Settlement answer = envelope == null ? listener.delivered(body, redelivered)
            : listener.delivered(envelope, body, redelivered);
        if (answer == Settlement.LEAVE) {
            left = true;
            return;
        }
        processed++;
        if (settled) {
            return;
        }
        if (answer != Settlement.ACCEPT) {
            accept();
            dispose(id, id, answer);
            return;
        }
        if (unaccepted > 0 && id != firstUnaccepted + unaccepted) {
            accept();
        }
        if (unaccepted == 0) {
            firstUnaccepted = id;
        }
        unaccepted++;
        if (settings.ackMode() == AckMode.BATCH && ++sinceBatch >= settings.batch()) {
            sinceBatch = 0;
            accept();
        }
    }

    /** Appends the acceptance of the messages that were delivered since the last one. Call with {@code turn} held. */
    private void accept() {
        if (unaccepted == 0) {
            return;
        }
        int last = firstUnaccepted + unaccepted - 1;
        unaccepted = 0;
        dispose(firstUnaccepted, last, Settlement.ACCEPT);
    }

    /**
     * Appends the outcome of a range of deliveries. A requeued message gets the outcome modified, with its delivery count increased, if the
     * broker knows that outcome; the broker then delivers it as redelivered.
     */
    private void dispose(int first, int last, Settlement answer) {
        boolean modified = answer == Settlement.REQUEUE && knowsModified;
        connection.lock.lock();
        try {
            if (isOver()) {
                return;
            }
            Outcomes.append(connection.out, channel, first, last, answer, modified);
        } finally {
            connection.lock.unlock();
        }
    }

    /**
     * Accepts delivered messages, unless a batch does, and renews the credit when half of it is used. Call with {@code turn} held; does not
     * write.
     */
    private void settle() {
        if (settings.ackMode() == AckMode.AUTO) {
            accept();
        }
        if (!polling && processed * 2 >= prefetch) {
            granted += processed;
            processed = 0;
            connection.locked(() -> {
                if (!isOver()) {
                    grant();
                }
            });
        }
    }

    @Override
    protected void endOfBatch() {
        if (turn.isHeldByCurrentThread()) {
            settle();
            turn.unlock();
            connection.owe();
        }
    }

    /** Delivers a queued message on a thread other than the reader. Call with {@code turn} held. */
    private void take(Item item) {
        ByteBuffer body = item.body();
        if (closing) {
            return;
        }
        if (body != null) {
            deliver(item.id(), item.settled(), item.envelope(), body, item.redelivered());
        } else {
            processed++;
        }
        settle();
    }

    @Override
    public boolean needsPolling() {
        return polling;
    }

    /**
     * Delivers one message. If none is queued, requests as many messages as the prefetch allows, by default one; those that arrive after
     * the limit wait for the next poll.
     */
    @Override
    public void poll(Duration limit) throws Exception {
        if (!polling) {
            return;
        }
        if (left || closing) {
            LockSupport.parkNanos(this, limit.toNanos());
            return;
        }
        Item item = queue.poll();
        if (item == null) {
            ask();
            item = queue.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
        }
        if (item == null) {
            return;
        }
        asked--;
        turn.lock();
        try {
            take(item);
        } finally {
            turn.unlock();
        }
        connection.flush();
    }

    private void ask() throws IOException {
        if (asked > 0) {
            return;
        }
        connection.locked(() -> {
            if (!isOver()) {
                asked = prefetch;
                granted += prefetch;
                grant();
            }
        });
        connection.flush();
    }

    @Override
    void ended(Throwable reason, boolean byPeer) {
        boolean expected = closing;
        closing = true;
        if (byPeer && !expected) {
            listener.failed(reason);
        }
    }

    @Override
    public void close() throws Exception {
        if (closing) {
            connection.links.detach(this);
            return;
        }
        closing = true;
        boolean accepted = turn.tryLock(connection.closeLimitNanos(), TimeUnit.NANOSECONDS);
        boolean heard = false;
        if (accepted) {
            try {
                heard = received;
                accept();
            } finally {
                turn.unlock();
            }
        }
        if (!connection.links.detach(this) && heard) {
            listener.failed(new TimeoutException("The broker did not answer when the consumer on " + destination
                + " closed, so nobody knows whether it has the last acknowledgements."));
        } else if (!accepted) {
            listener.failed(new TimeoutException("The last delivery from " + destination + " did not end within "
                + TimeUnit.NANOSECONDS.toMillis(connection.closeLimitNanos()) + " ms, so what came before it is not acknowledged."));
        }
        if (thread != null) {
            thread.join(connection.closeLimitNanos());
        }
    }
}
