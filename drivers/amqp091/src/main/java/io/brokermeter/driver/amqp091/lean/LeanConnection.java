package io.brokermeter.driver.amqp091.lean;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.driver.amqp091.model.ConnectRefusal;
import io.brokermeter.driver.amqp091.model.Options;
import io.brokermeter.driver.amqp091.model.Prefetch;
import io.brokermeter.driver.amqp091.model.Rejection;
import io.brokermeter.driver.amqp091.model.ReplyException;
import io.brokermeter.driver.amqp091.model.Topology;
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
import io.brokermeter.spi.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * A connection on a blocking socket, with one thread that reads. Each producer and each consumer has a channel of its own.
 *
 * <p>The reader takes no lock for messages and confirmations. It writes acknowledgements itself, once for all that a read
 * brought; on a connection that also sends, a helper writes for it, so that reading never waits for a full socket.
 */
public final class LeanConnection implements Connection {

    private static final int METHOD = 1;
    private static final int HEADER = 2;
    private static final int BODY = 3;
    private static final int HEARTBEAT = 8;
    private static final byte END = (byte) 0xce;
    private static final int LARGEST_METHOD = 8 * 1024;
    private static final long LONGEST_WRITE = TimeUnit.SECONDS.toNanos(60);
    private static final long LONGEST_BLOCKED = TimeUnit.MINUTES.toNanos(5);
    private static final long LONGEST_CLOSE = TimeUnit.SECONDS.toNanos(5);

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
    final Outgoing out;
    final Options options;

    private final ConnectionSettings settings;
    private final ConnectionListener listener;
    private final SocketChannel channel;
    private final Incoming incoming;
    private final Thread reader;
    private final LeanRequests requests = new LeanRequests(this);
    private final Topology topology;
    private final List<Channel> touched = new ArrayList<>();
    private boolean owes;

    private Map<String, Object> serverProperties = Map.of();
    private volatile Rejection rejection = Rejection.REJECT;
    private int frameMax;
    private int channelMax;
    private long heartbeatNanos;

    // written under the lock
    private volatile @Nullable Channel[] channels = new Channel[16];
    private boolean closing;
    private boolean peerClosed;
    private volatile boolean unresponsive;
    private volatile @Nullable Throwable dead;
    private volatile @Nullable Throwable failure;
    private volatile String blocked = "";
    private volatile boolean sends;

    /** When the reader began to wait, which it does after each batch; counts only while it reads. */
    private volatile long lastRead = System.nanoTime();
    private volatile boolean reading;
    private volatile @Nullable Thread helper;
    private @Nullable ScheduledFuture<?> ticks;

    private LeanConnection(
            SocketChannel channel, Options options, ConnectionSettings settings, ConnectionListener listener) {
        this.channel = channel;
        this.options = options;
        this.settings = settings;
        this.listener = listener;
        this.incoming = new Incoming(channel, options.frameMax());
        this.out = new Outgoing(channel, lock);
        this.topology = new Topology(options, requests, settings.clientId());
        this.reader = Thread.ofPlatform().daemon().name("brokermeter-amqp091-reader").unstarted(this::read);
    }

