package io.brokermeter.driver.stomp;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * A STOMP connection on a blocking socket. Those who send write themselves; one thread reads. It takes no lock for
 * receipts, and writes acknowledgements itself, once for all that a read brought; on a connection that also sends, a
 * helper writes for it, so that reading never waits for a full socket.
 */
final class StompConnection implements Connection {

    private static final long LONGEST_CLOSE = TimeUnit.SECONDS.toNanos(5);
    private static final long LONGEST_WRITE = TimeUnit.SECONDS.toNanos(30);
    private static final long LONGEST_COMMIT = TimeUnit.SECONDS.toNanos(30);
    private static final byte[] BEAT = {'\n'};
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    /** The client id of subscriptions that are shared by everybody who knows their name. */
    private static final String EVERYBODY = "brokermeter";

    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
    final Outgoing out;

    private final ConnectionSettings settings;
    private final StompSettings stomp;
    private final ConnectionListener listener;
    private final Transport transport;
    private final FrameReader in;
    private final Version version;
    private final Dialect dialect;
    private final String product;
    private final int heartBeatOut;
    private final int heartBeatIn;
    private final Thread reader;
    private final ScheduledFuture<?> ticks;

    // reader
    private final List<Endpoint> touched = new ArrayList<>();
    private boolean owes;
    private @Nullable StompConsumer lastConsumer;

    // under the lock
    private final List<Request> requests = new ArrayList<>();
    private long requestNumber;
    private int consumerNumber;
    private int transactionNumber;
    private boolean unresponsive;
    private volatile @Nullable Throwable dead;
    private @Nullable StompConnection everybody;

    // written under the lock
    private volatile @Nullable StompProducer[] producers = new StompProducer[4];
    private volatile StompConsumer[] consumers = new StompConsumer[0];

    private final AtomicBoolean toldLost = new AtomicBoolean();
    private volatile boolean sends;
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable DriverException lastError;
    /** When the reader began to wait, which it does after each batch; counts only while it reads. */
    private volatile long lastRead = System.nanoTime();
    private volatile boolean reading;
    private volatile @Nullable Thread helper;

    private StompConnection(
            ConnectionSettings settings, StompSettings stomp, ConnectionListener listener, Dialer.Dialed dialed) {
        this.settings = settings;
        this.stomp = stomp;
        this.listener = listener;
        this.transport = dialed.transport();
        this.in = dialed.reader();
        this.version = dialed.version();
        this.dialect = dialed.dialect();
        this.product = Dialect.product(dialed.serverName());
        this.heartBeatOut = dialed.heartBeatOut();
        this.heartBeatIn = dialed.heartBeatIn();
        this.out = new Outgoing(transport, lock);
        this.reader = Thread.ofPlatform().daemon().name("brokermeter-stomp-reader").unstarted(this::read);
        long period = TimeUnit.MILLISECONDS.toNanos(Math.min(positive(heartBeatOut), positive(heartBeatIn))) / 4;
        period = Math.clamp(period, TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(5));
        this.ticks = Timer.every(period, this::tick);
    }

    private static long positive(int millis) {
        return millis > 0 ? millis : 60_000;
    }

    /** Connects; bounded by the connect timeout of {@code settings}. */
    static StompConnection connect(ConnectionSettings settings, StompSettings stomp, ConnectionListener listener)
            throws DriverException {
        StompConnection connection = new StompConnection(settings, stomp, listener, Dialer.dial(settings, stomp));
        connection.reader.start();
        return connection;
    }

    // ---- the reader

    private void read() {
        Throwable end;
        try {
            while (true) {
                frames();
                lastRead = System.nanoTime();
                reading = true;
                in.fill(transport);
                reading = false;
            }
        } catch (Throwable e) {
            end = e;
        }
        terminate(end);
    }

    private void frames() throws IOException {
        try {
            while (in.next()) {
                frame();
            }
        } finally {
            for (int i = 0; i < touched.size(); i++) {
                touched.get(i).endOfRead();
            }
            touched.clear();
        }
        if (owes) {
            owes = false;
            if (sends) {
                help();
            } else {
                out.flush();
            }
        }
    }

