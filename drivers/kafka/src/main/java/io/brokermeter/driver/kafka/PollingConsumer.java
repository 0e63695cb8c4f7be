package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.DriverException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer with a thread of its own, the only one that uses the client: Kafka's clients have no thread that delivers, and a
 * member of a group must go on asking while others join.
 */
abstract class PollingConsumer implements Consumer, Runnable {

    static final Duration POLL = Duration.ofMillis(200);
    static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    final KafkaConnection connection;
    final DeliveryListener listener;
    private final String what;
    private final Thread thread;
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile boolean stopped;
    private volatile boolean failed;
    private volatile @Nullable Throwable failure;

    /** @param what what it receives from, for sentences */
    PollingConsumer(KafkaConnection connection, String what, DeliveryListener listener) {
        this.connection = connection;
        this.what = what;
        this.listener = listener;
        this.thread = Thread.ofPlatform().daemon().name("brokermeter-kafka-" + what).unstarted(this);
    }

    // ---- what the kinds of consumers do, on the consumer's thread but for wakeUp

    /** Subscribes. */
    abstract void open();

    /** Receives once and delivers; looks at {@link #stopped()} after each message. */
    abstract void receive();

    /** Acknowledges what was delivered and not yet acknowledged. */
    abstract void acknowledgeTail();

    /** Closes the client. */
    abstract void closeClient(Duration limit);

    /** Ends a wait of the client; any thread. */
    abstract void wakeUp();

    abstract Map<MetricName, ? extends Metric> metrics();

    /** Called by the thread that creates the consumer, when it did not become ready by itself in time; true when it is all the same. */
    boolean readyAnyway() throws DriverException {
        return false;
    }

    /** How long to wait for {@link #ready()} at most. */
    Duration patience() {
        return connection.settings().timeout();
    }

    // ----

    /** From now on a message that is published arrives. */
    final void ready() {
        ready.countDown();
    }

    final boolean stopped() {
        return stopped;
    }

    final void stop() {
        stopped = true;
        wakeUp();
    }

    /** Starts, and returns when the subscription is in effect. */
    final void begin() throws DriverException {
        thread.start();
        boolean begun;
        try {
            begun = ready.await(patience().toNanos(), TimeUnit.NANOSECONDS) || readyAnyway();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new DriverException("The wait for a consumer of " + what + " was interrupted.", e);
        }
        Throwable cause = failure;
        if (cause != null) {
            close();
            throw new DriverException("A consumer of " + what + " failed: " + Failures.text(cause) + ".", cause);
        }
        if (!begun) {
            close();
            throw new DriverException("A consumer of " + what + " had no place in its group after "
                + patience().toMillis() / 1e3 + " s; a member of it that was killed may still hold it, which ends by itself "
                + "within its session.timeout.ms.", null);
        }
    }

    @Override
    public final void run() {
        Watch.Client watched = connection.watch(metrics());
        try {
            open();
            while (!stopped) {
                receive();
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
            if (connection.lost() == null) {
                listener.failed(new DriverException("The last messages of " + what + " were not acknowledged: "
                    + Failures.text(e) + ".", e));
            }
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

    /** Ends this consumer with a cause, unless it is ended already. */
    final void fail(Exception cause) {
        if (failed || connection.lost() != null) {
            return;
        }
        failed = true;
        stopped = true;
        if (ready.getCount() > 0) {
            failure = cause;
        } else {
            listener.failed(new DriverException("Receiving from " + what + " ended: " + Failures.text(cause) + ".", cause));
        }
    }

    @Override
    public final void close() {
        stop();
        boolean interrupted = false;
        long deadline = System.nanoTime() + connection.settings().timeout().toNanos() * 2 + 1_000_000_000;
        while (thread.isAlive() && System.nanoTime() < deadline && thread != Thread.currentThread()) {
            try {
                thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        connection.forget(this);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
