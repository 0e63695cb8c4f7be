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

/** A connection that a client library carries: what is open on it, its loss, and its close in bounded time. Safe for several threads. */
public abstract class ClientConnection implements Connection {

    /** The longest that a close waits for the broker. */
    protected static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

    /** What must learn that the connection is gone for good. */
    public interface Losing {

        /** Called once, by any thread. */
        void lost(Throwable cause);
    }

    private final Duration limit;
    private final Set<AutoCloseable> consumers = ConcurrentHashMap.newKeySet();
    private final Set<AutoCloseable> others = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Throwable> lost = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean mute;

    /** @param limit the longest that a request may take */
    protected ClientConnection(Duration limit) {
        this.limit = limit;
    }

    /** The longest that a request may take. */
    public final Duration limit() {
        return limit;
    }

    /** How long a close may wait for the broker: only a moment once it was found mute, or is gone. */
    public final Duration closeLimit() {
        return isLost() || mute ? Duration.ofMillis(1) : limit.compareTo(LONGEST_CLOSE) < 0 ? limit : LONGEST_CLOSE;
    }

    /** The broker let a close wait in vain. */
    public final void foundMute() {
        mute = true;
    }

    protected final boolean isMute() {
        return mute;
    }

    /** Whether the connection is gone for good. */
    public final boolean isLost() {
        return lost.get() != null;
    }

    protected final boolean isClosed() {
        return closed.get();
    }

    /** Remembers a producer or a consumer until it calls {@link #closed}. */
    protected final <T extends AutoCloseable> T opened(T one) {
        (one instanceof Consumer ? consumers : others).add(one);
        Throwable cause = lost.get();
        if (cause != null && one instanceof Losing user) {
            user.lost(cause);
        }
        return one;
    }

    /** It is closed. */
    public final void closed(AutoCloseable one) {
        consumers.remove(one);
        others.remove(one);
    }

    /** The connection is gone for good; only the first call does anything, and none after a close. */
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

    /** @throws IOException when the connection is gone, or closed */
    protected final void checkOpen() throws IOException {
        Throwable cause = lost.get();
        if (cause != null || closed.get()) {
            throw new IOException(cause == null ? "The connection is closed."
                : "The connection is lost (" + cause.getMessage() + ").", cause);
        }
    }

    /** Consumers first, which acknowledge their tail. */
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

    /** Everything on it is closed; called once. */
    protected abstract void end();
}
