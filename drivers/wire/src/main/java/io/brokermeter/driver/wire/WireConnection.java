package io.brokermeter.driver.wire;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A connection over a {@link Wire}, from its first frames to its end, which is reported once with its cause. A protocol adds the meaning of
 * its frames, its heart-beats and its farewell.
 *
 * <p>Threads: senders append under the {@link #lock} and write themselves. One reader thread reads. It takes no lock for messages and
 * confirmations, and writes what it appended itself, once per read; on a connection that also sends, a third thread, the helper, writes for
 * it, so that reading never waits for a full socket. A timer checks for silence of the broker, for writes that make no progress and for
 * heart-beats that are due.
 */
public abstract class WireConnection extends ConnectionLock {

    private static final long LONGEST_CLOSE = TimeUnit.SECONDS.toNanos(5);
    private static final long LONGEST_WRITE = TimeUnit.SECONDS.toNanos(60);
    private static final long LAST_ANSWER = TimeUnit.SECONDS.toNanos(5);
    private static final long LAST_WORDS = TimeUnit.SECONDS.toNanos(1);
    private static final long STALL = TimeUnit.SECONDS.toNanos(1);
    /** The most bytes that may wait while another thread writes. */
    private static final int LARGEST_BACKLOG = 16 * 1024 * 1024;

    public final WriteBuffer out;

    private final Wire wire;
    private final ReadBuffer in;
    private final LossReport loss;
    private final Duration timeout;
    /** Whether the broker left a request unanswered, so that nobody waits for it any more. */
    private final AtomicBoolean mute;
    private final Thread reader;
    private final HelperThread helper;
    private final ConnectionWait waiting = new ConnectionWait(this);
    private final ConnectionClose close;
    /** The interval of our heart-beats in nanoseconds, 0 for none; set before the timer starts. */
    private long ours;

    // used by the reader thread
    private final List<WireEndpoint> touched = new ArrayList<>();
    private boolean owes;

    private volatile boolean sends;
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Throwable dead;
    /** The {@link System#nanoTime()} at which the reader last began to wait; valid only while {@link #reading}. */
    private volatile long lastRead = System.nanoTime();
    private volatile boolean reading;
    private volatile @Nullable Supervision supervision;

    /**
     * Creates a connection that reads nothing before {@link #start}.
     *
     * @param protocol name of the protocol, used in thread names
     * @param in the buffer with the bytes received so far
     * @param listener notified of the loss of the connection
     * @param timeout the longest time that an answer may take
     * @param mute whether the broker left a request unanswered; shared by connections with the same broker
     */
    protected WireConnection(
            String protocol, Wire wire, ReadBuffer in, ConnectionListener listener, Duration timeout, AtomicBoolean mute) {
        this.wire = wire;
        this.in = in;
        this.loss = new LossReport(listener);
        this.timeout = timeout;
        this.mute = mute;
        this.out = new WriteBuffer(wire, lock);
        this.reader = ConsumerThread.unstarted("brokermeter-" + protocol + "-reader", this::read);
        this.helper = new HelperThread(this, "brokermeter-" + protocol + "-writer");
        this.close = new ConnectionClose(this, wire);
    }

    /**
     * Starts the reader thread and the timer that supervises the connection.
     *
     * @param ours the interval of our heart-beats in nanoseconds, 0 for none
     * @param theirs the interval of the broker's heart-beats in nanoseconds, 0 for none
     */
    protected final void start(long ours, long theirs) {
        this.ours = ours;
        supervision = new Supervision(this, Math.min(ours == 0 ? Long.MAX_VALUE : ours, theirs == 0 ? Long.MAX_VALUE : theirs));
        reader.start();
    }

    // ---- implemented by a protocol

    /** Processes the current frame. Called by the reader thread, without the lock. */
    protected abstract void frame() throws IOException;

    /** Called by the reader after the frames of one read, before {@link WireEndpoint#endOfBatch()}, without the lock. */
    protected void endOfBatch() {}

    /** Returns whether the reader may write its output itself, since it is too small to fill a socket. Called by the reader. */
    protected boolean writesInline() {
        return !sends;
    }

    /** Returns the longest permitted silence of the broker in nanoseconds, 0 for no limit. Called by the timer. */
    protected abstract long longestSilence();

    /** Returns the end of the error message that begins with "The broker sent nothing for 20000 ms". */
    protected String silence() {
        return ", not even a heartbeat";
    }

    /** Returns the longest time in nanoseconds in which the broker may read nothing while we write. Called by the timer. */
    protected long longestWrite() {
        return LONGEST_WRITE;
    }

    /**
     * Returns whether a heart-beat is due: by default after a third of its interval without a write. Called by the timer.
     *
     * @param unwritten nanoseconds since the last write
     * @param unread nanoseconds since the reader began to wait
     */
    protected boolean beatDue(long unwritten, long unread) {
        return ours > 0 && unwritten > ours / 3;
    }

    /** Appends a heart-beat. Called by the timer, under the lock. */
    protected abstract void beat();

    /** Appends the frames that end the connection on our side. Called under the lock. */
    protected abstract void goodbye();

    /** Called by the closing thread after the output of {@link #goodbye} has been written. */
    protected void saidGoodbye(Wire written) {}

    /** Returns whether the broker has answered the output of {@link #goodbye}. Called under the lock. */
    protected abstract boolean isReleased();

    /** Returns why the connection has ended, worded for the user. */
    protected Throwable reason(Throwable end) {
        return LossReport.reason(end);
    }

    /** Returns whether {@code end} was announced by the broker and answered by us, so that the answer must still be written. */
    protected boolean isAnswered(Throwable end) {
        return false;
    }

    /** Returns the open producers and consumers; those that are {@link AutoCloseable} are closed with the connection. Under the lock. */
    protected abstract List<? extends WireEndpoint> endpoints();

    /** Ends waiting requests after the loss, before {@link #endpoints} learn of it. Called by the reader, under the lock. */
    protected void terminated(Throwable reason) {}

    // ---- reading

    private void read() {
        Throwable end;
        try {
            // frames behind the broker's first answers may have been received already
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

    /** Requests a call of {@link WireEndpoint#endOfBatch()} after this read, once however often it is requested. Reader thread. */
    public final void touch(WireEndpoint endpoint) {
        if (!endpoint.touched) {
            endpoint.touched = true;
            touched.add(endpoint);
        }
    }

    /** Notes that the reader has appended output, to be written after the frames of this read. Called by the reader thread. */
    public final void owe() {
        owes = true;
    }

    /** Notes that the connection sends messages: from now on the reader leaves writing to other threads. */
    protected final void sends() {
        sends = true;
    }

    /** Returns whether the current thread is the reader thread. */
    public final boolean isReader() {
        return Thread.currentThread() == reader;
    }

    // ---- ending

    private void terminate(Throwable end) {
        Throwable known = failure;
        // prefer the broker's error over the failed write
        boolean said = end instanceof DriverException && !(known instanceof DriverException);
        Throwable reason = reason(known == null || said ? end : known);
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
            out.awaitOthers(LAST_ANSWER);
        }
        shut();
        RuntimeException thrown = null;
        for (WireEndpoint each : open) {
            try {
                each.ended(reason);
            } catch (RuntimeException e) {
                // the next endpoints must be notified as well
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

    /** Reports to the listener that the connection is lost, unless it was told before. */
    protected final void tellLost(Throwable reason) {
        loss.make(reason);
    }

    /** Closes the wire, which ends the reader, and ends the other threads. */
    final void shut() {
        helper.end();
        wire.close();
        Supervision started = supervision;
        if (started != null) {
            started.end();
        }
    }

    /**
     * Gives the connection up; the reader thread notices and reports it. Any thread; does not block. After a failed write the reader first
     * gets the time to read what the broker may have said before it ended the connection.
     */
    public final void fail(Throwable cause) {
        boolean first = failure == null;
        if (first) {
            failure = cause;
        }
        if (closing || cause instanceof DriverException) {
            wire.close();
        } else if (first) {
            Timer.afterAwake(LAST_WORDS, wire::close);
        }
    }

    /** Returns whether {@link #end} has begun. */
    public final boolean isClosing() {
        return closing;
    }

    /** Returns whether the connection has not ended, as far as is known. */
    public final boolean isAlive() {
        return dead == null;
    }

    /** @throws IOException if the connection has ended, failed or is being closed */
    public final void check() throws IOException {
        Throwable known = dead != null ? dead : failure;
        if (known != null) {
            throw new DriverException(Failure.words(reason(known)) + ".", known);
        }
        if (closing) {
            throw new DriverException("The connection is closed.", null);
        }
    }

    // ---- supervision

    /** Returns the nanoseconds until {@code now} since the reader began to wait; 0 while it processes what it has read. */
    final long unreadSince(long now) {
        return reading ? Math.max(0, now - lastRead) : 0;
    }

    /** Returns why sends make no progress, if the socket is the reason; empty otherwise. */
    public final String stallReason() {
        return out.writingFor() > STALL ? "the broker does not read from its socket" : "";
    }

    // ---- writing

    /** Writes the appended output, or leaves it to the thread that is writing now. A failure ends the connection. */
    public final void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            fail(e);
        }
    }

    /**
     * Writes the appended output like {@link #flush}. Waits if more than 16 MiB are pending, so that the output for a peer that does not
     * read does not grow without limit.
     */
    public final void flushOrWait() {
        if (out.pending() < LARGEST_BACKLOG) {
            flush();
        } else {
            flushAll();
        }
    }

    /** Returns true after all appended output has been written, false if that failed, which ends the connection. */
    public final boolean flushAll() {
        try {
            out.flushAll();
            return true;
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    /** Wakes the helper thread, which writes for threads that must not wait for a full socket. Does not block. */
    public final void help() {
        helper.wake();
    }

    // ---- waiting

    /** Returns the longest time that an answer may take, in nanoseconds. */
    public final long requestLimitNanos() {
        return timeout.toNanos();
    }

    /** Returns the longest time that a close may take, in nanoseconds. */
    public final long closeLimitNanos() {
        return Math.min(LONGEST_CLOSE, timeout.toNanos());
    }

    /** Returns how long a close may wait for the broker, in nanoseconds: only 1 ms after it left a request unanswered. */
    public final long leftToCloseNanos() {
        return mute.get() ? TimeUnit.MILLISECONDS.toNanos(1) : closeLimitNanos();
    }

    /** Notes that the broker left a request unanswered, so that closing does not wait again. */
    final void foundMute() {
        mute.set(true);
    }

    /**
     * Writes the appended output and waits for an answer to it. A stall of this process uses up little of the limit.
     *
     * @param done whether the answer has arrived; called under the lock
     * @param late the error message if it does not arrive in time: {@code The broker did not answer}
     * @throws IOException if the connection is gone, or the answer does not arrive in time
     */
    public final void await(BooleanSupplier done, long limitNanos, String late) throws IOException, InterruptedException {
        if (sends) {
            help();
        } else {
            flush(); // of so little that no socket is full of it
        }
        waiting.forAnswer(done, limitNanos, late);
    }

    /**
     * Writes the appended output and waits for a condition while closing: not longer than a close may take, and not at all on the reader
     * thread. A stall of this process does not count. Returns whether the condition holds; does not throw.
     *
     * @param done the condition; checked under the lock, every few milliseconds
     */
    public final boolean awaitClosing(BooleanSupplier done) {
        return waiting.whileClosing(done);
    }

    /** Waits while closing until everything appended so far is written, like {@link #awaitClosing}. */
    public final boolean awaitWritten() {
        long end = locked(out::end);
        return awaitClosing(() -> out.written() >= end);
    }

    /** Closes the endpoints, says goodbye, and ends the connection, in bounded time. Returns after the last callback. */
    protected final void closeAll() {
        close.endpoints();
        end();
    }

    /** Says goodbye and ends the connection like {@link #closeAll}, but does not close the endpoints. */
    protected final void end() {
        close.end();
    }

    /** Appends the goodbye, unless the connection has ended. Returns false if its closing had begun before. */
    final boolean beginClosing() {
        return locked(() -> {
            boolean before = closing;
            closing = true;
            if (!before && dead == null) {
                goodbye();
            }
            return !before;
        });
    }

    /** Waits until the connection's threads have ended, for each at most about {@code limitNanos}. */
    final void join(long limitNanos) {
        ConsumerThread.join(reader, limitNanos);
        helper.join(limitNanos);
    }
}
