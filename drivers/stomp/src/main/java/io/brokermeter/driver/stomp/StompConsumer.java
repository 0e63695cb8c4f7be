package io.brokermeter.driver.stomp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that receives on the connection's reader thread. Acknowledgements are created as whole frames when the listener has returned,
 * and are sent together after all messages of one read have been processed. If the listener may block, and for a consumer that must wait
 * for its commits, deliveries run on a thread of their own.
 */
final class StompConsumer extends WireEndpoint implements Consumer {

    private static final byte[] NOT_AGAIN = "\nrequeue:false".getBytes(StandardCharsets.US_ASCII);

    private final StompConnection connection;
    private final Subscription subscription;
    private final byte[] id;
    private final Destination destination;
    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final StompSettings.Ack ack;
    /** Whether the broker keeps unacknowledged messages for this consumer until they are given back. */
    private final boolean mustGiveBack;
    /** Bytes of messages at which a batch is acknowledged although it is not full, since the broker may send no more before. */
    private final long mostBytes;

    /** Held while the listener runs, and until the acknowledgement of its messages is on its way. */
    private final ReentrantLock turn = new ReentrantLock();

    // guarded by turn
    private final AckFrames acks;
    private int sinceBatch;
    private long bytesSinceBatch;
    private boolean toldRequeue;
    /** Whether the listener accepts no more messages. */
    private boolean left;
    /** The frames that give back the messages delivered since the listener left; sent by the close. */
    private final AckFrames leaving;
    /** Whether any message was ever acknowledged. */
    private boolean accepted;
    private String transaction = "";
    /** Bytes of the frame that begins the transaction, at the front of {@link #acks} until they are appended. */
    private int beginning;
    private byte[] transactionLine = AckFrames.NOTHING;

    private volatile boolean closing;
    /** Number of messages that arrived since {@link #closing}; written by the reader, read after an answer that it received later. */
    private long late;
    /** Whether the subscription has ended, after which nothing can be given back. */
    private volatile boolean unsubscribed;
    private volatile boolean gone;
    private final @Nullable DeliveryThread thread;

    StompConsumer(
            StompConnection connection, String name, Destination destination, ConsumerSettings settings,
            DeliveryListener listener) throws DriverException {
        this.connection = connection;
        this.id = name.getBytes(StandardCharsets.US_ASCII);
        this.destination = destination;
        this.settings = settings;
        this.listener = listener;
        StompSettings.Ack wanted = connection.stomp.ack();
        Dialect dialect = connection.dialect;
        this.ack = wanted != null ? wanted
            : settings.ackMode() == AckMode.BATCH && !dialect.acknowledgesWholeConnection()
                ? StompSettings.Ack.CLIENT : StompSettings.Ack.INDIVIDUAL;
        Limitations.checkAcknowledgements(settings, ack, connection.version, dialect);
        this.subscription = new Subscription(connection, name, destination, settings, ack);
        this.mustGiveBack = dialect.keepsUnacknowledged() && acknowledges() && connection.version != StompVersion.V1_0;
        // Artemis counts the bytes of whole frames; a quarter is left for what it may count differently. With a window of 0 it sends one
        // message.
        this.mostBytes =
            dialect == Dialect.ARTEMIS && connection.stomp.windowBytes() >= 0 ? connection.stomp.windowBytes() / 4 * 3 : Long.MAX_VALUE;
        this.acks = new AckFrames(connection.version, name);
        this.leaving = new AckFrames(connection.version, name);
        this.thread = settings.mayBlock() || settings.ackMode() == AckMode.TRANSACTED
            ? new DeliveryThread(connection, turn, () -> closing || gone, this::take) : null;
    }

    /** Returns the header {@code id} of the subscription. */
    byte[] id() {
        return id;
    }

    /** Returns the frame that begins the subscription, and starts the consumer's own thread. */
    Frame subscribe() {
        if (thread != null) {
            thread.start();
        }
        return subscription.beginning();
    }

    // ---- deliveries

