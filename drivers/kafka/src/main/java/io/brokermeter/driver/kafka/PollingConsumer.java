package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A consumer whose client is used by a thread of its own: Kafka's clients have no delivery thread, and a member of a group must keep
 * polling while others join. If the engine polls, its thread uses the client, and the consumer's own thread only keeps the place in the
 * group meanwhile.
 */
abstract class PollingConsumer implements Consumer, Runnable {

    private static final Duration POLL = Duration.ofMillis(200);
    private static final long KEEPING_NANOS = 50_000_000;
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    final KafkaConnection connection;
    private final DeliveryListener listener;
    private final boolean polling;
    private final String what;
    private final Runnable wakeUp;
    private final Supplier<Map<MetricName, ? extends Metric>> metrics;
    private final Thread thread;
    /** Held by the thread that uses the client: the consumer's own, or the one that polls. */
    private final ReentrantLock turn = new ReentrantLock(true);
    /** Whether a polling thread holds {@link #turn}; guarded by it. */
    private boolean asked;
    private volatile long lastAsked;
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile boolean stopped;
    private volatile boolean failed;
    /** Whether the listener has a message; a close that waits for the broker is not to be put down to the listener. */
    private final AtomicBoolean delivering = new AtomicBoolean();
    private volatile @Nullable Throwable failure;

    /**
     * @param what what it receives from, for error messages
     * @param wakeUp ends a wait of the client; called by any thread
     * @param metrics returns the client's metrics
     */
    PollingConsumer(KafkaConnection connection, String what, ConsumerSettings how, DeliveryListener listener, Runnable wakeUp,
            Supplier<Map<MetricName, ? extends Metric>> metrics) {
        this.connection = connection;
        this.what = what;
        this.polling = how.polling();
        this.listener = listener;
        this.wakeUp = wakeUp;
        this.metrics = metrics;
        this.thread = Thread.ofPlatform().daemon().name("brokermeter-kafka-" + what).unstarted(this);
    }

    // ---- implemented by the kinds of consumers, called on the thread that uses the client

    /** Subscribes. */
    abstract void open();

    /** Receives once and delivers; checks {@link #stopped()} after each message. */
    abstract void receive(Duration limit);

    /** Keeps the place in the group while nobody polls; delivers nothing. */
    void keepPlace() {}

    /** Acknowledges the messages that were delivered and not yet acknowledged. */
    abstract void acknowledgeTail();

    /** Closes the client. */
    abstract void closeClient(Duration limit);

