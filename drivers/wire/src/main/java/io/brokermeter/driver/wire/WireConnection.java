package io.brokermeter.driver.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The life of a connection over a {@link Wire}, from its first frames to its end, which is reported once with its cause. A protocol
 * extends it by what a frame means, by heart-beats and by its farewell.
 *
 * <p>Threads: those who send append under the {@link #lock} and write themselves. One thread reads. It takes no lock for
 * messages and confirmations, and writes what it appended itself, once for all that a read brought; on a connection that also
 * sends, a third thread, the helper, writes for it, so that reading never waits for a full socket. A timer looks for silence,
 * for writes that stand still and for heart-beats that are due.
 */
public abstract class WireConnection {

    private static final long LONGEST_CLOSE = TimeUnit.SECONDS.toNanos(5);
    private static final long LONGEST_WRITE = TimeUnit.SECONDS.toNanos(60);
    private static final long LAST_ANSWER = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PERIOD = TimeUnit.SECONDS.toNanos(5);
    private static final long STALL = TimeUnit.SECONDS.toNanos(1);
    /** Bytes that may wait while another thread writes. */
    private static final int LARGEST_BACKLOG = 16 * 1024 * 1024;
    /** Between two looks at what nobody signals: that something is written. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(5);

    /** Guards what is appended, and the state of the protocol. */
    public final ReentrantLock lock = new ReentrantLock();
    /** Signalled when something changed that somebody may wait for. */
    public final Condition changed = lock.newCondition();
    public final WriteBuffer out;

    private final String name;
    private final Wire wire;
    private final ReadBuffer in;
    private final ConnectionListener listener;
    private final Duration timeout;
    /** Whether the broker did not answer in time, so that nobody waits for it any more. */
    private final AtomicBoolean mute;
    private final AtomicBoolean toldLost = new AtomicBoolean();
    private final Thread reader;
    /** Between our signs of life, 0 for none; set before the timer begins. */
    private long ours;

    // reader
    private final List<WireEndpoint> touched = new ArrayList<>();
    private boolean owes;

    private volatile boolean sends;
    private volatile boolean closing;
    private volatile boolean over;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Throwable dead;
    /** When the reader began to wait, which it does after each batch; counts only while it reads. */
    private volatile long lastRead = System.nanoTime();
    private volatile boolean reading;
    private volatile @Nullable Thread helper;
    private volatile @Nullable ScheduledFuture<?> ticks;

    /**
     * Nothing is read before {@link #start}.
     *
     * @param protocol in the names of threads
     * @param in what has come so far
     * @param listener is called with the loss
     * @param timeout the longest that an answer may take
     * @param mute whether the broker did not answer in time; shared by connections with the same broker
     */
    protected WireConnection(
            String protocol, Wire wire, ReadBuffer in, ConnectionListener listener, Duration timeout, AtomicBoolean mute) {
        this.name = "brokermeter-" + protocol;
        this.wire = wire;
        this.in = in;
        this.listener = listener;
        this.timeout = timeout;
        this.mute = mute;
        this.out = new WriteBuffer(wire, lock);
        this.reader = Thread.ofPlatform().daemon().name(name + "-reader").unstarted(this::read);
    }

    /**
     * Begins to read, and to look after the connection.
     *
     * @param ours the time between our signs of life in nanoseconds, 0 for none
     * @param theirs the same of the broker's
     */
    protected final void start(long ours, long theirs) {
        this.ours = ours;
        long shortest = Math.min(ours == 0 ? Long.MAX_VALUE : ours, theirs == 0 ? Long.MAX_VALUE : theirs);
        long period = Math.clamp(shortest / 4, SHORTEST_PERIOD, LONGEST_PERIOD);
        ticks = Timer.every(period, this::tick);
        reader.start();
    }

    // ---- what a protocol adds

    /** Processes the frame at hand. Reader, without the lock. */
    protected abstract void frame() throws IOException;

    /** Everything that one read brought was processed; called before {@link WireEndpoint#endOfBatch()}. Reader, without the lock. */
    protected void endOfBatch() {}

    /** Whether the reader may write what it appended, because it is so little that no socket is full of it. Reader. */
    protected boolean writesInline() {
        return !sends;
    }

    /** The longest silence of the broker in nanoseconds, 0 for any. Timer. */
    protected abstract long longestSilence();

    /** What belongs behind "The broker sent nothing for 20 s". */
    protected String silence() {
        return ", not even a heartbeat";
    }

    /** The longest time in nanoseconds that the broker may read nothing while we write. Timer. */
    protected long longestWrite() {
        return LONGEST_WRITE;
    }

    /**
     * Whether a sign of life is due: after a third of the time between ours without a write. Timer.
     *
     * @param unwritten nanoseconds since something was written
     * @param unread nanoseconds since something was read
     */
    protected boolean beatDue(long unwritten, long unread) {
        return ours > 0 && unwritten > ours / 3;
    }

    /** Appends a sign of life. Timer, under the lock. */
    protected abstract void beat();

    /** Appends what ends the connection on our side. Under the lock. */
    protected abstract void goodbye();

    /** What {@link #goodbye} appended is written. Closing thread. */
    protected void saidGoodbye(Wire written) {}

    /** Whether the broker has answered that. Under the lock. */
    protected abstract boolean isReleased();

    /** Why the connection has ended, in words for the user. */
    protected Throwable reason(Throwable end) {
        return readable(end);
    }

    /** Whether {@code end} is something that the broker said and that was answered, which must still be written. */
    protected boolean isAnswered(Throwable end) {
        return false;
    }

    /** The producers and consumers that are open; those that are {@link AutoCloseable} are closed with the connection. Under the lock. */
    protected abstract List<? extends WireEndpoint> endpoints();

    /** The connection is gone, which {@link #endpoints} learn later: requests that wait must be answered. Reader, under the lock. */
    protected void terminated(Throwable reason) {}

    // ---- the reader

    private void read() {
        Throwable end;
        try {
            // what came behind the broker's first answers may be here already
            frames();
            while (true) {
                lastRead = System.nanoTime();
                reading = true;
                in.fill(wire);
                reading = false;
                frames();
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
            endOfBatch();
            for (int i = 0; i < touched.size(); i++) {
                WireEndpoint each = touched.get(i);
                each.touched = false;
                each.endOfBatch();
            }
            touched.clear();
        }
        if (owes) {
            owes = false;
            if (writesInline()) {
                out.flush();
            } else {
                help();
            }
        }
    }

    /** Asks for {@link WireEndpoint#endOfBatch()}. Reader; once or more for each read. */
    public final void touch(WireEndpoint endpoint) {
        if (!endpoint.touched) {
            endpoint.touched = true;
            touched.add(endpoint);
        }
    }

    /** The reader has appended something, which is to be written when it has processed what it read. Reader. */
    public final void owe() {
        owes = true;
    }

    /** From now on the connection sends messages, and the reader leaves writing to others. */
    protected final void sends() {
        sends = true;
    }

    /** Whether this is the thread that reads. */
    public final boolean isReader() {
        return Thread.currentThread() == reader;
    }

    // ---- the end

    private void terminate(Throwable end) {
        Throwable known = failure;
        Throwable reason = reason(known != null ? known : end);
        List<WireEndpoint> open = new ArrayList<>();
        boolean report = locked(() -> {
            dead = reason;
            open.addAll(endpoints());
            terminated(reason);
            changed.signalAll();
            return !closing;
        });
        if (report && isAnswered(end)) {
            help();
            long deadline = System.nanoTime() + LAST_ANSWER;
            while ((out.pending() > 0 || out.writingSince() != 0) && System.nanoTime() < deadline) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
        shut();
        RuntimeException thrown = null;
        for (WireEndpoint each : open) {
            try {
                each.ended(reason);
            } catch (RuntimeException e) {
                // the next ones must learn of the end as well
                thrown = e;
            }
        }
        if (report) {
            tellLost(reason);
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    private static Throwable readable(Throwable end) {
        return switch (end) {
            case DriverException said -> said;
            case ClosedChannelException closed -> new DriverException("The connection was closed.", closed);
            case EOFException gone -> new DriverException("The broker closed the connection.", gone);
            case IOException broken -> new DriverException(
                "The connection to the broker broke: " + Failure.words(broken) + ".", broken);
            default -> new DriverException("The connection was given up: " + Failure.words(end) + ".", end);
        };
    }

    /** Reports to the listener that the connection is lost, unless it knows. */
    protected final void tellLost(Throwable reason) {
        if (toldLost.compareAndSet(false, true)) {
            listener.lost(reason);
        }
    }

    private void shut() {
        over = true;
        wire.close();
        ScheduledFuture<?> started = ticks;
        if (started != null) {
            started.cancel(false);
        }
        LockSupport.unpark(helper);
    }

    /** Gives the connection up; the reader notices that and reports it. Any thread; does not block. */
    public final void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        wire.close();
    }

    /** Whether {@link #close} was called. */
    protected final boolean isClosing() {
        return closing;
    }

    /** Whether the connection is not known to be gone. */
    public final boolean isAlive() {
        return dead == null;
    }

    /** @throws IOException when the connection is gone, failed or closed */
    public final void check() throws IOException {
        Throwable known = dead != null ? dead : failure;
        if (known != null) {
            throw new DriverException(Failure.words(reason(known)) + ".", known);
        }
        if (closing) {
            throw new DriverException("The connection is closed.", null);
        }
    }

    // ---- time

    private void tick() {
        long now = System.nanoTime();
        long unread = reading ? Math.max(0, now - lastRead) : 0;
        long silence = longestSilence();
        if (silence > 0 && unread > silence) {
            fail(new DriverException("The broker sent nothing for " + TimeUnit.NANOSECONDS.toMillis(unread) + " ms"
                + silence() + ".", null));
        } else if (writingFor() > longestWrite()) {
            fail(new DriverException("The broker has read nothing from its socket for "
                + TimeUnit.NANOSECONDS.toMillis(writingFor()) + " ms.", null));
        } else if (beatDue(out.writingSince() != 0 ? 0 : now - out.lastWrite(), unread)) {
            locked(this::beat);
            help();
        }
    }

    /** Nanoseconds since the peer took something of the write that is under way; 0 when there is none. */
    public final long writingFor() {
        long since = out.writingSince();
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    /** Why sends stand still, if the socket is the reason; empty otherwise. */
    public final String stallReason() {
        return writingFor() > STALL ? "the broker does not read from its socket" : "";
    }

    // ---- writing

    /** Writes what was appended, or leaves it to the thread that writes now. A failure ends the connection. */
    public final void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            fail(e);
        }
    }

    /**
     * The same; waits while the thread that writes now has left very much: what waits for a peer that does not read must not grow
     * without limit.
     */
    public final void flushOrWait() {
        if (out.pending() < LARGEST_BACKLOG) {
            flush();
        } else {
            flushAll();
        }
    }

    /** Returns true when all that was appended is written. False when that failed, which ends the connection. */
    public final boolean flushAll() {
        try {
            out.flushAll();
            return true;
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    /** Wakes the thread that writes for those who must not wait for a full socket. Does not block. */
    public final void help() {
        if (helper == null) {
            locked(() -> {
                if (helper == null && !over) {
                    helper = Thread.ofPlatform().daemon().name(name + "-writer").unstarted(this::writeForOthers);
                    helper.start();
                }
            });
        }
        LockSupport.unpark(helper);
    }

    private void writeForOthers() {
        while (!over) {
            flush();
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(60));
        }
    }

    // ---- waiting

    /**
     * What is done under the lock.
     *
     * @param <T> its result
     * @param <E> what it throws
     */
    public interface Locked<T extends @Nullable Object, E extends Exception> {

        T run() throws E;
    }

    /**
     * The same without a result.
     *
     * @param <E> what it throws
     */
    public interface LockedAction<E extends Exception> {

        void run() throws E;
    }

    /** Does something under the {@link #lock}; not for each message. */
    public final <T extends @Nullable Object, E extends Exception> T locked(Locked<T, E> work) throws E {
        lock.lock();
        try {
            return work.run();
        } finally {
            lock.unlock();
        }
    }

    /** The same without a result. */
    public final <E extends Exception> void locked(LockedAction<E> work) throws E {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /** Lets those look again who wait for something that changed without the lock. */
    public final void signal() {
        locked(changed::signalAll);
    }

    /** The longest that an answer may take. */
    public final long requestLimitNanos() {
        return timeout.toNanos();
    }

    /** The longest that a close may take. */
    public final long closeLimitNanos() {
        return Math.min(LONGEST_CLOSE, timeout.toNanos());
    }

    /** The longest that a close may wait for the broker: only a moment once it was found mute. */
    public final long leftToCloseNanos() {
        return mute.get() ? TimeUnit.MILLISECONDS.toNanos(1) : closeLimitNanos();
    }

    /**
     * Writes what was appended and waits for an answer to it.
     *
     * @param done whether it has come; asked under the lock
     * @param late what to say when it does not come in time: {@code The broker did not answer}
     * @throws IOException when the connection is gone, or the time is over
     */
    public final void await(BooleanSupplier done, long limitNanos, String late) throws IOException, InterruptedException {
        if (sends) {
            help();
        } else {
            flush(); // of so little that no socket is full of it
        }
        lock.lockInterruptibly();
        try {
            long left = limitNanos;
            while (!done.getAsBoolean()) {
                check();
                if (left <= 0) {
                    mute.set(true);
                    throw new DriverException(
                        late + " within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms.", null);
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes what was appended and waits for a condition while closing: not longer than a close may take, and not at all on the
     * reader. Returns whether it holds; does not throw.
     *
     * @param done asked under the lock, every few milliseconds
     */
    public final boolean awaitClosing(BooleanSupplier done) {
        if (out.pending() > 0) {
            help();
        }
        lock.lock();
        try {
            long left = leftToCloseNanos();
            while (!done.getAsBoolean()) {
                if (dead != null || isReader()) {
                    return false;
                }
                if (left <= 0) {
                    mute.set(true);
                    return false;
                }
                long slice = Math.min(left, LOOK);
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

    /** Waits while closing until everything appended so far is written; otherwise like {@link #awaitClosing}. */
    public final boolean awaitWritten() {
        long end = locked(out::end);
        return awaitClosing(() -> out.written() >= end);
    }

    /** Closes the endpoints, says goodbye, and ends the connection, in bounded time. Returns after the last callback. */
    protected final void closeAll() {
        for (WireEndpoint each : locked(this::endpoints)) {
            try {
                if (each instanceof AutoCloseable closeable) {
                    closeable.close();
                }
            } catch (Exception e) {
                // the next ones must be closed as well
            }
        }
        end();
    }

    /** The same without the endpoints. */
    protected final void end() {
        boolean closed = locked(() -> {
            boolean before = closing;
            closing = true;
            if (!before && dead == null) {
                goodbye();
            }
            return before;
        });
        if (closed) {
            return;
        }
        if (awaitWritten()) {
            ScheduledFuture<?> guard = Timer.after(closeLimitNanos(), wire::close);
            saidGoodbye(wire);
            guard.cancel(false);
            awaitClosing(this::isReleased);
        }
        shut();
        ConsumerThread.join(reader, closeLimitNanos());
        ConsumerThread.join(helper, closeLimitNanos());
    }
}
