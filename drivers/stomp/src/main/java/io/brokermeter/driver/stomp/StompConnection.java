package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.brokermeter.driver.wire.WireConnection;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/** A STOMP connection: processes its frames and dispatches receipts to the waiting threads. */
final class StompConnection extends WireConnection implements Connection {

    private static final long LONGEST_COMMIT = TimeUnit.SECONDS.toNanos(30);
    private static final byte[] BEAT = {'\n'};
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);

    private final ConnectionSettings settings;
    final StompSettings stomp;
    private final StompFrames in;
    final StompVersion version;
    final Dialect dialect;
    final Receipts receipts = new Receipts(this);
    final NamedSubscriptions named;
    private final String product;
    private final long beatOutNanos;
    private final long beatInNanos;

    // state of the last message and receipt; used by the reader thread
    private @Nullable StompConsumer lastConsumer;
    private long messageNumber;

    // guarded by the lock
    private int producersMade;
    private int consumerNumber;
    private int transactionNumber;
    private @Nullable AwaitedReceipt farewell;

    // written under the lock
    private volatile @Nullable StompProducer[] producers = new StompProducer[4];
    private volatile StompConsumer[] consumers = new StompConsumer[0];

    private volatile @Nullable DriverException lastError;
    /** Whether a subscription has ended to which the broker may still deliver. */
    private volatile boolean unsubscribed;

    private StompConnection(
            ConnectionSettings settings, StompSettings stomp, ConnectionListener listener, StompHandshake greeting) {
        super("stomp", greeting.wire(), greeting.reader(), listener, settings.connectTimeout(), new AtomicBoolean());
        this.settings = settings;
        this.stomp = stomp;
        this.named = new NamedSubscriptions(this, settings, this::tellLost);
        this.in = greeting.reader();
        this.version = greeting.version();
        this.dialect = greeting.dialect();
        this.product = Dialect.product(greeting.serverName());
        this.beatOutNanos = TimeUnit.MILLISECONDS.toNanos(greeting.heartBeatOut());
        this.beatInNanos = TimeUnit.MILLISECONDS.toNanos(greeting.heartBeatIn());
    }

    /** Connects; bounded by the connect timeout of {@code settings}. */
    static StompConnection connect(ConnectionSettings settings, StompSettings stomp, ConnectionListener listener) throws DriverException {
        StompConnection connection = new StompConnection(settings, stomp, listener, StompHandshake.dial(settings, stomp));
        connection.start(connection.beatOutNanos, connection.beatInNanos);
        return connection;
    }

    // ---- frames

    @Override
    protected void frame() throws IOException {
        switch (in.command()) {
            case RECEIPT -> receipt();
            case MESSAGE -> message();
            case ERROR -> error();
            case CONNECTED -> {}
        }
    }

    private void receipt() {
        if (!in.has(StompFrames.Header.RECEIPT_ID)) {
            return;
        }
        int from = in.from(StompFrames.Header.RECEIPT_ID);
        int to = in.to(StompFrames.Header.RECEIPT_ID);
        StompProducer producer = producer(from, to);
        if (producer != null) {
            producer.receipt(messageNumber);
        } else {
            receipts.answer(in.bytes(), from, to, null);
        }
    }

    /**
     * Returns the producer whose message a receipt is for, or null if it is not for a message. Sets {@link #messageNumber} to the message's
     * number.
     */
    private @Nullable StompProducer producer(int from, int to) {
        byte[] bytes = in.bytes();
        int index = -1;
        long number = 0;
        for (int i = from; i < to; i++) {
            int digit = bytes[i] - '0';
            if (bytes[i] == '-' && index < 0) {
                index = (int) Math.min(number, Integer.MAX_VALUE);
                number = 0;
            } else if (digit < 0 || digit > 9) {
                return null;
            } else {
                number = number * 10 + digit;
            }
        }
        messageNumber = number;
        @Nullable StompProducer[] all = producers;
        return index >= 0 && index < all.length ? all[index] : null;
    }

    private void message() {
        StompConsumer consumer = lastConsumer;
        if (consumer == null || !in.is(StompFrames.Header.SUBSCRIPTION, consumer.id())) {
            consumer = find();
            lastConsumer = consumer;
        }
        if (consumer != null) {
            consumer.message(in, in.is(StompFrames.Header.REDELIVERED, TRUE));
        }
    }

    /**
     * Returns the consumer of the current message. A broker of version 1.0 may omit the subscription, which is unambiguous only if there is
     * a single consumer.
     */
    private @Nullable StompConsumer find() {
        StompConsumer[] all = consumers;
        for (StompConsumer consumer : all) {
            if (in.is(StompFrames.Header.SUBSCRIPTION, consumer.id())) {
                return consumer;
            }
        }
        return all.length == 1 && !in.has(StompFrames.Header.SUBSCRIPTION) ? all[0] : null;
    }

    /** Handles an error, which either names one of our frames, or ends the connection. */
    private void error() throws IOException {
        String text = BrokerError.text(in, version);
        if (unsubscribed && dialect.survives(text) && isNeeded()) {
            return;
        }
        lastError = BrokerError.of("The broker closed the connection after an error", text);
        if (in.has(StompFrames.Header.RECEIPT_ID)) {
            int from = in.from(StompFrames.Header.RECEIPT_ID);
            int to = in.to(StompFrames.Header.RECEIPT_ID);
            StompProducer producer = producer(from, to);
            if (producer != null) {
                producer.refused(messageNumber, text);
                return;
            }
            if (receipts.answer(in.bytes(), from, to, text)) {
                return;
            }
        }
        throw BrokerError.of("The broker reported an error", text);
    }

    /** Returns whether any producer, or any consumer whose subscription has not ended, is open on this connection. */
    private boolean isNeeded() {
        return Stream.of(producers).anyMatch(Objects::nonNull) || Stream.of(consumers).anyMatch(each -> !each.isUnsubscribed());
    }

    /**
     * Handles a message that arrived after the end of its subscription. Only the end of the connection gives it back, which is immediate if
     * nothing else needs the connection.
     */
    void strand() {
        if (!isNeeded()) {
            fail(new DriverException("A message came behind the end of its subscription, and goes back with the connection.", null));
        }
    }

    // ---- lifecycle of the connection

    @Override
    protected long longestSilence() {
        // ActiveMQ checks once per interval and skips an interval in which it wrote, so up to two may pass without a heart-beat
        return 3 * beatInNanos;
    }

    @Override
    protected String silence() {
        return ", not even a heart-beat";
    }

    @Override
    protected boolean beatDue(long unwritten, long unread) {
        // early, since ActiveMQ ends the connection after one of its fixed intervals without a byte, and this process may stand still
        return beatOutNanos > 0 && unwritten > beatOutNanos / 4;
    }

    @Override
    protected void beat() {
        append(BEAT);
    }

    @Override
    protected Throwable reason(Throwable end) {
        DriverException error = lastError;
        return error != null && !(end instanceof DriverException) ? error : super.reason(end);
    }

    @Override
    protected void terminated(Throwable reason) {
        receipts.terminated(reason);
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        return Stream.<WireEndpoint>concat(Stream.of(producers).filter(Objects::nonNull), Stream.of(consumers)).toList();
    }

    @Override
    protected void goodbye() {
        farewell = receipts.request(frame("DISCONNECT"), "The broker did not take leave");
    }

    @Override
    protected boolean isReleased() {
        AwaitedReceipt request = farewell;
        return request == null || request.done;
    }

    @Override
    public void close() {
        closeAll();
        named.close();
    }

    // ---- requests

    /** Appends whole frames. Call under the lock. */
    void append(byte[] frames) {
        out.append(frames, frames.length);
    }

    long commitLimitNanos() {
        return Math.max(LONGEST_COMMIT, requestLimitNanos());
    }

    /**
     * Appends the end of a subscription.
     *
     * @param before whole frames that precede it
     * @param behind a frame that follows it immediately; null for none
     * @return the last request, whose answer comes last; empty if the connection is gone
     */
    Optional<AwaitedReceipt> unsubscribe(AckFrames before, Frame frame, @Nullable Frame behind, String failed) {
        return locked(() -> {
            if (!isAlive()) {
                return Optional.empty();
            }
            unsubscribed = true;
            before.appendTo(this);
            AwaitedReceipt last = receipts.request(frame, failed);
            return Optional.of(behind == null ? last : receipts.request(behind, failed));
        });
    }

    /** Requests the answer to a frame without effect, and waits for it while closing. Returns whether the broker has answered. */
    boolean isAnswering() {
        Optional<AwaitedReceipt> asked = locked(() -> {
            if (!isAlive()) {
                return Optional.empty();
            }
            String nothing = newTransaction();
            append(frame("BEGIN").with("transaction", nothing).whole());
            return Optional.of(receipts.request(frame("ABORT").with("transaction", nothing), "The broker did not answer"));
        });
        return asked.isPresent() && receipts.isDone(asked.get());
    }

    // ---- used by the endpoints

    /** Returns a transaction id that this connection has not used. */
    String newTransaction() {
        return locked(() -> "t" + transactionNumber++);
    }

    Frame frame(String command) {
        return new Frame(command, version);
    }

    /** Creates a frame with a destination. */
    Frame frame(String command, Destination destination, boolean subscribe) {
        Frame frame = frame(command)
            .with("destination", dialect.address(destination, stomp.prefix(destination.isTopic())));
        dialect.routing(destination, subscribe).forEach(frame::with);
        return frame;
    }

    // ---- SPI

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener) throws Exception {
        Limitations.check(wanted, dialect);
        sends();
        return orSay(() -> locked(() -> {
            check();
            @Nullable StompProducer[] all = producers;
            // never the index of a closed producer: a receipt for that may be on its way
            int index = producersMade++;
            StompProducer producer = new StompProducer(this, index, destination, wanted, sendListener);
            @Nullable StompProducer[] more = Arrays.copyOf(all, Math.max(all.length, index + 1 + all.length / 2));
            more[index] = producer;
            producers = more;
            return producer;
        }));
    }

    /** Runs {@code work}; a header that this version of the protocol cannot carry results in an exception with one sentence. */
    private static <T> T orSay(Callable<T> work) throws Exception {
        try {
            return work.call();
        } catch (IllegalArgumentException e) {
            throw new DriverException(Objects.requireNonNull(e.getMessage()), e);
        }
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener) throws Exception {
        Limitations.check(wanted, dialect);
        if (wanted.shared() && dialect.subscriptionsBelongToClient() && settings.clientId() == null) {
            return named.everybody().consumer(destination, wanted, deliveryListener);
        }
        StompConsumer consumer = locked(() -> {
            check();
            if (consumers.length > 0 && stomp.ack() == StompSettings.Ack.CLIENT && dialect.acknowledgesWholeConnection()) {
                throw new DriverException(dialect.title() + " takes a cumulative acknowledgement for all consumers of a connection; leave"
                    + " out the parameter ack=client, or give each consumer a connection of its own.", null);
            }
            StompConsumer made = new StompConsumer(this, "c" + consumerNumber++, destination, wanted, deliveryListener);
            StompConsumer[] more = Arrays.copyOf(consumers, consumers.length + 1);
            more[consumers.length] = made;
            consumers = more;
            return made;
        });
        try {
            return orSay(() -> {
                receipts.ask(consumer.subscribe(), "The broker refused a subscription to " + destination);
                return consumer;
            });
        } catch (Exception e) {
            consumer.ended(e);
            remove(consumer);
            throw e;
        }
    }

    void remove(StompConsumer consumer) {
        locked(() -> {
            consumers = Stream.of(consumers).filter(each -> each != consumer).toArray(StompConsumer[]::new);
        });
    }

    void remove(int index) {
        locked(() -> {
            @Nullable StompProducer[] left = producers.clone();
            left[index] = null;
            producers = left;
        });
    }

    /**
     * Sends a message in a transaction and aborts the transaction, which makes a broker create the destination if it is configured to, or
     * report that it does not.
     *
     * @return false: the protocol does not tell whether the destination existed before
     */
    @Override
    public boolean declare(Destination destination) throws Exception {
        String transaction = newTransaction();
        receipts.await(orSay(() -> locked(() -> {
            check();
            append(frame("BEGIN").with("transaction", transaction).whole());
            append(frame("SEND", destination, false).with("transaction", transaction).with("content-length", "0").whole());
            return receipts.request(frame("ABORT").with("transaction", transaction), "The broker did not accept " + destination);
        })), requestLimitNanos());
        return false;
    }

    /** Does nothing: STOMP cannot delete destinations. */
    @Override
    public void delete(Destination destination) throws Exception {}

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        named.unsubscribe(destination, subscription);
    }

    @Override
    public String client() {
        return "brokermeter STOMP " + version.number() + " path";
    }

    @Override
    public String broker() {
        return product;
    }
}