    /**
     * Waits for {@link #ready()}; called by the thread that creates the consumer.
     *
     * @return false if the consumer has no place in its group after the limit
     */
    boolean awaitPlace(CountDownLatch place, Duration limit) throws DriverException, InterruptedException {
        return place.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    // ----

    /** Returns the number of messages per acknowledgement, 0 to leave it to the client. */
    static int batch(ConsumerSettings how) {
        return how.ackMode() == AckMode.BATCH ? how.batch() : 0;
    }

    /** Delivers a message to the listener. */
    final Settlement deliver(ConsumerRecord<ByteBuffer, ByteBuffer> record, boolean again) {
        ByteBuffer value = record.value();
        ByteBuffer body = value == null ? EMPTY : value;
        Header envelope = record.headers().lastHeader(Payload.PROPERTY);
        return deliver(envelope == null || envelope.value() == null ? null : ByteBuffer.wrap(envelope.value()), body, again);
    }

    /** Delivers a message to the listener. */
    final Settlement deliver(@Nullable ByteBuffer envelope, ByteBuffer body, boolean again) {
        delivering.setOpaque(true);
        try {
            return envelope == null ? listener.delivered(body, again) : listener.delivered(envelope, body, again);
        } finally {
            delivering.setOpaque(false);
        }
    }

    /** Returns whether messages may be delivered now. */
    final boolean mayDeliver() {
        return !stopped && (asked || !polling);
    }

    /** Returns whether {@link #poll} is in progress. */
    final boolean isAsked() {
        return asked;
    }

    @Override
    public final boolean needsPolling() {
        return polling;
    }

    /** Delivers on the calling thread: makes one request to the client, which returns as soon as there is a message. */
    @Override
    public final void poll(Duration limit) {
        if (!polling || stopped) {
            LockSupport.parkNanos(limit.toNanos());
            return;
        }
        turn.lock();
        try {
            asked = true;
            if (!stopped) {
                receive(limit);
            }
        } catch (WakeupException e) {
            // stopped
        } catch (RuntimeException e) {
            fail(e);
        } finally {
            asked = false;
            lastAsked = System.nanoTime();
            turn.unlock();
        }
    }

    /** Signals that the subscription is in effect: messages published from now on arrive. */
    final void ready() {
        ready.countDown();
    }

    final boolean stopped() {
        return stopped;
    }

    final void stop() {
        stopped = true;
        wakeUp.run();
        LockSupport.unpark(thread);
    }

    /** Starts the thread, and returns when the subscription is in effect. */
    final void begin() throws DriverException {
        Duration limit = connection.settings().timeout();
        thread.start();
        boolean begun;
        try {
            begun = awaitPlace(ready, limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new DriverException("The wait for a consumer of " + what + " was interrupted.", e);
        } catch (DriverException e) {
            close();
            throw e;
        }
        Throwable cause = failure;
        if (cause != null) {
            close();
            throw new DriverException("A consumer of " + what + " failed: " + Failure.words(cause) + ".", cause);
        }
        if (!begun) {
            close();
            throw noPlace(limit, "");
        }
    }

    /** @param state state of the group, in parentheses, or empty */
    final DriverException noPlace(Duration limit, String state) {
        return new DriverException("A consumer of " + what + " had no place in its group" + state + " after "
            + limit.toMillis() / 1e3 + " s; a member of it that was killed may still hold it, which ends by itself "
            + "within its session.timeout.ms.", null);
    }

    @Override
    public final void run() {
        BrokerLossWatch.Client watched = connection.watch(metrics.get());
        turn.lock();
        try {
            open();
            while (!stopped && !(polling && ready.getCount() == 0)) {
                receive(POLL);
            }
            if (polling) {
                keepPlaces();
            }
        } catch (WakeupException e) {
            // stopped
        } catch (Exception e) {
            fail(e);
        } finally {
            connection.unwatch(watched);
            end();
            connection.forget(this);
            ready.countDown();
            turn.unlock();
        }
    }

    /** Leaves the client to the polling thread, and uses it to keep the place in the group when nobody polls. */
    private void keepPlaces() {
        lastAsked = System.nanoTime();
        while (!stopped) {
            turn.unlock();
            LockSupport.parkNanos(KEEPING_NANOS);
            turn.lock();
            if (!stopped && System.nanoTime() - lastAsked > KEEPING_NANOS) {
                keepPlace();
            }
        }
    }

    private void end() {
        try {
            if (connection.lost() == null && !failed) {
                try {
                    acknowledgeTail();
                } catch (WakeupException e) {
                    // it was for a wait that was over already
                    acknowledgeTail();
                }
            }
        } catch (Exception e) {
            notAcknowledged(e);
        } finally {
            connection.closeWithin(limit -> {
                try {
                    closeClient(limit);
                } catch (WakeupException e) {
                    closeClient(limit);
                }
            });
        }
    }

    /** Reports that the last messages of this consumer, which is at its end, are not acknowledged. */
    final void notAcknowledged(Exception cause) {
        failed = true;
        if (cause instanceof TimeoutException) {
            connection.foundSlow();
        }
        tell(new DriverException("The last messages of " + what + " were not acknowledged: " + Failure.words(cause) + ".", cause));
    }

    /** Returns whether a failure that ends this consumer was reported. */
    final boolean hasFailed() {
        return failed;
    }

    /** Reports a failure after which receiving continues. */
    final void tell(Exception cause) {
        if (connection.lost() == null) {
            listener.failed(cause);
        }
    }

    /** Ends this consumer with a cause, unless it has ended already. */
    final void fail(Exception cause) {
        if (failed || connection.lost() != null) {
            return;
        }
        failed = true;
        stopped = true;
        if (ready.getCount() > 0) {
            failure = cause;
        } else {
            listener.failed(new DriverException("Receiving from " + what + " ended: " + Failure.words(cause) + ".", cause));
        }
    }

    @Override
    public final void close() {
        stop();
        boolean interrupted = false;
        long limit = connection.settings().timeout().toNanos() * 2 + 1_000_000_000;
        long deadline = System.nanoTime() + limit;
        while (thread.isAlive() && System.nanoTime() < deadline && thread != Thread.currentThread()) {
            try {
                thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        connection.forget(this);
        if (delivering.getOpaque() && thread.isAlive() && thread != Thread.currentThread() && connection.lost() == null) {
            listener.failed(new DriverException("The last delivery from " + what + " did not end within " + limit / 1_000_000
                + " ms, so neither it nor what came before it since the last commit is acknowledged.", null));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
