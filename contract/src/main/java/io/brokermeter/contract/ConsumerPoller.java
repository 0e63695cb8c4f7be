package io.brokermeter.contract;

import java.time.Duration;

import io.brokermeter.spi.Consumer;
import org.jspecify.annotations.Nullable;

/** Polls a consumer that requires it on a thread of its own, as the engine does, until it is closed. */
public final class ConsumerPoller implements AutoCloseable {

    private final @Nullable Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    public ConsumerPoller(Consumer consumer) {
        thread = consumer.needsPolling() ? Thread.ofPlatform().daemon().name("contract-polling").start(() -> poll(consumer)) : null;
    }

    private void poll(Consumer consumer) {
        try {
            while (!stopped) {
                consumer.poll(Duration.ofMillis(100));
            }
        } catch (Exception e) {
            failure = e;
        }
    }

    /** Throws an error if polling failed. */
    public void check() {
        var cause = failure;
        if (cause != null) {
            throw new AssertionError("Polling failed.", cause);
        }
    }

    /** Ends polling. Returns after the last poll, and throws an error if that does not end within 60 s. */
    @Override
    public void close() throws InterruptedException {
        stopped = true;
        if (thread != null && !thread.join(Duration.ofSeconds(60))) {
            throw new AssertionError("A poll of 100 ms did not end within 60 s.");
        }
    }
}
