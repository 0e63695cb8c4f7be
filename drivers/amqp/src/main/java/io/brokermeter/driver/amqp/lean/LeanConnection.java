package io.brokermeter.driver.amqp.lean;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.AckMode;
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
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/**
 * An AMQP connection on a blocking socket, with one thread that reads. What the plain case does not cover goes to a second
 * connection, over qpid-jms, that is made when it is first needed.
 *
 * <p>The reader takes no lock for messages and confirmations. It writes acceptances and credit itself, once for all that a
 * read brought; on a connection that also sends, a helper writes for it, so that reading never waits for a full socket.
 */
final class LeanConnection implements Connection {

    /** A session window so large that it is never the limit; link credit is. */
    static final UnsignedInteger WINDOW = UnsignedInteger.valueOf(Integer.MAX_VALUE);

    /** The capability of connections and links whose messages may say when they are to be delivered. */
    static final Symbol DELAYED_DELIVERY = Symbol.valueOf("DELAYED_DELIVERY");

    private static final long LONGEST_CLOSE = TimeUnit.SECONDS.toNanos(5);
    private static final int SMALLEST_MAX_FRAME = 512;
    private static final int LARGEST_SENT_FRAME = 64 * 1024;
    private static final int EMPTY_FRAME = 8;
    /** With more credit than this, unread acceptances might fill a socket. */
    private static final int INLINE_CREDIT = 4096;

    private static final int OPEN = 0x10;
    private static final int BEGIN = 0x11;
    private static final int ATTACH = 0x12;
    private static final int FLOW = 0x13;
    private static final int TRANSFER = 0x14;
    private static final int DISPOSITION = 0x15;
    private static final int DETACH = 0x16;
    private static final int END = 0x17;
    private static final int CLOSE = 0x18;
    private static final int ACCEPTED = 0x24;

    /** What qpid-jms is needed for. */
    private static final String BESIDE = "transactions, durable or shared subscriptions, or delays that a broker may ignore";

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private static final SendListener IGNORED = new SendListener() {

        @Override
        public void confirmed(long token) {}

        @Override
        public void confirmedUpTo(long token) {}

        @Override
        public void failed(long token, Throwable cause) {}

        @Override
        public void unknown(long token, Throwable cause) {}
    };

    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
    final Outgoing out;

    private final String container = "brokermeter-" + UUID.randomUUID();
    private final ConnectionSettings settings;
    private final LeanUrl url;
    private final ConnectionListener listener;
    private final JmsConnector jms;
    private final SocketChannel channel;
    private final Incoming incoming;
    private final Performatives decoder = new Performatives();
    private final Thread reader;
    private final List<Link> touched = new ArrayList<>();
    private boolean owes;
    private @Nullable Link[] byPeerChannel = new Link[4];

    // under the lock
    private final Performatives encoder = new Performatives();
    private ByteBuffer scratch = ByteBuffer.allocate(1024);
    private final List<@Nullable Link> links = new ArrayList<>();
    private @Nullable Open peer;
    private boolean established;
    private boolean peerClosed;
    private boolean unresponsive;
    private @Nullable Throwable dead;
    private volatile @Nullable Connection other;
    private volatile boolean direct;

    private final AtomicBoolean toldLost = new AtomicBoolean();
    private volatile int maxFrame = SMALLEST_MAX_FRAME;
    private volatile boolean sends;
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;
    /** When the reader began to wait, which it does after each batch; counts only while it reads. */
    private volatile long lastRead = System.nanoTime();
    private volatile boolean reading;
    private volatile @Nullable Thread helper;
    private long peerIdleNanos;
    private @Nullable ScheduledFuture<?> ticks;

    private LeanConnection(
            SocketChannel channel, Incoming incoming, ConnectionSettings settings, LeanUrl url,
            ConnectionListener listener, JmsConnector jms) {
        this.channel = channel;
        this.incoming = incoming;
        this.settings = settings;
        this.url = url;
        this.listener = listener;
        this.jms = jms;
        this.out = new Outgoing(channel, lock);
        this.reader = Thread.ofPlatform().daemon().name("brokermeter-amqp-reader").unstarted(this::read);
    }

