package io.brokermeter.driver.stomp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.Endpoint;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Receives on the connection's reading thread. Acknowledgements are made as whole frames when the listener has returned,
 * and go out together when all that one read brought is processed. A listener that may block, and a consumer that must
 * wait for its commits, get a thread of their own.
 */
final class StompConsumer extends Endpoint implements Consumer {

    /** What may wait for the consumer's own thread before the reader waits: a broker without limits may send ahead. */
    private static final long MOST_WAITING = 64L * 1024 * 1024;
    private static final byte[] NONE = {};

    private final StompConnection connection;
    private final String name;
    private final byte[] id;
    private final Destination destination;
    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final StompSettings.Ack ack;
    private final boolean settles;
    private final byte[] rejection;

    /** Held while the listener runs and until what it took is on its way to be acknowledged. */
    private final ReentrantLock turn = new ReentrantLock();

    // under turn
    private final AckFrames acks;
    private int sinceBatch;
    private boolean toldRequeue;
    /** Whether the listener takes no more. */
    private boolean left;
    /** What gives back what came since then, with a broker that would keep it for us; goes out with the close. */
    private final AckFrames leaving;
    /** Whether closing acknowledged something of which the broker has not said that it knows. */
    private boolean tail;
    private String transaction = "";
    private byte[] transactionLine = new byte[0];

    /** For messages that are not delivered on the reader; reader only. */
    private final AckFrames arriving;

    private volatile boolean closing;
    private volatile boolean gone;
    private final @Nullable ConsumerThread<Item> thread;
    private final AtomicLong waiting = new AtomicLong();

    /** A message on its way to the consumer's own thread, with the frame that acknowledges it. */
    private record Item(@Nullable ByteBuffer envelope, ByteBuffer body, boolean redelivered, byte[] ack) {}

    StompConsumer(
            StompConnection connection, String name, Destination destination, ConsumerSettings settings,
            DeliveryListener listener) throws DriverException {
        this.connection = connection;
        this.name = name;
        this.id = ascii(name);
        this.destination = destination;
        this.settings = settings;
        this.listener = listener;
        this.ack = ack(settings, connection.stomp().ack());
        this.settles = settings.settles();
        this.rejection = AckFrames.ending(connection.dialect());
        this.acks = new AckFrames(connection.version(), name);
        this.arriving = new AckFrames(connection.version(), name);
        this.leaving = new AckFrames(connection.version(), name);
        check();
        this.thread = settings.mayBlock() || settings.ackMode() == AckMode.TRANSACTED
            ? new ConsumerThread<>("brokermeter-stomp-consumer", Integer.MAX_VALUE, turn, () -> closing || gone, this::take,
                connection::flush) : null;
    }

    private static StompSettings.Ack ack(ConsumerSettings settings, StompSettings.@Nullable Ack wanted) {
        if (wanted != null) {
            return wanted;
        }
        return settings.ackMode() == AckMode.BATCH && !settings.settles() ? StompSettings.Ack.CLIENT : StompSettings.Ack.INDIVIDUAL;
    }

