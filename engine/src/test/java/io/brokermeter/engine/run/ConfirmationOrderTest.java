package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.junit.jupiter.api.Test;

/** A broker that confirms one message late, together with others, just when the sending thread needs its slot again. */
class ConfirmationOrderTest {

    private static final int WINDOW = 8;
    private static final int MESSAGES = 400_000;

    @Test
    void aMessageThatIsBeingSetAsideIsConfirmedOnce() throws Exception {
        RunResult r = LoopbackRun.of().over(driver()).sendOnly().maxPending(WINDOW).count(MESSAGES).on("queue://q").execute();
        assertThat(r.sent()).isEqualTo(MESSAGES);
        assertThat(r.completed()).isEqualTo(MESSAGES);
    }

    private static Driver driver() {
        LoopbackDriver loopback = new LoopbackDriver();
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
            Object result = unwrapped(() -> method.invoke(loopback, args));
            return method.getName().equals("connect") ? connection((Connection) result) : result;
        });
    }

    private static Connection connection(Connection loopback) {
        return (Connection) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, args) ->
            method.getName().equals("producer") ? new Late((SendListener) args[2]) : unwrapped(() -> method.invoke(loopback, args)));
    }

    private interface Call {
        Object call() throws Exception;
    }

    private static Object unwrapped(Call call) throws Throwable {
        try {
            return call.call();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Confirms by a thread of its own: the first of {@link #WINDOW} messages only with the last of them. */
    private static final class Late implements Producer {

        private final SendListener listener;
        private final AtomicLong sent = new AtomicLong();
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile boolean closing;

        Late(SendListener listener) {
            this.listener = listener;
            Thread.ofPlatform().daemon().start(this::confirm);
        }

        @Override
        public void send(Payload payload, long token) {
            sent.set(token + 1);
        }

        private void confirm() {
            long next = 0;
            while (!closing || next < sent.get()) {
                if (next == sent.get()) {
                    Thread.onSpinWait();
                    continue;
                }
                int place = (int) (next % WINDOW);
                if (place == WINDOW - 1) {
                    listener.confirmedUpTo(next);
                } else if (place > 0) {
                    listener.confirmed(next);
                }
                next++;
            }
            ended.countDown();
        }

        @Override
        public void close() {
            closing = true;
            try {
                assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