    private static ScheduledThreadPoolExecutor timer() {
        var timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brokermeter-amqp-timer").factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(1, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /** Connects, authenticates and opens; bounded by the connect timeout of {@code settings}. */
    static LeanConnection connect(
            ConnectionSettings settings, LeanUrl url, ConnectionListener listener, JmsConnector jms) throws Exception {
        long deadline = System.nanoTime() + settings.connectTimeout().toNanos();
        SocketChannel channel = socket(url, deadline);
        ScheduledFuture<?> guard = TIMER.schedule(
            () -> close(channel), Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        try {
            Incoming incoming = new Incoming(channel);
            Sasl.exchange(channel, incoming, settings, url.host());
            LeanConnection connection = new LeanConnection(channel, incoming, settings, url, listener, jms);
            connection.open(deadline);
            if (!guard.cancel(false)) {
                throw new ClosedChannelException();
            }
            return connection;
        } catch (ClosedChannelException e) {
            throw timeout(settings, url);
        } catch (Throwable e) {
            close(channel);
            throw e;
        } finally {
            guard.cancel(false);
        }
    }

    private static TimeoutException timeout(ConnectionSettings settings, LeanUrl url) {
        return new TimeoutException("The broker at " + url.host() + ":" + url.port()
            + " did not complete the connection within " + settings.connectTimeout().toMillis() + " ms.");
    }

    private static SocketChannel socket(LeanUrl url, long deadline) throws IOException {
        IOException last = null;
        for (InetAddress address : InetAddress.getAllByName(url.host())) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                channel.socket().connect(
                    new InetSocketAddress(address, url.port()), (int) Math.clamp(left, 1, Integer.MAX_VALUE));
                return channel;
            } catch (IOException e) {
                close(channel);
                last = e;
            }
        }
        throw last != null ? last : new UnknownHostException(url.host());
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // closed all the same
        }
    }

    private void open(long deadline) throws Exception {
        Open open = new Open();
        open.setContainerId(container);
        open.setHostname(url.host());
        open.setMaxFrameSize(UnsignedInteger.valueOf(Incoming.MAX_FRAME));
        open.setChannelMax(UnsignedShort.MAX_VALUE);
        if (!url.idleTimeout().isZero()) {
            // a peer is told half of what we tolerate
            open.setIdleTimeOut(UnsignedInteger.valueOf(Math.max(1, url.idleTimeout().toMillis() / 2)));
        }
        open.setProperties(Map.of(Symbol.valueOf("product"), "brokermeter"));
        lock.lock();
        try {
            append(0, open);
        } finally {
            lock.unlock();
        }
        reader.start();
        out.flush();
        lock.lock();
        try {
            while (peer == null && dead == null) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || changed.awaitNanos(left) <= 0) {
                    throw timeout(settings, url);
                }
            }
            Symbol failed = Symbol.valueOf("amqp:connection-establishment-failed");
            while (dead == null && peer != null && peer.getProperties() != null
                && Boolean.TRUE.equals(peer.getProperties().get(failed))) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || changed.awaitNanos(left) <= 0) {
                    throw timeout(settings, url);
                }
            }
            if (dead != null) {
                throw new IOException(dead.getMessage(), dead);
            }
            established = true;
        } finally {
            lock.unlock();
        }
        long period = Math.min(positive(peerIdleNanos), positive(url.idleTimeout().toNanos())) / 4;
        period = Math.clamp(period, TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(5));
        ticks = TIMER.scheduleWithFixedDelay(this::tick, period, period, TimeUnit.NANOSECONDS);
    }

    private static long positive(long nanos) {
        return nanos > 0 ? nanos : Long.MAX_VALUE;
    }

    // ---- the reader

    private void read() {
        Throwable end;
        try {
            // what came behind the answer to the protocol header may be here already
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
            Link link = touched.get(i);
            link.touched = false;
            link.endOfBatch();
        }
        touched.clear();
        if (owes) {
            owes = false;
            flushFromReader();
        }
    }

    /** The reader has appended something that must be written when its batch ends. Reader only. */
    void owe() {
        owes = true;
    }

    /** Asks for {@link Link#endOfBatch()}. Reader only. */
    void touch(Link link) {
        if (!link.touched) {
            link.touched = true;
            touched.add(link);
        }
    }

    private void flushFromReader() throws IOException {
        if (!sends) {
            out.flush();
        } else {
            help();
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
                    thread = Thread.ofPlatform().daemon().name("brokermeter-amqp-writer").unstarted(this::helperLoop);
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
                fail(e);
                return;
            }
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(60));
        }
    }

    private void frame(ByteBuffer in, int end) throws IOException {
        if (in.position() == end || incoming.type() != 0) {
            return; // an empty frame says that the peer is alive
        }
        int start = in.position();
        in.get();
        int code = Encoded.descriptor(in);
        if (code == TRANSFER) {
            transfer(in, end);
        } else if (code == DISPOSITION) {
            disposition(in, end);
        } else {
            Object performative = decoder.decode(incoming.view(start, end).slice());
            lock.lock();
            try {
                control(code, performative);
            } finally {
                lock.unlock();
            }
        }
    }

    private void transfer(ByteBuffer in, int end) throws IOException {
        Link link = byPeer();
        int payload = Encoded.listEnd(in);
        int fields = Encoded.list(in);
        int id = 0;
        boolean settled = false;
        boolean more = false;
        boolean aborted = false;
        if (fields > 0) {
            Encoded.skip(in);
        }
        if (fields > 1) {
            id = Encoded.uint(in, 0);
        }
        if (fields > 2) {
            Encoded.skip(in);
        }
        if (fields > 3) {
            Encoded.skip(in);
        }
        if (fields > 4) {
            settled = Encoded.bool(in);
        }
        if (fields > 5) {
            more = Encoded.bool(in);
        }
        if (fields > 9) {
            for (int i = 6; i < 9; i++) {
                Encoded.skip(in);
            }
            aborted = Encoded.bool(in);
        }
        if (payload > end) {
            throw new IOException("the broker sent a transfer that is longer than its frame");
        }
        link.transfer(id, settled, more, aborted, payload, end);
    }

    private void disposition(ByteBuffer in, int end) throws IOException {
        Link link = byPeer();
        int start = in.position();
        int fields = Encoded.list(in);
        boolean fromReceiver = fields > 0 && Encoded.bool(in);
        if (!fromReceiver) {
            return; // a sender that settles by itself changes nothing for us
        }
        int first = Encoded.uint(in, 0);
        int last = fields > 2 ? Encoded.uint(in, first) : first;
        boolean settled = fields > 3 && Encoded.bool(in);
        int outcome = 0;
        if (fields > 4 && in.get() == 0) {
            outcome = Encoded.descriptor(in);
        }
        Throwable refusal = null;
        if (outcome != ACCEPTED) {
            // rare: let the codec read it again from the start, descriptor included
            Disposition whole = (Disposition) decoder.decode(described(start, end));
            if (!settled && (whole.getState() == null || !isTerminal(whole))) {
                return;
            }
            refusal = refusal(whole, link);
        }
        link.disposition(first, last, refusal);
        if (!settled) {
            Disposition answer = new Disposition();
            answer.setRole(Role.SENDER);
            answer.setFirst(UnsignedInteger.valueOf(first));
            answer.setLast(UnsignedInteger.valueOf(last));
            answer.setSettled(true);
            lock.lock();
            try {
                append(link.channel, answer);
            } finally {
                lock.unlock();
            }
        }
    }

    private ByteBuffer described(int start, int end) {
        ByteBuffer list = incoming.view(start, end);
        return ByteBuffer.allocate(3 + list.remaining()).put((byte) 0).put((byte) 0x53).put((byte) DISPOSITION).put(list)
            .flip();
    }

    private static boolean isTerminal(Disposition disposition) {
        return disposition.getState() instanceof Rejected || disposition.getState() instanceof Released
            || disposition.getState() instanceof Modified;
    }

    private static Throwable refusal(Disposition disposition, Link link) {
        String where = " a message on " + link.describe();
        return switch (disposition.getState()) {
            case Rejected rejected -> AmqpException.of("The broker rejected" + where, rejected.getError());
            case Released released -> AmqpException.of("The broker released" + where + " without taking it", null);
            case Modified modified -> AmqpException.of(
                "The broker gave back" + where + " as modified" + (Boolean.TRUE.equals(modified.getUndeliverableHere())
                    ? ", undeliverable here" : ""), null);
            case null, default -> AmqpException.of("The broker settled" + where + " without accepting it", null);
        };
    }

    private Link byPeer() throws IOException {
        int number = incoming.channel();
        Link link = number < byPeerChannel.length ? byPeerChannel[number] : null;
        if (link == null) {
            throw new IOException("the broker used channel " + number + ", which has no session");
        }
        return link;
    }

    private void control(int code, Object performative) throws IOException {
        switch (code) {
            case OPEN -> opened((Open) performative);
            case BEGIN -> begun((Begin) performative);
            case ATTACH -> {
                Link link = byPeer();
                Attach attach = (Attach) performative;
                link.attached(attach);
                boolean refused = link instanceof LeanProducer ? attach.getTarget() == null : attach.getSource() == null;
                link.attached = !refused;
                changed.signalAll();
            }
            case FLOW -> flow((Flow) performative);
            case DETACH -> {
                Link link = byPeer();
                Detach detach = (Detach) performative;
                if (!link.closed && !link.detaching) {
                    Detach answer = new Detach();
                    answer.setHandle(UnsignedInteger.valueOf(Link.HANDLE));
                    answer.setClosed(true);
                    append(link.channel, answer);
                    append(link.channel, new End());
                }
                end(link, detach.getError());
            }
            case END -> {
                Link link = byPeer();
                if (!link.closed) {
                    append(link.channel, new End());
                    end(link, ((End) performative).getError());
                }
                byPeerChannel[incoming.channel()] = null;
                links.set(link.channel, null);
            }
            case CLOSE -> {
                peerClosed = true;
                changed.signalAll();
                if (!closing) {
                    append(0, new Close());
                }
                throw AmqpException.of("The broker closed the connection", ((Close) performative).getError());
            }
            default -> throw new IOException("the broker sent a frame of the unknown kind " + code);
        }
    }

    private void opened(Open open) {
        if (open.getMaxFrameSize() != null) {
            maxFrame = (int) Math.clamp(open.getMaxFrameSize().longValue(), SMALLEST_MAX_FRAME, LARGEST_SENT_FRAME);
        } else {
            maxFrame = LARGEST_SENT_FRAME;
        }
        if (open.getIdleTimeOut() != null) {
            peerIdleNanos = TimeUnit.MILLISECONDS.toNanos(open.getIdleTimeOut().longValue());
        }
        peer = open;
        changed.signalAll();
    }

    private void begun(Begin begin) throws IOException {
        int ours = begin.getRemoteChannel() == null ? -1 : begin.getRemoteChannel().intValue();
        Link link = ours >= 0 && ours < links.size() ? links.get(ours) : null;
        if (link == null) {
            throw new IOException("the broker began a session that nobody asked for");
        }
        int number = incoming.channel();
        if (number >= byPeerChannel.length) {
            byPeerChannel = Arrays.copyOf(byPeerChannel, Math.max(number + 1, byPeerChannel.length * 2));
        }
        byPeerChannel[number] = link;
        link.begun(begin);
    }

    private void flow(Flow flow) throws IOException {
        Link link = byPeer();
        link.flow(flow);
        if (link instanceof LeanProducer producer) {
            if (flow.getEcho() || flow.getDrain()) {
                producer.answer(flow.getDrain());
            }
        }
    }

    private void end(Link link, @Nullable ErrorCondition error) {
        if (link.closed) {
            return;
        }
        link.closed = true;
        AmqpException reason = AmqpException.of(
            link.attached ? "The broker closed the link to " + link.describe() : "The broker refused " + link.describe(),
            error);
        link.cause = reason;
        changed.signalAll();
        link.ended(reason, true);
    }

    private void terminate(Throwable end) {
        Throwable reason = failure != null ? failure : readable(end);
        List<Link> open = new ArrayList<>();
        boolean tell;
        lock.lock();
        try {
            dead = reason;
            tell = established && !closing;
            for (Link link : links) {
                if (link != null && !link.closed) {
                    link.closed = true;
                    link.cause = reason;
                    open.add(link);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (end instanceof AmqpException && !closing) {
            help(); // the answer to the broker's close
            await0(() -> out.pending() == 0, TimeUnit.MILLISECONDS.toNanos(200));
        }
        shut();
        for (Link link : open) {
            link.endOfBatch();
            link.ended(reason, false);
        }
        if (tell) {
            tellLost(reason);
        }
    }

    private void tellLost(Throwable reason) {
        if (toldLost.compareAndSet(false, true)) {
            listener.lost(reason);
        }
    }

    private Throwable readable(Throwable end) {
        return end instanceof ClosedChannelException ? new IOException("The connection was closed.", end) : end;
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

    private static void await0(BooleanSupplier done, long nanos) {
        long deadline = System.nanoTime() + nanos;
        while (!done.getAsBoolean() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Gives the connection up; the reader notices and tells everyone. */
    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        close(channel);
    }

    // ---- time

    private void tick() {
        long now = System.nanoTime();
        long limit = url.idleTimeout().toNanos();
        if (limit > 0 && reading && now - lastRead > limit) {
            fail(new IOException("The broker sent nothing for " + Duration.ofNanos(limit).toMillis()
                + " ms, not even a heartbeat."));
            return;
        }
        if (writingFor() > (limit > 0 ? limit : TimeUnit.SECONDS.toNanos(60))) {
            fail(new IOException("The broker has read nothing from its socket for "
                + TimeUnit.NANOSECONDS.toMillis(writingFor()) + " ms."));
            return;
        }
        if (peerIdleNanos > 0 && now - out.lastWrite() > peerIdleNanos / 3 && out.writingSince() == 0) {
            lock.lock();
            try {
                if (out.pending() == 0) {
                    out.room(EMPTY_FRAME).putInt(EMPTY_FRAME).put((byte) 2).put((byte) 0).putShort((short) 0);
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

    // ---- for the links

    int maxFrame() {
        return maxFrame;
    }

    int defaultPrefetch() {
        return url.prefetch() < 0 ? LeanConsumer.PREFETCH : url.prefetch();
    }

    String linkName(String kind, int number) {
        return container + ":" + kind + ":" + number;
    }

    /** The name on the wire, with the prefix that the broker asks for. */
    String address(Destination destination) {
        lock.lock();
        try {
            Object prefix = property(destination.isTopic() ? "topic-prefix" : "queue-prefix");
            String name = destination.name();
            return prefix instanceof String text && !name.startsWith(text) ? text + name : name;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Object property(String name) {
        Open open = peer;
        return open == null || open.getProperties() == null ? null : open.getProperties().get(Symbol.valueOf(name));
    }

    /** The bytes between two positions of the frame at hand. Reader only; the same buffer at each call. */
    ByteBuffer view(int from, int to) {
        return incoming.view(from, to);
    }

    /** Appends a frame. Under the lock. */
    void append(int number, Object performative) {
        while (true) {
            try {
                encoder.encode(performative, scratch.clear());
                break;
            } catch (java.nio.BufferOverflowException | IndexOutOfBoundsException e) {
                scratch = ByteBuffer.allocate(scratch.capacity() * 2);
            }
        }
        scratch.flip();
        int size = 8 + scratch.remaining();
        out.room(size).putInt(size).put((byte) 2).put((byte) 0).putShort((short) number).put(scratch);
        out.appended();
        if (Thread.currentThread() == reader) {
            owes = true;
        }
    }

    /** Writes what was appended; a failure ends the connection. */
    void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            Throwable known = failure;
            if (known == null) {
                lock.lock();
                try {
                    known = dead;
                } finally {
                    lock.unlock();
                }
            }
            fail(e);
            throw known == null ? e : new IOException(known.getMessage(), known);
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

    long closeLimitNanos() {
        return Math.min(LONGEST_CLOSE, settings.connectTimeout().toNanos());
    }

    /** Waits for a condition while closing: not longer than a close may take, and only a moment once the broker is mute. */
    boolean await(BooleanSupplier done) {
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
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes a link and waits for the broker's answer.
     *
     * @return false when the broker did not answer, though the connection is there
     */
    boolean detach(Link link) {
        boolean ask;
        lock.lock();
        try {
            ask = !link.closed && !link.detaching && dead == null;
            link.detaching = true;
            if (ask) {
                Detach detach = new Detach();
                detach.setHandle(UnsignedInteger.valueOf(Link.HANDLE));
                detach.setClosed(true);
                append(link.channel, detach);
                append(link.channel, new End());
            }
        } finally {
            lock.unlock();
        }
        if (ask) {
            help();
            await(() -> link.closed);
        }
        lock.lock();
        try {
            return link.closed || dead != null;
        } finally {
            lock.unlock();
        }
    }

    private <L extends Link> L open(L link) throws Exception {
        lock.lock();
        try {
            Begin begin = new Begin();
            begin.setNextOutgoingId(UnsignedInteger.ZERO);
            begin.setIncomingWindow(WINDOW);
            begin.setOutgoingWindow(WINDOW);
            append(link.channel, begin);
            append(link.channel, link.attach());
        } finally {
            lock.unlock();
        }
        help();
        lock.lock();
        try {
            long left = settings.connectTimeout().toNanos();
            while (!link.attached && !link.closed && dead == null) {
                if (left <= 0) {
                    throw new TimeoutException("The broker did not answer within "
                        + settings.connectTimeout().toMillis() + " ms when asked for " + link.describe() + ".");
                }
                left = changed.awaitNanos(left);
            }
            Throwable reason = link.cause != null ? link.cause : dead;
            if (reason instanceof Exception refused && link.closed && refused instanceof AmqpException) {
                throw refused;
            }
            if (reason != null) {
                throw new IOException(reason.getMessage(), reason);
            }
            return link;
        } finally {
            lock.unlock();
        }
    }

    private int newChannel() throws IOException {
        if (dead != null) {
            throw new IOException(dead.getMessage(), dead);
        }
        int free = 0;
        while (free < links.size() && links.get(free) != null) {
            free++;
        }
        Open open = peer;
        int max = open == null || open.getChannelMax() == null ? 0xffff : open.getChannelMax().intValue();
        if (free > max) {
            throw new IOException("The broker allows " + (max + 1) + " producers and consumers on one connection only.");
        }
        if (free == links.size()) {
            links.add(null);
        }
        return free;
    }

    // ---- spi

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener)
            throws Exception {
        if (wanted.transacted() || (wanted.delayMillis() > 0 && LeanAmqp.mayIgnoreDelays(broker()))) {
            return other().producer(destination, wanted, sendListener);
        }
        LeanProducer producer;
        lock.lock();
        try {
            int number = newChannel();
            producer = new LeanProducer(this, number, destination, wanted, sendListener);
            links.set(number, producer);
        } finally {
            lock.unlock();
        }
        sends = true;
        direct = true;
        open(producer);
        if (wanted.delayMillis() > 0 && !keepsBack(producer)) {
            producer.close();
            throw new DriverException("The broker does not offer to keep messages back over AMQP, so it would deliver at once on "
                + destination + "; leave --delivery-delay out.", null);
        }
        return producer;
    }

    private boolean keepsBack(LeanProducer producer) {
        lock.lock();
        try {
            Open open = peer;
            return producer.isDelayed() || (open != null && holds(open.getOfferedCapabilities(), DELAYED_DELIVERY));
        } finally {
            lock.unlock();
        }
    }

    static boolean holds(Symbol @Nullable [] capabilities, Symbol wanted) {
        return capabilities != null && List.of(capabilities).contains(wanted);
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener)
            throws Exception {
        if (wanted.ackMode() == AckMode.TRANSACTED || wanted.durable() || wanted.shared()) {
            return other().consumer(destination, wanted, deliveryListener);
        }
        LeanConsumer consumer;
        lock.lock();
        try {
            int number = newChannel();
            consumer = new LeanConsumer(this, number, destination, wanted, deliveryListener);
            links.set(number, consumer);
        } finally {
            lock.unlock();
        }
        if (wanted.prefetch() > INLINE_CREDIT || defaultPrefetch() > INLINE_CREDIT) {
            sends = true;
        }
        direct = true;
        open(consumer);
        if (consumer.isUnfiltered()) {
            consumer.close();
            throw new DriverException("The broker does not filter messages over AMQP, so it ignores the selector '"
                + wanted.selector() + "' on " + destination + "; leave --selector out.", null);
        }
        return consumer;
    }

    /**
     * Attaches a link, which makes the broker create the destination where it may.
     *
     * @return false: the protocol does not say whether the destination was there before
     */
    @Override
    public boolean declare(Destination destination) throws Exception {
        boolean before = direct;
        producer(destination, ProducerSettings.of(its -> its.maxPending = 1), IGNORED).close();
        direct = before;
        return false;
    }

    /** Does nothing: the protocol has no way to delete. */
    @Override
    public void delete(Destination destination) throws Exception {}

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        other().unsubscribe(destination, subscription);
    }

    @Override
    public String broker() {
        lock.lock();
        try {
            Object product = property("product");
            Object version = property("version");
            return product == null ? "" : version == null ? product.toString() : product + " " + version;
        } finally {
            lock.unlock();
        }
    }

    /** What carried producers and consumers so far: this path, qpid-jms beside it, or both. */
    @Override
    public String client() {
        Connection beside = other;
        if (beside == null) {
            return LeanAmqp.client();
        }
        return direct ? LeanAmqp.client() + "; " + beside.client() + " for " + BESIDE : beside.client();
    }

    private Connection other() throws Exception {
        Connection made = other;
        if (made == null) {
            lock.lock();
            try {
                if (dead != null) {
                    throw new IOException(dead.getMessage(), dead);
                }
            } finally {
                lock.unlock();
            }
            made = jms.connect(settings, new ConnectionListener() {

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

                @Override
                public void notice(String sentence) {
                    listener.notice(sentence);
                }
            });
            other = made;
            listener.notice(LeanAmqp.forced(BESIDE, made));
        }
        return made;
    }

    @Override
    public void close() {
        List<Link> open = new ArrayList<>();
        lock.lock();
        try {
            for (Link link : links) {
                if (link != null) {
                    open.add(link);
                }
            }
        } finally {
            lock.unlock();
        }
        for (Link link : open) {
            try {
                ((AutoCloseable) link).close();
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
                append(0, new Close());
            }
        } finally {
            lock.unlock();
        }
        help();
        await(() -> peerClosed);
        shut();
        if (Thread.currentThread() != reader) {
            try {
                reader.join(closeLimitNanos() / 1_000_000 + 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        Connection made = other;
        if (made != null) {
            made.close();
        }
    }
}