    private void check() throws DriverException {
        if (ack == StompSettings.Ack.AUTO && settings.ackMode() != AckMode.AUTO) {
            throw new DriverException("With ack=auto the broker asks for no acknowledgements, so there are no batches and "
                + "no transactions of them; leave it out.", null);
        }
        if (settings.ackMode() == AckMode.TRANSACTED && !connection.dialect().hasTransactedAcknowledgements()) {
            throw new DriverException(connection.dialect().title() + " takes acknowledgements of STOMP out of their "
                + "transaction; leave out --tx.", null);
        }
        if (settings.settles() && (ack != StompSettings.Ack.INDIVIDUAL || connection.version() == Version.V1_0)) {
            throw new DriverException("Giving messages back and refusing them needs acknowledgements one by one and STOMP 1.1 or "
                + "1.2; leave out the parameter ack or version.", null);
        }
        if (settings.settles() && !connection.dialect().rejects()) {
            throw new DriverException(connection.dialect().title() + " may do anything with what NACK refuses; leave out "
                + "--requeue and --reject, or say with the parameter broker which one it is.", null);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The header {@code id} of the subscription. */
    byte[] id() {
        return id;
    }

    /** The frame that begins it; begins the consumer's own thread as well. */
    Frame subscribe() {
        Frame frame = connection.frame("SUBSCRIBE", destination, true).with("id", name).with("ack", ack.word());
        String subscription = settings.subscription();
        if (subscription != null && destination.isTopic()) {
            connection.name(frame, subscriptionName(subscription), settings.durable());
        }
        String selector = settings.selector();
        if (selector != null) {
            frame.with("selector", selector);
        }
        if (ack != StompSettings.Ack.AUTO) {
            StompSettings stomp = connection.stomp();
            for (Dialect.Header header
                : connection.dialect().prefetch(settings.prefetch(), stomp.prefetch(), stomp.windowBytes())) {
                frame.with(header.name(), header.value());
            }
        }
        if (thread != null) {
            thread.start();
        }
        return frame;
    }

    /** Artemis keeps no subscription of several consumers that ends with the last one; such a one gets another name. */
    private String subscriptionName(String subscription) {
        return endsWithItsConsumers() ? "volatile." + subscription : subscription;
    }

    private boolean endsWithItsConsumers() {
        return settings.shared() && !settings.durable() && connection.dialect().subscriptionsBelongToClient();
    }

    // ---- deliveries

    /** A message arrived. Reader only. */
    void message(FrameReader in, boolean redelivered) {
        if (thread != null) {
            enqueue(thread, in, redelivered);
            return;
        }
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
            connection.touch(this);
        }
        if (closing) {
            giveBack(in);
            return;
        }
        if (left) {
            leave(in);
            return;
        }
        ByteBuffer envelope = in.envelope();
        Settlement settlement =
            envelope == null ? listener.delivered(in.body(), redelivered) : listener.delivered(envelope, in.body(), redelivered);
        if (settlement == Settlement.LEAVE) {
            left = true;
            leave(in);
            return;
        }
        if (ack == StompSettings.Ack.AUTO) {
            return;
        }
        if (settles && settlement != Settlement.ACCEPT) {
            if (canSettle(settlement)) {
                acks.add(in, true, ending(settlement));
                appendAcks();
            }
            return;
        }
        if (ack == StompSettings.Ack.CLIENT) {
            acks.clear();
        }
        acks.add(in, false);
        batch();
    }

    /** A message that its broker would not deliver again stays unacknowledged, and so does not get lost. Under turn. */
    private boolean canSettle(Settlement settlement) {
        if (settlement != Settlement.REQUEUE || connection.dialect().requeues()) {
            return true;
        }
        if (!toldRequeue) {
            toldRequeue = true;
            listener.failed(new DriverException(connection.dialect().title() + " does not deliver again what is given back over "
                + "STOMP; leave out --requeue.", null));
        }
        return false;
    }

    private byte[] ending(Settlement settlement) {
        return settlement == Settlement.REJECT ? rejection : NONE;
    }

    /** Counts a message, and sends the acknowledgements of a full batch on their way. Under turn. */
    private void batch() {
        if (settings.ackMode() == AckMode.BATCH && ++sinceBatch >= settings.batch()) {
            sinceBatch = 0;
            appendAcks();
        }
    }

    /** A message came after the end, which some brokers keep for us until they hear of it. Reader only. */
    private void giveBack(FrameReader in) {
        if (mustGiveBack()) {
            arriving.add(in, true);
            append(arriving.take());
            connection.owe();
        }
    }

    /** Not at once: the broker would only deliver it to us again. Under turn. */
    private void leave(FrameReader in) {
        if (mustGiveBack()) {
            leaving.add(in, true);
        }
    }

    private boolean mustGiveBack() {
        return connection.dialect().keepsUnacknowledged() && ack != StompSettings.Ack.AUTO
            && connection.version() != Version.V1_0;
    }

    private void append(byte[] frames) {
        connection.lock.lock();
        try {
            connection.out.append(frames, frames.length);
        } finally {
            connection.lock.unlock();
        }
    }

    /** Under turn. */
    private void appendAcks() {
        if (acks.length() > 0) {
            connection.lock.lock();
            try {
                connection.out.append(acks.bytes(), acks.length());
            } finally {
                connection.lock.unlock();
            }
            acks.clear();
        }
    }

    @Override
    protected void endOfBatch() {
        if (turn.isHeldByCurrentThread()) {
            if (settings.ackMode() == AckMode.AUTO) {
                appendAcks();
            }
            turn.unlock();
            connection.owe();
        }
    }

    // ---- the consumer's own thread

    /** Takes no lock that the consumer's own thread holds while it waits for a commit. */
    private void enqueue(ConsumerThread<Item> taker, FrameReader in, boolean redelivered) {
        if (closing) {
            giveBack(in);
            return;
        }
        if (ack != StompSettings.Ack.AUTO) {
            arriving.add(in, false);
        }
        Item item = new Item(ConsumerThread.copyOf(in.envelope()), ConsumerThread.copy(in.body()), redelivered, arriving.take());
        long bytes = waiting.addAndGet(item.body().capacity());
        taker.hand(item);
        if (closing && taker.takeBack(item)) {
            giveBack(in);
        }
        while (bytes > MOST_WAITING && !closing && !gone) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            bytes = waiting.get();
        }
    }

