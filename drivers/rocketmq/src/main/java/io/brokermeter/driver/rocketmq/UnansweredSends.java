package io.brokermeter.driver.rocketmq;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.jspecify.annotations.Nullable;

/** The unanswered sends of a producer. Each token is reported once, by its answer or by {@link #giveUpAll}. */
final class UnansweredSends {

    private static final long PAUSE_NANOS = 200_000;

    private final TokenWindow window;
    private final String topic;
    private final int most;
    private volatile @Nullable Throwable over;

    /**
     * @param most the most unanswered sends, beyond which {@link #add} waits, since the client itself blocks beyond some number of requests
     */
    UnansweredSends(SendListener listener, int maxPending, String topic, int most) {
        this.window = new TokenWindow(listener, maxPending);
        this.topic = topic;
        this.most = most;
    }

    /** One send; its answer comes from a thread of the client. */
    private final class Pending implements SendCallback {

        private final long number;

        Pending(long number) {
            this.number = number;
        }

        @Override
        public void onSuccess(SendResult result) {
            if (result.getSendStatus() == SendStatus.SEND_OK) {
                window.confirm(number);
                window.report();
            } else {
                // the master has the message, and may lose it
                window.giveUp(number, Causes.ofStatus(result.getSendStatus()));
            }
        }

        @Override
        public void onException(Throwable thrown) {
            DriverException cause = Causes.ofSend(thrown, topic);
            if (Causes.isRefusal(thrown)) {
                window.refuse(number, number, cause);
            } else {
                window.giveUp(number, cause);
            }
        }
    }

    /**
     * Adds a send that is about to happen. Called by the sending thread; waits while too many sends are unanswered.
     *
     * @throws Exception if there will be no more answers
     */
    SendCallback add(long token) throws Exception {
        if (window.count() >= most) {
            await(most / 2, Long.MAX_VALUE);
        }
        Throwable cause = over;
        if (cause != null) {
            throw Causes.again(cause);
        }
        Pending pending = new Pending(window.sent());
        window.add(token);
        Throwable late = over;
        if (late != null) {
            // It may have run in between, and has missed this send then.
            window.giveUpAll(late);
        }
        return pending;
    }

    /** Reports all unanswered sends as unknown. From now on {@link #add} throws. */
    void giveUpAll(Throwable cause) {
        if (over == null) {
            over = cause;
        }
        window.giveUpAll(cause);
    }

    /** Waits until every send so far has been answered, at most for the given time; returns false if some have not. */
    boolean awaitAll(long millis) throws InterruptedException {
        return await(0, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private boolean await(long left, long nanos) throws InterruptedException {
        long begin = System.nanoTime();
        while (window.count() > left && over == null && System.nanoTime() - begin < nanos) {
            LockSupport.parkNanos(PAUSE_NANOS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return window.count() <= left;
    }
}