    /** Asks for {@link Endpoint#endOfRead()}. Reader only; once per read. */
    void touch(Endpoint endpoint) {
        touched.add(endpoint);
    }

    /** The reader has appended something that must be written when it has processed what it read. Reader only. */
    void owe() {
        owes = true;
    }

    private void frame() throws IOException {
        switch (in.command()) {
            case RECEIPT -> receipt();
            case MESSAGE -> message();
            case ERROR -> error();
            case CONNECTED -> { }
        }
    }

    private void receipt() {
        if (!in.has(FrameReader.Header.RECEIPT_ID)) {
            return;
        }
        int from = in.from(FrameReader.Header.RECEIPT_ID);
        int to = in.to(FrameReader.Header.RECEIPT_ID);
        StompProducer producer = producer(from, to);
        if (producer != null) {
            producer.receipt(messageNumber(to));
        } else {
            answer(from, to, null);
        }
    }

    /** The producer whose message a receipt is for, or null when it is for something else. */
    private @Nullable StompProducer producer(int from, int to) {
        byte[] bytes = in.bytes();
        int dash = to - AsciiCounter.DIGITS - 1;
        if (dash <= from || bytes[dash] != '-') {
            return null;
        }
        int index = 0;
        for (int i = from; i < dash; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9 || index > 1_000_000) {
                return null;
            }
            index = index * 10 + digit;
        }
        @Nullable StompProducer[] all = producers;
        return index < all.length ? all[index] : null;
    }

    private long messageNumber(int to) {
        byte[] bytes = in.bytes();
        long number = 0;
        for (int i = to - AsciiCounter.DIGITS; i < to; i++) {
            number = number * 10 + (bytes[i] - '0');
        }
        return number;
    }

    /** Ends the request that a receipt or an error is for; false when there is none. */
    private boolean answer(int from, int to, @Nullable String error) {
        if (to - from < 2 || in.bytes()[from] != Request.MARK) {
            return false;
        }
        String receipt = new String(in.bytes(), from, to - from, StandardCharsets.US_ASCII);
        lock.lock();
        try {
            for (Request request : requests) {
                if (request.receipt().equals(receipt)) {
                    request.done = true;
                    if (error != null) {
                        request.refusal = BrokerError.of(request.failed, error);
                    }
                    requests.remove(request);
                    changed.signalAll();
                    return true;
                }
            }
        } finally {
            lock.unlock();
        }
        return false;
    }

    private void message() {
        StompConsumer consumer = lastConsumer;
        if (consumer == null || !in.is(FrameReader.Header.SUBSCRIPTION, consumer.id())) {
            consumer = find();
            lastConsumer = consumer;
        }
        if (consumer != null) {
            consumer.message(in, in.is(FrameReader.Header.REDELIVERED, TRUE));
        }
    }

    /** The consumer of the message at hand; a broker of version 1.0 may leave it to us to guess. */
    private @Nullable StompConsumer find() {
        StompConsumer[] all = consumers;
        for (StompConsumer consumer : all) {
            if (in.is(FrameReader.Header.SUBSCRIPTION, consumer.id())) {
                return consumer;
            }
        }
        return all.length == 1 && !in.has(FrameReader.Header.SUBSCRIPTION) ? all[0] : null;
    }

    /** An error is either about one frame of ours, and named after it, or the end of the connection. */
    private void error() throws IOException {
        String text = BrokerError.text(in, version);
        lastError = BrokerError.of("The broker closed the connection after an error", text);
        if (in.has(FrameReader.Header.RECEIPT_ID)) {
            int from = in.from(FrameReader.Header.RECEIPT_ID);
            int to = in.to(FrameReader.Header.RECEIPT_ID);
            StompProducer producer = producer(from, to);
            if (producer != null) {
                producer.refused(messageNumber(to), text);
                return;
            }
            if (answer(from, to, text)) {
                return;
            }
        }
        throw BrokerError.of("The broker reported an error", text);
    }

    // ---- the end

    private void terminate(Throwable end) {
        Throwable reason = reason(end);
        List<Endpoint> open = new ArrayList<>();
        boolean tell;
        lock.lock();
        try {
            dead = reason;
            tell = !closing;
            for (Request request : requests) {
                request.done = true;
                // Some brokers answer a frame that they refuse with an error that does not name it.
                request.refusal = reason instanceof DriverException ? reason
                    : new DriverException(request.failed + " because the connection was lost (" + text(reason) + ").", reason);
            }
            requests.clear();
            for (StompProducer producer : producers) {
                if (producer != null) {
                    open.add(producer);
                }
            }
            open.addAll(Arrays.asList(consumers));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        shut();
        for (Endpoint endpoint : open) {
            endpoint.ended(reason);
        }
        if (tell) {
            tellLost(reason);
        }
    }

    private Throwable reason(Throwable end) {
        if (end instanceof DriverException) {
            return end;
        }
        DriverException error = lastError;
        if (error != null) {
            return error;
        }
        Throwable known = failure;
        if (known != null) {
            return known;
        }
        return end instanceof EOFException ? new IOException("The broker closed the connection.", end)
            : end instanceof IOException ? end : new IOException("The connection was given up: " + text(end), end);
    }

    private static String text(Throwable failure) {
        String message = failure.getMessage();
        String text = message == null ? failure.getClass().getSimpleName() : message.strip();
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    private void tellLost(Throwable reason) {
        if (toldLost.compareAndSet(false, true)) {
            listener.lost(reason);
        }
    }

    private void shut() {
        transport.close();
        ticks.cancel(false);
        Thread thread = helper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    /** Gives the connection up; the reader notices and tells everyone. */
    void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        transport.close();
    }

    // ---- time

    private void tick() {
        long now = System.nanoTime();
        // The protocol asks for some tolerance: ActiveMQ looks once in an interval and skips one in which it wrote, so that up to
        // two pass without a word.
        long limit = TimeUnit.MILLISECONDS.toNanos(heartBeatIn) * 3;
        if (limit > 0 && reading && now - lastRead > limit) {
            fail(new DriverException("The broker sent nothing for " + TimeUnit.NANOSECONDS.toMillis(now - lastRead)
                + " ms, not even a heart-beat.", null));
            return;
        }
        if (writingFor() > LONGEST_WRITE) {
            fail(new DriverException("The broker has read nothing from its socket for "
                + TimeUnit.NANOSECONDS.toMillis(writingFor()) + " ms.", null));
            return;
        }
        if (heartBeatOut > 0 && out.writingSince() == 0
            && now - out.lastWrite() > TimeUnit.MILLISECONDS.toNanos(heartBeatOut) / 2) {
            lock.lock();
            try {
                if (out.pending() == 0) {
                    append(BEAT);
                }
            } finally {
                lock.unlock();
            }
            help();
        }
    }

    /** Nanoseconds since the write began that is under way; 0 when there is none. */
    long writingFor() {
        long since = out.writingSince();
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    // ---- writing

    /** Appends whole frames. Under the lock. */
    void append(byte[] frames) {
        append(frames, frames.length);
    }

    /** Appends the first bytes, which are whole frames. Under the lock. */
    void append(byte[] frames, int length) {
        out.room(length).put(frames, 0, length);
        out.appended();
    }

    /** Writes what was appended, or leaves it to the thread that is writing; a failure ends the connection. */
    void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            fail(e);
        }
    }

    /** Returns true when all that was appended is written; a failure ends the connection. */
    boolean drain() {
        try {
            out.drain();
            return true;
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    /** Wakes the thread that writes for those who must not wait for a full socket. */
    void help() {
        Thread thread = helper;
        if (thread == null) {
            lock.lock();
            try {
                thread = helper;
                if (thread == null) {
                    thread = Thread.ofPlatform().daemon().name("brokermeter-stomp-writer").unstarted(this::helperLoop);
                    helper = thread;
                    thread.start();
                }
            } finally {
                lock.unlock();
            }
        }
        LockSupport.unpark(thread);
    }

    private void helperLoop() {
        while (!ticks.isCancelled()) {
            flush();
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(60));
        }
    }

    // ---- requests

    /** A new request; the frame that carries its receipt must be appended next. Under the lock. */
    Request request(String failed) {
        Request request = new Request(requestNumber++, failed);
        requests.add(request);
        return request;
    }

    /** Waits for the receipt. */
    void await(Request request, long nanos) throws Exception {
        help();
        lock.lock();
        try {
            long left = nanos;
            while (!request.done) {
                if (dead != null) {
                    throw lost();
                }
                if (left <= 0) {
                    requests.remove(request);
                    throw new DriverException(request.failed + " within " + TimeUnit.NANOSECONDS.toMillis(nanos)
                        + " ms.", null);
                }
                left = changed.awaitNanos(left);
            }
            if (request.refusal instanceof Exception refusal) {
                throw refusal;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Appends a frame with a receipt and waits for that, as long as the connect timeout. */
    private void ask(Frame frame, String failed) throws Exception {
        Request request;
        lock.lock();
        try {
            checkAlive();
            request = request(failed);
            append(frame.with("receipt", request.receipt()).whole());
        } finally {
            lock.unlock();
        }
        await(request, settings.connectTimeout().toNanos());
    }

    /** Under the lock. */
    void checkAlive() throws IOException {
        if (dead != null) {
            throw lost();
        }
        Throwable known = failure;
        if (known != null) {
            throw new IOException(known.getMessage(), known);
        }
        if (closing) {
            throw new IOException("The connection is closed.");
        }
    }

    private IOException lost() {
        Throwable reason = Objects.requireNonNull(dead);
        return reason instanceof DriverException known
            ? new DriverException(Objects.requireNonNull(known.getMessage()), known)
            : new IOException(reason.getMessage(), reason);
    }

    boolean isDead() {
        return dead != null;
    }

    long closeLimitNanos() {
        return Math.min(LONGEST_CLOSE, settings.connectTimeout().toNanos());
    }

    long commitLimitNanos() {
        return Math.max(LONGEST_COMMIT, settings.connectTimeout().toNanos());
    }

    /** Waits for a condition while closing: not longer than a close may take, and only a moment once the broker is mute. */
    boolean awaitClosing(BooleanSupplier done) {
        help();
        lock.lock();
        try {
            long left = unresponsive ? TimeUnit.MILLISECONDS.toNanos(1) : closeLimitNanos();
            while (!done.getAsBoolean()) {
                if (dead != null) {
                    return false;
                }
                if (left <= 0 || Thread.currentThread() == reader) {
                    unresponsive |= left <= 0;
                    return false;
                }
                // what is written is not signalled
                long slice = Math.min(left, TimeUnit.MILLISECONDS.toNanos(5));
                left -= slice - changed.awaitNanos(slice);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Sends a frame with a receipt while closing. Returns whether the broker has done it, and what it was told before. */
    boolean farewell(Frame frame, String failed) {
        Request request;
        lock.lock();
        try {
            if (dead != null) {
                return false;
            }
            request = request(failed);
            append(frame.with("receipt", request.receipt()).whole());
        } finally {
            lock.unlock();
        }
        awaitClosing(() -> request.done);
        lock.lock();
        try {
            requests.remove(request);
            return request.done && request.refusal == null;
        } finally {
            lock.unlock();
        }
    }

    void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isReader() {
        return Thread.currentThread() == reader;
    }

    // ---- for the endpoints

    Version version() {
        return version;
    }

    Dialect dialect() {
        return dialect;
    }

    StompSettings stomp() {
        return stomp;
    }

    /** A name for a transaction that this connection has not used. */
    String newTransaction() {
        lock.lock();
        try {
            return "t" + transactionNumber++;
        } finally {
            lock.unlock();
        }
    }

    Frame frame(String command) {
        return new Frame(command, version);
    }

    /** A frame with a destination. */
    Frame frame(String command, Destination destination, boolean subscribe) {
        Frame frame = frame(command)
            .with("destination", dialect.address(destination, stomp.prefix(destination.isTopic())));
        for (Dialect.Header header : dialect.routing(destination, subscribe)) {
            frame.with(header.name(), header.value());
        }
        return frame;
    }

    // ---- spi

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener)
            throws Exception {
        if (wanted.variants().stream().anyMatch(variant -> variant.group() != null) && !dialect.hasGroups()) {
            throw new DriverException(dialect.title() + " has no message groups over STOMP; leave out --group.", null);
        }
        if (wanted.variants().stream().anyMatch(variant -> variant.priority() >= 0) && !dialect.hasPriorities()) {
            throw new DriverException(dialect.title() + " does not deliver by priority as it comes; leave out --priority, or "
                + "send the header priority to a queue that was made for it.", null);
        }
        if (wanted.delayMillis() > 0 && !dialect.hasDelays()) {
            throw new DriverException(dialect.title() + " does not keep back messages of STOMP as it comes; leave out "
                + "--delivery-delay.", null);
        }
        StompProducer producer;
        lock.lock();
        try {
            checkAlive();
            @Nullable StompProducer[] all = producers;
            int index = 0;
            while (index < all.length && all[index] != null) {
                index++;
            }
            producer = new StompProducer(this, index, destination, wanted, sendListener);
            @Nullable StompProducer[] more = Arrays.copyOf(all, Math.max(all.length, index + 1 + all.length / 2));
            more[index] = producer;
            producers = more;
        } catch (IllegalArgumentException e) {
            throw new DriverException(Objects.requireNonNull(e.getMessage()), e);
        } finally {
            lock.unlock();
        }
        sends = true;
        return producer;
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener)
            throws Exception {
        if (wanted.selector() != null && !dialect.hasSelectors()) {
            throw new DriverException(dialect.title() + " has no selectors; leave out --selector.", null);
        }
        if (wanted.shared() && !dialect.hasSharedSubscriptions()) {
            throw new DriverException(dialect.title() + " has no shared subscriptions over STOMP; leave out --shared.", null);
        }
        if (wanted.prefetch() > 1 && dialect == Dialect.ARTEMIS) {
            throw new DriverException("Artemis limits what it sends ahead over STOMP in bytes; give the parameter "
                + "consumer-window-size instead of --prefetch " + wanted.prefetch() + ".", null);
        }
        if (wanted.shared() && dialect.subscriptionsBelongToClient() && settings.clientId() == null) {
            return everybody().consumer(destination, wanted, deliveryListener);
        }
        StompConsumer consumer;
        lock.lock();
        try {
            checkAlive();
            consumer = new StompConsumer(this, "c" + consumerNumber++, destination, wanted, deliveryListener);
            StompConsumer[] more = Arrays.copyOf(consumers, consumers.length + 1);
            more[consumers.length] = consumer;
            consumers = more;
        } finally {
            lock.unlock();
        }
        try {
            ask(consumer.subscribe(), "The broker refused a subscription to " + destination);
        } catch (IllegalArgumentException e) {
            remove(consumer);
            throw new DriverException(Objects.requireNonNull(e.getMessage()), e);
        } catch (Exception e) {
            consumer.ended(e);
            remove(consumer);
            throw e;
        }
        return consumer;
    }

    /** Adds to a frame what makes it about a named subscription. */
    void name(Frame frame, String subscription, boolean durable) {
        String client = settings.clientId();
        for (Dialect.Header header : dialect.subscription(subscription, client, durable)) {
            frame.with(header.name(), header.value());
        }
    }

    /**
     * Removes a subscription if nobody else uses it. A refusal costs the connection that asked, so this makes one.
     */
    void removeUnused(Destination destination, String subscription) {
        try {
            StompConnection made = connect(settings, stomp, new ConnectionListener() {

                @Override
                public void lost(Throwable cause) {}

                @Override
                public void interrupted(String cause) {}

                @Override
                public void resumed() {}
            });
            try {
                made.unsubscribe(destination, subscription);
            } finally {
                made.close();
            }
        } catch (Exception e) {
            // others use it, or the broker is gone: it is not ours to remove
        }
    }

    void remove(StompConsumer consumer) {
        lock.lock();
        try {
            List<StompConsumer> left = new ArrayList<>(Arrays.asList(consumers));
            left.remove(consumer);
            consumers = left.toArray(StompConsumer[]::new);
        } finally {
            lock.unlock();
        }
    }

    void remove(int index) {
        lock.lock();
        try {
            @Nullable StompProducer[] left = producers.clone();
            left[index] = null;
            producers = left;
        } finally {
            lock.unlock();
        }
    }

    /** The connection for subscriptions that belong to nobody in particular. */
    private StompConnection everybody() throws DriverException {
        lock.lock();
        try {
            StompConnection made = everybody;
            if (made != null) {
                return made;
            }
        } finally {
            lock.unlock();
        }
        StompConnection made = connect(settings.withClientId(EVERYBODY), stomp, new ConnectionListener() {

            @Override
            public void lost(Throwable cause) {
                tellLost(cause);
            }

            @Override
            public void interrupted(String cause) {
                listener.interrupted(cause);
            }

            @Override
            public void resumed() {
                listener.resumed();
            }
        });
        lock.lock();
        try {
            everybody = made;
        } finally {
            lock.unlock();
        }
        return made;
    }

    /**
     * Sends a message in a transaction and aborts that, which makes a broker create the destination where it may, or say
     * that it will not.
     *
     * @return false: the protocol does not say whether the destination was there before
     */
    @Override
    public boolean declare(Destination destination) throws Exception {
        String transaction = newTransaction();
        Request request;
        lock.lock();
        try {
            checkAlive();
            append(frame("BEGIN").with("transaction", transaction).whole());
            append(frame("SEND", destination, false).with("transaction", transaction).with("content-length", "0").whole());
            request = request("The broker did not accept " + destination);
            append(frame("ABORT").with("transaction", transaction).with("receipt", request.receipt()).whole());
        } catch (IllegalArgumentException e) {
            throw new DriverException(Objects.requireNonNull(e.getMessage()), e);
        } finally {
            lock.unlock();
        }
        await(request, settings.connectTimeout().toNanos());
        return false;
    }

    /** Does nothing: the protocol has no way to delete. */
    @Override
    public void delete(Destination destination) throws Exception {}

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        if (dialect.subscriptionsBelongToClient() && settings.clientId() == null && dialect.hasSharedSubscriptions()) {
            everybody().unsubscribe(destination, subscription);
            return;
        }
        String failed = "The broker did not remove the subscription " + subscription;
        Frame frame = frame("UNSUBSCRIBE");
        if (dialect.subscriptionsBelongToClient()) {
            frame.with("id", "u");
            frame.with("destination", dialect.address(destination, stomp.prefix(destination.isTopic())));
            name(frame, subscription, true);
            ask(frame, failed);
            return;
        }
        // A subscription must be in use on this connection for its queue to be deleted; it holds a message for a moment.
        Frame subscribe = frame("SUBSCRIBE", destination, true).with("id", "u").with("ack", "client")
            .with("prefetch-count", "1");
        name(subscribe, subscription, true);
        ask(subscribe, failed);
        frame.with("id", "u");
        name(frame, subscription, true);
        ask(frame, failed);
    }

    @Override
    public String client() {
        return "brokermeter STOMP " + version.number() + " path";
    }

    @Override
    public String broker() {
        return product;
    }

    @Override
    public void close() {
        for (StompProducer producer : producers) {
            if (producer != null) {
                producer.close();
            }
        }
        for (StompConsumer consumer : consumers) {
            try {
                consumer.close();
            } catch (DriverException e) {
                // the next ones must be closed as well
            }
        }
        boolean wasClosing;
        lock.lock();
        try {
            wasClosing = closing;
            closing = true;
        } finally {
            lock.unlock();
        }
        if (wasClosing) {
            return;
        }
        farewell(frame("DISCONNECT"), "The broker did not take leave");
        shut();
        if (!isReader()) {
            try {
                reader.join(TimeUnit.NANOSECONDS.toMillis(closeLimitNanos()) + 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        StompConnection made = everybody;
        if (made != null) {
            made.close();
        }
    }
}