    /** Under turn. */
    private void take(Item item) {
        waiting.addAndGet(-item.body().capacity());
        if (!closing && !gone) {
            deliver(item);
        } else if (mustGiveBack()) {
            append(AckFrames.negative(item.ack()));
            connection.help();
        }
    }

    /** Under turn. */
    private void deliver(Item item) {
        if (left) {
            leave(item);
            return;
        }
        ByteBuffer envelope = item.envelope();
        Settlement settlement = envelope == null ? listener.delivered(item.body(), item.redelivered())
            : listener.delivered(envelope, item.body(), item.redelivered());
        if (settlement == Settlement.LEAVE) {
            left = true;
            leave(item);
            return;
        }
        if (ack == StompSettings.Ack.AUTO) {
            return;
        }
        if (settles && settlement != Settlement.ACCEPT) {
            if (canSettle(settlement)) {
                // at once, and not in the transaction, which may wait for just this message to come again
                AckFrames refusal = new AckFrames(connection.version(), name);
                refusal.add(AckFrames.negative(item.ack()), ending(settlement));
                append(refusal.take());
            }
            return;
        }
        if (ack == StompSettings.Ack.CLIENT) {
            acks.clear();
        }
        if (settings.ackMode() == AckMode.TRANSACTED) {
            keepInTransaction(item);
            return;
        }
        acks.add(item.ack());
        if (settings.ackMode() == AckMode.AUTO) {
            appendAcks();
        } else {
            batch();
        }
    }

    /** Under turn. */
    private void leave(Item item) {
        if (mustGiveBack()) {
            leaving.add(AckFrames.negative(item.ack()));
        }
    }

    // ---- transactions

    private void keepInTransaction(Item item) {
        if (transaction.isEmpty()) {
            transaction = connection.newTransaction();
            transactionLine = ascii("transaction:" + transaction + "\n");
            acks.add(connection.frame("BEGIN").with("transaction", transaction).whole());
        }
        acks.add(item.ack(), transactionLine);
        if (++sinceBatch >= settings.batch()) {
            sinceBatch = 0;
            try {
                connection.await(commitRequest(), connection.commitLimitNanos());
            } catch (Exception e) {
                if (connection.isAlive()) {
                    listener.failed(e);
                }
            }
        }
    }

    private Request commitRequest() throws Exception {
        connection.lock.lock();
        try {
            connection.check();
            appendAcks();
            return connection.request(connection.frame("COMMIT").with("transaction", transaction),
                "The broker did not commit the acknowledgements on " + destination);
        } finally {
            transaction = "";
            transactionLine = new byte[0];
            connection.lock.unlock();
        }
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
        try {
            if (turn.tryLock(connection.closeLimitNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    acknowledgeTail();
                } finally {
                    turn.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!connection.isReader()) {
            tail &= !end();
        }
        connection.remove(this);
        gone = true;
        if (thread != null && !connection.isReader()) {
            thread.join(connection.closeLimitNanos());
        }
        if (tail && connection.isAlive()) {
            throw new DriverException("The broker did not say that it has the last acknowledgements on " + destination + "; it may"
                + " deliver those messages again.", null);
        }
    }

    /** Under turn. */
    private void acknowledgeTail() {
        tail = acks.length() > 0;
        if (transaction.isEmpty()) {
            appendAcks();
        } else {
            try {
                Request request = commitRequest();
                connection.awaitClosing(() -> request.done);
                Throwable refusal = request.refusal;
                if (refusal != null && connection.isAlive()) {
                    listener.failed(refusal);
                }
            } catch (Exception e) {
                // the connection is gone, and the broker delivers them again
            }
        }
        append(leaving.take());
        if (thread != null && mustGiveBack()) {
            Item item;
            while ((item = thread.poll()) != null) {
                append(AckFrames.negative(item.ack()));
            }
        }
    }

    /** Returns whether the broker has answered, and so has done all that it was told before. */
    private boolean end() {
        Frame frame = connection.frame("UNSUBSCRIBE").with("id", name);
        boolean told = connection.farewell(frame, "The broker did not end the subscription to " + destination);
        String subscription = settings.subscription();
        if (subscription != null && destination.isTopic() && endsWithItsConsumers() && told) {
            connection.removeUnused(destination, subscriptionName(subscription));
        }
        return told;
    }
}