    private static ScheduledThreadPoolExecutor timer() {
        var timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brokermeter-amqp091-timer").factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(1, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /** Connects, logs in and opens the virtual host; bounded by the connect timeout of {@code settings}. */
    public static LeanConnection connect(Options options, ConnectionSettings settings, ConnectionListener listener)
            throws Exception {
        long deadline = System.nanoTime() + settings.connectTimeout().toNanos();
        SocketChannel channel = socket(options, deadline);
        ScheduledFuture<?> guard = TIMER.schedule(
            () -> close(channel), Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        try {
            LeanConnection connection = new LeanConnection(channel, options, settings, listener);
            connection.open();
            if (!guard.cancel(false)) {
                throw new TimeoutException();
            }
            connection.start();
            return connection;
        } catch (ClosedChannelException e) {
            throw new TimeoutException();
        } catch (Throwable e) {
            close(channel);
            throw e;
        } finally {
            guard.cancel(false);
        }
    }

    /** The first server that accepts a connection. */
    private static SocketChannel socket(Options options, long deadline) throws IOException {
        IOException first = null;
        for (ServerUrl.Server server : options.servers()) {
            try {
                return socket(server, deadline);
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        throw first != null ? first : new IOException("there is no server in the URL");
    }

    private static SocketChannel socket(ServerUrl.Server server, long deadline) throws IOException {
        IOException last = null;
        for (InetAddress address : InetAddress.getAllByName(server.host())) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                channel.socket().connect(
                    new InetSocketAddress(address, server.port()), (int) Math.clamp(left, 1, Integer.MAX_VALUE));
                return channel;
            } catch (IOException e) {
                close(channel);
                last = e;
            }
        }
        throw last != null ? last : new UnknownHostException(server.host());
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // closed all the same
        }
    }

    // ---- the beginning, in the connecting thread

    private void open() throws IOException {
        lock.lock();
        try {
            out.room(8).put("AMQP".getBytes(StandardCharsets.US_ASCII)).put((byte) 0).put((byte) 0).put((byte) 9)
                .put((byte) 1);
            out.appended();
        } finally {
            lock.unlock();
        }
        out.flush();

        ByteBuffer start = expect(Method.CONNECTION_START);
        start.getShort();
        serverProperties = Fields.table(start);
        rejection = Rejection.of(serverProperties);
        List<String> mechanisms = List.of(Fields.longText(start).split(" "));
        if (!mechanisms.contains("PLAIN")) {
            throw new DriverException("The broker at " + options.address() + " offers the login mechanisms "
                + String.join(", ", mechanisms) + ", but not PLAIN, the one that is known here.", null);
        }
        var password = settings.password();
        String secret = settings.user() == null ? "guest" : password == null ? "" : password.reveal();
        append(0, Method.CONNECTION_START_OK, to -> {
            Fields.table(to, clientProperties());
            Fields.shortText(to, "PLAIN");
            Fields.longText(to, "\0" + ConnectRefusal.user(settings) + "\0" + secret);
            Fields.shortText(to, "en_US");
        });

        ByteBuffer tune;
        try {
            tune = expect(Method.CONNECTION_TUNE);
        } catch (ReplyException e) {
            // some brokers say so with another code
            throw new ReplyException(ReplyException.ACCESS_REFUSED, String.valueOf(e.getMessage()));
        }
        channelMax = Math.min(limit(tune.getShort() & 0xffff, 65_535), options.channelMax());
        long frames = tune.getInt() & 0xffffffffL;
        frameMax = frames == 0 ? options.frameMax() : (int) Math.min(frames, options.frameMax());
        int theirs = tune.getShort() & 0xffff;
        int ours = options.heartbeatSeconds();
        int heartbeat = ours == 0 || theirs == 0 ? ours : Math.min(ours, theirs);
        heartbeatNanos = TimeUnit.SECONDS.toNanos(heartbeat);
        append(0, Method.CONNECTION_TUNE_OK,
            to -> to.putShort((short) channelMax).putInt(frameMax).putShort((short) heartbeat));
        append(0, Method.CONNECTION_OPEN, to -> {
            Fields.shortText(to, options.virtualHost());
            Fields.shortText(to, "");
            to.put((byte) 0);
        });
        expect(Method.CONNECTION_OPEN_OK);
    }

    private static int limit(int value, int none) {
        return value == 0 ? none : value;
    }

    private Map<String, Object> clientProperties() {
        Map<String, Object> capabilities = new LinkedHashMap<>();
        for (String capability : List.of("publisher_confirms", "basic.nack", "consumer_cancel_notify", "connection.blocked",
                "authentication_failure_close", "exchange_exchange_bindings")) {
            capabilities.put(capability, true);
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("product", "brokermeter");
        properties.put("connection_name", options.connectionName());
        properties.put("capabilities", capabilities);
        return properties;
    }

    private void append(int number, int code, java.util.function.Consumer<ByteBuffer> arguments) throws IOException {
        lock.lock();
        try {
            method(number, code, arguments);
        } finally {
            lock.unlock();
        }
        out.flush();
    }

    private ByteBuffer expect(int code) throws IOException {
        while (true) {
            while (!incoming.nextFrame()) {
                incoming.fill();
            }
            if (incoming.type() != METHOD) {
                continue;
            }
            ByteBuffer in = incoming.buffer();
            int got = in.getInt();
            if (got == code) {
                return in;
            }
            if (got == Method.CONNECTION_CLOSE) {
                int reply = in.getShort() & 0xffff;
                throw ReplyException.of("It says", reply, Fields.shortText(in));
            }
            throw new IOException("the broker answered with method " + (got >> 16) + "." + (got & 0xffff));
        }
    }

    private void start() {
        lastRead = System.nanoTime();
        reader.start();
        long period = heartbeatNanos > 0 ? heartbeatNanos / 4 : TimeUnit.SECONDS.toNanos(5);
        period = Math.clamp(period, TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(5));
        ticks = TIMER.scheduleWithFixedDelay(this::tick, period, period, TimeUnit.NANOSECONDS);
    }

    // ---- the reader

    private void read() {
        Throwable end;
        try {
            frames();
            while (true) {
                lastRead = System.nanoTime();
                reading = true;
                incoming.fill();
                reading = false;
                frames();
            }
        } catch (Throwable e) {
            end = e;
        }
        terminate(end);
    }

    private void frames() throws IOException {
        while (incoming.nextFrame()) {
            frame(incoming.buffer(), incoming.frameEnd());
        }
        for (int i = 0; i < touched.size(); i++) {
            Channel each = touched.get(i);
            each.untouch();
            each.endOfBatch();
        }
        touched.clear();
        if (owes) {
            owes = false;
            if (sends) {
                help();
            } else {
                out.flush();
            }
        }
    }

    /** The reader has appended something that must be written when its batch ends. Reader only. */
    void owe() {
        owes = true;
    }

    /** Asks for {@link Channel#endOfBatch()}. Reader only. */
    void touch(Channel each) {
        if (each.touch()) {
            touched.add(each);
        }
    }

    private void frame(ByteBuffer in, int end) throws IOException {
        int type = incoming.type();
        if (type == HEARTBEAT) {
            return;
        }
        int number = incoming.channel();
        if (type == BODY) {
            byNumber(number).body(incoming.view(in.position(), end));
        } else if (type == HEADER) {
            byNumber(number).header(in);
        } else if (type == METHOD) {
            int code = in.getInt();
            if (number == 0) {
                connectionMethod(code, in);
            } else if (code >>> 16 == 60 && isUnasked(code)) {
                byNumber(number).method(code, in, end);
            } else {
                channelMethod(number, code, in, end);
            }
        } else {
            throw new IOException("the broker sent a frame of the unknown type " + type);
        }
    }

    private static boolean isUnasked(int code) {
        return switch (code) {
            case Method.BASIC_DELIVER, Method.BASIC_ACK, Method.BASIC_NACK, Method.BASIC_RETURN, Method.BASIC_CANCEL,
                Method.BASIC_GET_OK, Method.BASIC_GET_EMPTY -> true;
            default -> false;
        };
    }

    private Channel byNumber(int number) throws IOException {
        @Nullable Channel[] all = channels;
        Channel found = number < all.length ? all[number] : null;
        if (found == null) {
            throw new IOException("the broker used channel " + number + ", which is not open");
        }
        return found;
    }

    private void connectionMethod(int code, ByteBuffer in) throws IOException {
        switch (code) {
            case Method.CONNECTION_CLOSE -> {
                int reply = in.getShort() & 0xffff;
                String text = Fields.shortText(in);
                lock.lock();
                try {
                    method(0, Method.CONNECTION_CLOSE_OK, to -> { });
                } finally {
                    lock.unlock();
                }
                throw ReplyException.of("The broker closed the connection", reply, text);
            }
            case Method.CONNECTION_CLOSE_OK -> {
                lock.lock();
                try {
                    peerClosed = true;
                    changed.signalAll();
                } finally {
                    lock.unlock();
                }
            }
            case Method.CONNECTION_BLOCKED -> {
                String reason = Fields.shortText(in);
                blocked = reason.isBlank() ? "no reason given" : reason;
                listener.notice("The broker blocks the connection and takes no messages: " + blocked + ".");
            }
            case Method.CONNECTION_UNBLOCKED -> {
                blocked = "";
                signal();
                listener.notice("The broker takes messages again.");
            }
            default -> throw new IOException("the broker sent method " + (code >> 16) + "." + (code & 0xffff)
                + " on the connection");
        }
    }

    private void channelMethod(int number, int code, ByteBuffer in, int end) throws IOException {
        Channel found = byNumber(number);
        Throwable reason = null;
        lock.lock();
        try {
            if (found.answered(code, in, end)) {
                if (found.closed) {
                    forget(found);
                }
            } else if (code == Method.CHANNEL_CLOSE) {
                int reply = in.getShort() & 0xffff;
                String text = Fields.shortText(in);
                method(number, Method.CHANNEL_CLOSE_OK, to -> { });
                owes = true;
                reason = ReplyException.of("The broker refuses " + found.describe(), reply, text);
                if (found.cause == null) {
                    found.cause = reason;
                }
                found.closed = true;
                forget(found);
            } else if (code == Method.CHANNEL_FLOW) {
                byte active = in.get();
                if (found instanceof LeanProducer producer) {
                    producer.flow(active != 0);
                }
                method(number, Method.CHANNEL_FLOW_OK, to -> to.put(active));
                owes = true;
            }
            // anything else answers a request whose caller gave up
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (reason != null) {
            found.endOfBatch();
            found.ended(reason);
        }
    }

    private void forget(Channel gone) {
        @Nullable Channel[] fewer = channels.clone();
        fewer[gone.number] = null;
        channels = fewer;
    }

    private void terminate(Throwable end) {
        Throwable known = failure;
        Throwable reason = known != null ? known : readable(end);
        List<Channel> open = new ArrayList<>();
        boolean tell;
        lock.lock();
        try {
            dead = reason;
            tell = !closing;
            for (Channel each : channels) {
                if (each != null && !each.closed) {
                    each.closed = true;
                    if (each.cause == null) {
                        each.cause = reason;
                    }
                    open.add(each);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (end instanceof ReplyException && tell) {
            help(); // the answer to the broker's close
            awaitMoment(() -> out.pending() == 0, TimeUnit.MILLISECONDS.toNanos(200));
        }
        shut();
        for (Channel each : open) {
            each.endOfBatch();
            each.ended(reason);
        }
        if (tell) {
            listener.lost(reason);
        }
    }

    private static Throwable readable(Throwable end) {
        if (end instanceof ClosedChannelException) {
            return new IOException("The connection was closed.", end);
        }
        if (end instanceof ReplyException || !(end instanceof IOException)) {
            return end;
        }
        return new IOException("The connection broke: " + end.getMessage() + ".", end);
    }

    private void shut() {
        close(channel);
        ScheduledFuture<?> timer = ticks;
        if (timer != null) {
            timer.cancel(false);
        }
        Thread thread = helper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    private static void awaitMoment(BooleanSupplier done, long nanos) {
        long deadline = System.nanoTime() + nanos;
        while (!done.getAsBoolean() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Gives the connection up; the reader notices and tells everyone. */
    private void fail(Throwable reason) {
        if (failure == null) {
            failure = reason;
        }
        close(channel);
    }

    // ---- the writers

    /** Wakes the thread that writes for those who must not wait for a full socket. */
    void help() {
        Thread thread = helper;
        if (thread == null) {
            lock.lock();
            try {
                thread = helper;
                if (thread == null) {
                    thread = Thread.ofPlatform().daemon().name("brokermeter-amqp091-writer").unstarted(this::helperLoop);
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
        while (channel.isOpen()) {
            try {
                out.flush();
            } catch (IOException e) {
                fail(new IOException("The connection broke: " + e.getMessage() + ".", e));
                return;
            }
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(60));
        }
    }

    /** Writes what was appended; a failure ends the connection. */
    void flush(boolean whole) throws IOException {
        try {
            if (whole) {
                out.flushWhole();
            } else {
                out.flush();
            }
        } catch (IOException e) {
            Throwable known = failure != null ? failure : dead;
            IOException broken = new IOException(
                known == null ? "The connection broke: " + e.getMessage() + "." : known.getMessage(), e);
            fail(broken);
            throw broken;
        }
    }

    /** Appends a method frame. Under the lock. */
    void method(int number, int code, java.util.function.Consumer<ByteBuffer> arguments) {
        ByteBuffer to = out.room(LARGEST_METHOD);
        int start = to.position();
        try {
            to.put((byte) METHOD).putShort((short) number).putInt(0).putInt(code);
            arguments.accept(to);
            to.put(END);
        } catch (RuntimeException e) {
            to.position(start);
            throw e instanceof java.nio.BufferOverflowException
                ? new IllegalArgumentException("The arguments of a request are longer than " + LARGEST_METHOD + " bytes.", e)
                : e;
        }
        to.putInt(start + 3, to.position() - start - Incoming.OVERHEAD);
        out.appended();
    }

    private void tick() {
        long now = System.nanoTime();
        long limit = 2 * heartbeatNanos;
        if (limit > 0 && reading && now - lastRead > limit) {
            fail(new IOException("The broker sent nothing for " + TimeUnit.NANOSECONDS.toSeconds(now - lastRead)
                + " s, not even a heartbeat."));
            return;
        }
        // a broker that is short of memory reads nothing, and says so
        long longest = !blocked.isEmpty() ? LONGEST_BLOCKED : limit > 0 ? limit : LONGEST_WRITE;
        if (writingFor() > longest) {
            fail(new IOException("The broker has read nothing from its socket for "
                + TimeUnit.NANOSECONDS.toSeconds(writingFor()) + " s."));
            return;
        }
        if (heartbeatNanos > 0 && now - out.lastWrite() > heartbeatNanos / 3 && out.writingSince() == 0) {
            lock.lock();
            try {
                if (out.pending() == 0) {
                    out.room(Incoming.OVERHEAD).put((byte) HEARTBEAT).putShort((short) 0).putInt(0).put(END);
                    out.appended();
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

    // ---- for the channels

    Rejection rejection() {
        return rejection;
    }

    int frameMax() {
        return frameMax;
    }

    /** Why the broker takes no messages, or empty. */
    String blocked() {
        return blocked;
    }

    boolean alive() {
        return dead == null;
    }

    /** @throws IOException when the connection is gone */
    void check() throws IOException {
        Throwable reason = dead;
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
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

    long requestLimitNanos() {
        return settings.connectTimeout().toNanos();
    }

    long closeLimitNanos() {
        return Math.min(LONGEST_CLOSE, settings.connectTimeout().toNanos());
    }

    /** How long a close may wait for the broker: only a moment once it was found mute. */
    long leftToCloseNanos() {
        return unresponsive ? TimeUnit.MILLISECONDS.toNanos(1) : closeLimitNanos();
    }

    /** Waits under the lock until the condition holds or the connection is gone. */
    void awaitReply(BooleanSupplier done, long limitNanos, String what) throws Exception {
        long left = limitNanos;
        while (!done.getAsBoolean() && dead == null) {
            if (left <= 0) {
                unresponsive = true;
                throw new TimeoutException("The broker did not answer within " + TimeUnit.NANOSECONDS.toMillis(limitNanos)
                    + " ms to a request for " + what + ".");
            }
            left = changed.awaitNanos(left);
        }
    }

    /** Waits for a condition while closing: not longer than a close may take, and only a moment once the broker is mute. */
    boolean await(BooleanSupplier done) {
        lock.lock();
        try {
            long left = leftToCloseNanos();
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

    private <C extends Channel> C register(java.util.function.IntFunction<C> making) throws IOException {
        lock.lock();
        try {
            check();
            @Nullable Channel[] all = channels;
            int free = 1;
            while (free < all.length && all[free] != null) {
                free++;
            }
            if (free > channelMax) {
                throw new DriverException("One connection to " + options.address() + " allows " + channelMax
                    + " producers, consumers and requests at a time; use more connections or raise channel-max.", null);
            }
            @Nullable Channel[] more = Arrays.copyOf(all, free == all.length ? all.length * 2 : all.length);
            C made = making.apply(free);
            more[free] = made;
            channels = more;
            return made;
        } finally {
            lock.unlock();
        }
    }

    RequestChannel openRequests() throws Exception {
        RequestChannel made = register(number -> new RequestChannel(this, number));
        made.open();
        return made;
    }

    // ---- spi

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener)
            throws Exception {
        topology.declare(destination);
        Topology.Route route = topology.route(destination);
        sends = true;
        LeanProducer made = register(
            number -> new LeanProducer(this, number, destination, route, wanted, sendListener));
        try {
            made.begin();
            return made;
        } catch (Exception e) {
            made.shut();
            throw e;
        }
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener)
            throws Exception {
        int prefetch = Prefetch.of(wanted);
        String queue = topology.source(destination, wanted);
        LeanConsumer made = register(
            number -> new LeanConsumer(this, number, destination, queue, wanted, prefetch, deliveryListener));
        try {
            made.begin(topology.consumerArguments(destination));
            return made;
        } catch (Exception e) {
            made.shut();
            throw e;
        }
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return topology.declare(destination);
    }

    @Override
    public void delete(Destination destination) throws Exception {
        topology.delete(destination);
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        return topology.depth(destination);
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        topology.unsubscribe(destination, subscription);
    }

    @Override
    public String client() {
        return "brokermeter AMQP 0.9.1 path";
    }

    @Override
    public String broker() {
        Object product = serverProperties.get("product");
        Object version = serverProperties.get("version");
        return product == null ? "" : version == null ? product.toString() : product + " " + version;
    }

    @Override
    public void close() {
        List<Channel> open = new ArrayList<>();
        for (Channel each : channels) {
            if (each != null) {
                open.add(each);
            }
        }
        for (Channel each : open) {
            try {
                if (each instanceof AutoCloseable closeable) {
                    closeable.close();
                }
            } catch (Exception e) {
                // the next ones must be closed as well
            }
        }
        lock.lock();
        try {
            if (closing) {
                return;
            }
            closing = true;
            if (dead == null) {
                method(0, Method.CONNECTION_CLOSE, to -> {
                    to.putShort((short) 200);
                    Fields.shortText(to, "");
                    to.putShort((short) 0).putShort((short) 0);
                });
            }
        } finally {
            lock.unlock();
        }
        if (dead == null) {
            help();
            await(() -> peerClosed);
        }
        shut();
        join(reader);
        Thread thread = helper;
        if (thread != null) {
            join(thread);
        }
    }

    private void join(Thread thread) {
        if (Thread.currentThread() != thread) {
            try {
                thread.join(TimeUnit.NANOSECONDS.toMillis(closeLimitNanos()) + 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
