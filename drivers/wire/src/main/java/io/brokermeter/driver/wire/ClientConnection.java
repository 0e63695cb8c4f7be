package io.brokermeter.driver.wire;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection over a client library: keeps track of the open producers and consumers, reports the loss of the connection once, and closes
 * in bounded time. Safe for use by several threads.
 */
public abstract class ClientConnection implements Connection {

    /** The longest time that a close waits for the broker. */
    protected static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

    /** A producer or consumer that must be notified when the connection is lost for good. */
    public interface Losing {

        /** Handles the loss of the connection. Called once, by any thread. */
        void lost(Throwable cause);
    }

    private final Duration limit;
    private final Set<AutoCloseable> consumers = ConcurrentHashMap.newKeySet();
    private final Set<AutoCloseable> others = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Throwable> lost = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean mute;

    /** @param limit the longest time that a request may take */
    protected ClientConnection(Duration limit) {
        this.limit = limit;
    }

    /** Returns the longest time that a request may take. */
    public final Duration limit() {
        return limit;
    }

    /**
     * Returns how long a close may wait for the broker: only a millisecond after the broker left a close unanswered or the connection was
     * lost.
     */
    public final Duration closeLimit() {
        return isLost() || mute ? Duration.ofMillis(1) : limit.compareTo(LONGEST_CLOSE) < 0 ? limit : LONGEST_CLOSE;
    }

    /** Notes that the broker left a close unanswered, so that later closes hardly wait for it. */
    public final void foundMute() {
        mute = true;
    }

    protected final boolean isMute() {
        return mute;
    }

    /** Returns whether the connection is lost for good. */
    public final boolean isLost() {
        return lost.get() != null;
    }

    protected final boolean isClosed() {
        return closed.get();
    }

    /** Registers a producer or consumer until {@link #closed} is called for it. */
    protected final <T extends AutoCloseable> T opened(T one) {
        (one instanceof Consumer ? consumers : others).add(one);
        Throwable cause = lost.get();
        if (cause != null && one instanceof Losing user) {
            user.lost(cause);
        }
        return one;
    }

    /** Removes a closed producer or consumer from the open ones. */
    public final void closed(AutoCloseable one) {
        consumers.remove(one);
        others.remove(one);
    }

    /**
     * Marks the connection as lost for good and notifies producers and the listener. Only the first call has an effect, and none after
     * {@link #close}.
     */
    public final void lost(Throwable cause, ConnectionListener listener) {
        if (!closed.get() && lost.compareAndSet(null, cause)) {
            others.forEach(one -> {
                if (one instanceof Losing user) {
                    user.lost(cause);
                }
            });
            listener.lost(cause);
        }
    }

    /** @throws IOException if the connection is lost or closed */
    protected final void checkOpen() throws IOException {
        Throwable cause = lost.get();
        if (cause != null || closed.get()) {
            throw new IOException(cause == null ? "The connection is closed."
                : "The connection is lost (" + cause.getMessage() + ").", cause);
        }
    }

    /** Closes consumers first, since they acknowledge their last messages, then everything else. */
    @Override
    public final void close() {
        if (closed.get()) {
            return;
        }
        closeAll(consumers);
        closeAll(others);
        if (closed.compareAndSet(false, true)) {
            end();
        }
    }

    private static void closeAll(Set<AutoCloseable> open) {
        for (AutoCloseable one : open) {
            try {
                one.close();
            } catch (Exception e) {
                // the next ones must be closed as well
            }
        }
    }

    /** Ends the connection after its producers and consumers were closed. Called once. */
    protected abstract void end();
}