    /** Handles a message that arrived. Called by the reader thread. */
    void message(StompFrames in, boolean redelivered) {
        StompFrames.Header header = connection.version == StompVersion.V1_2 && in.has(StompFrames.Header.ACK)
            ? StompFrames.Header.ACK : StompFrames.Header.MESSAGE_ID;
        int from = in.from(header);
        int to = in.to(header);
        if (thread != null) {
            // takes no lock that the consumer's own thread holds while it waits for a commit
            if (closing) {
                late++;
            }
            if (unsubscribed) {
                strand();
            } else {
                thread.hand(new DeliveryThread.Item(ConsumerThread.copyOf(in.envelope()), ConsumerThread.copy(in.body()), redelivered,
                    from < 0 ? AckFrames.NOTHING : Arrays.copyOfRange(in.bytes(), from, to), in.size()));
            }
            return;
        }
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
            connection.touch(this);
        }
        if (closing) {
            late++;
            giveBack(in.bytes(), from, to);
        } else {
            bytesSinceBatch += in.size();
            deliver(in.envelope(), in.body(), redelivered, in.bytes(), from, to);
        }
    }

    /** Delivers a message, whose id is in {@code id} from {@code from} to {@code to}. Call with {@code turn} held. */
    private void deliver(@Nullable ByteBuffer envelope, ByteBuffer body, boolean redelivered, byte[] id, int from, int to) {
        Settlement settlement = left ? Settlement.LEAVE
            : envelope == null ? listener.delivered(body, redelivered) : listener.delivered(envelope, body, redelivered);
        if (settlement == Settlement.LEAVE) {
            left = true;
            if (mustGiveBack) {
                // not at once: the broker would deliver it to this consumer again
                leaving.add(true, id, from, to, AckFrames.NOTHING);
            }
        } else if (settings.settles() && settlement != Settlement.ACCEPT) {
            if (canSettle(settlement)) {
                acks.add(true, id, from, to, settlement == Settlement.REJECT ? rejection() : AckFrames.NOTHING);
            }
        } else if (acknowledges()) {
            accept(id, from, to);
        }
    }

    private void accept(byte[] id, int from, int to) {
        accepted = true;
        if (ack == StompSettings.Ack.CLIENT) {
            // the last one includes those before it
            acks.cut(beginning);
        }
        if (settings.ackMode() == AckMode.TRANSACTED && transaction.isEmpty()) {
            transaction = connection.newTransaction();
            transactionLine = transactionLine(transaction);
            acks.add(connection.frame("BEGIN").with("transaction", transaction).whole());
            beginning = acks.length();
        }
        acks.add(false, id, from, to, transactionLine);
        if (settings.ackMode() != AckMode.AUTO && (++sinceBatch >= settings.batch() || bytesSinceBatch >= mostBytes)) {
            sinceBatch = 0;
            bytesSinceBatch = 0;
            if (settings.ackMode() == AckMode.TRANSACTED) {
                commit();
            } else {
                acks.appendTo(connection);
            }
        }
    }

    /**
     * Returns whether the broker can settle a message in this way. A message that it would not deliver again stays unacknowledged, so that
     * it is not lost. Call with {@code turn} held.
     */
    private boolean canSettle(Settlement settlement) {
        if (settlement != Settlement.REQUEUE || connection.dialect.requeues()) {
            return true;
        }
        if (!toldRequeue) {
            toldRequeue = true;
            listener.failed(new DriverException(new Refusal("%s does not deliver again what is given back over STOMP; leave out %s.",
                connection.dialect.title(), Setting.REQUEUE)));
        }
        return false;
    }

    /** Returns the header of a NACK that rejects a message for good. */
    private byte[] rejection() {
        return connection.dialect.requeues() ? NOT_AGAIN : AckFrames.NOTHING;
    }

    private boolean acknowledges() {
        return ack != StompSettings.Ack.AUTO;
    }

    /** Gives back a message that arrived while the consumer closes. Call with {@code turn} held. */
    private void giveBack(byte[] id, int from, int to) {
        if (unsubscribed) {
            strand();
        } else if (mustGiveBack) {
            leaving.add(true, id, from, to, AckFrames.NOTHING);
        }
    }

    private void strand() {
        if (mustGiveBack) {
            connection.strand();
        }
    }

    /** Returns whether the subscription has ended. */
    boolean isUnsubscribed() {
        return unsubscribed;
    }

    @Override
    protected void endOfBatch() {
        if (turn.isHeldByCurrentThread()) {
            if (settings.ackMode() == AckMode.AUTO) {
                acks.appendTo(connection);
            }
            turn.unlock();
            connection.owe();
        }
    }

    // ---- the consumer's own thread

    /** Delivers a queued message. Call with {@code turn} held. */
    private void take(DeliveryThread.Item item) {
        if (closing || gone) {
            giveBack(item.id(), 0, item.id().length);
            return;
        }
        bytesSinceBatch += item.size();
        deliver(item.envelope(), item.body(), item.redelivered(), item.id(), 0, item.id().length);
        if (settings.ackMode() == AckMode.AUTO) {
            acks.appendTo(connection);
        }
    }

    // ---- transactions

    private void commit() {
        try {
            connection.receipts.await(commitRequest(), connection.commitLimitNanos());
        } catch (Exception e) {
            if (connection.isAlive()) {
                listener.failed(e);
            }
        }
    }

    private AwaitedReceipt commitRequest() throws Exception {
        String ending = transaction;
        transaction = "";
        transactionLine = AckFrames.NOTHING;
        beginning = 0;
        return connection.locked(() -> {
            connection.check();
            acks.appendTo(connection);
            return connection.receipts.request(connection.frame("COMMIT").with("transaction", ending),
                "The broker did not commit the acknowledgements on " + destination);
        });
    }

    // ---- the end

    @Override
    protected void ended(Throwable reason) {
        gone = true;
    }

    @Override
    public void close() throws DriverException {
        if (closing) {
            return;
        }
        closing = true;
        boolean onReader = connection.isReader();
        if (thread != null && !onReader) {
            // what the thread has taken from its queue goes back with the rest
            thread.join(connection.closeLimitNanos());
        }
        if (mustGiveBack && connection.dialect.givesBackInTransactions() && !onReader) {
            awaitWhatIsOnItsWay();
        }
        boolean unsure = false;
        boolean underWay = false;
        Optional<AwaitedReceipt> asked = Optional.empty();
        try {
            if (turn.tryLock(thread == null ? connection.closeLimitNanos() : 0, TimeUnit.NANOSECONDS)) {
                try {
                    unsure = accepted;
                    asked = acknowledgeTail(onReader);
                } finally {
                    turn.unlock();
                }
            } else {
                // acknowledgements of the delivery in progress come too late
                underWay = acknowledges();
                asked = end(new AckFrames(connection.version, subscription.name()), null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        boolean told = asked.isPresent() && connection.receipts.isDone(asked.get());
        if (told) {
            subscription.remove();
        }
        connection.remove(this);
        gone = true;
        if (underWay) {
            throw new DriverException("The last delivery from " + destination + " did not end within "
                + TimeUnit.NANOSECONDS.toMillis(connection.closeLimitNanos()) + " ms, so what came before it is not acknowledged.", null);
        }
        if (unsure && !told && !onReader && connection.isAlive()) {
            throw new DriverException("The broker did not say that it has the last acknowledgements on " + destination + "; it may"
                + " deliver those messages again.", null);
        }
    }

    /**
     * Waits until an answer of the broker arrives without a message before it. Since nothing is acknowledged any more, the broker sends at
     * most the prefetched messages.
     */
    private void awaitWhatIsOnItsWay() {
        long start = System.nanoTime();
        long before;
        do {
            before = late;
        } while (connection.isAnswering() && late != before && System.nanoTime() - start < connection.closeLimitNanos());
    }

    /**
     * Acknowledges the accepted messages, gives back the others, and ends the subscription. Does not wait for the answer. Call with
     * {@code turn} held.
     */
    private Optional<AwaitedReceipt> acknowledgeTail(boolean onReader) {
        if (thread != null) {
            for (DeliveryThread.Item item = thread.poll(); item != null; item = thread.poll()) {
                giveBack(item.id(), 0, item.id().length);
            }
        }
        AckFrames before = new AckFrames(connection.version, subscription.name());
        Frame behind = null;
        if (mustGiveBack && connection.dialect.givesBackInTransactions() && !onReader) {
            // Messages acknowledged or given back at once make room for others, which would arrive after the end of the subscription.
            behind = last(before);
        } else {
            if (!transaction.isEmpty()) {
                commitTail();
            }
            before.add(acks, AckFrames.NOTHING);
            before.add(leaving, AckFrames.NOTHING);
        }
        acks.clear();
        leaving.clear();
        if (onReader) {
            before.appendTo(connection);
            unsubscribed = true;
            return Optional.empty();
        }
        return end(before, behind);
    }

    /** Puts all frames into a transaction. Returns the frame that commits it, null if there are none. Call with {@code turn} held. */
    private @Nullable Frame last(AckFrames before) {
        if (acks.isEmpty() && leaving.isEmpty() && transaction.isEmpty()) {
            return null;
        }
        byte[] line = transactionLine;
        if (transaction.isEmpty()) {
            transaction = connection.newTransaction();
            line = transactionLine(transaction);
            before.add(connection.frame("BEGIN").with("transaction", transaction).whole());
            before.add(acks, line);
        } else {
            before.add(acks, AckFrames.NOTHING);
        }
        before.add(leaving, line);
        return connection.frame("COMMIT").with("transaction", transaction);
    }

    private void commitTail() {
        try {
            AwaitedReceipt request = commitRequest();
            connection.awaitClosing(() -> request.done);
            Throwable refusal = request.refusal;
            if (refusal != null && connection.isAlive()) {
                listener.failed(refusal);
            }
        } catch (Exception e) {
            // the connection is gone, and the broker delivers the messages again
        }
    }

    private Optional<AwaitedReceipt> end(AckFrames before, @Nullable Frame behind) {
        unsubscribed = true;
        return subscription.end(before, behind);
    }

    private static byte[] transactionLine(String transaction) {
        return ("\ntransaction:" + transaction).getBytes(StandardCharsets.US_ASCII);
    }
}
