package io.brokermeter.driver.loopback;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoopbackConnectionTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    @Test
    void twoConnectionsMeetWhileOthersComeAndGo() throws Exception {
        var url = "loopback://coming-and-going";
        var over = new AtomicBoolean();
        var others = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                connect(url).close();
            }
        });
        try {
            for (int i = 0; i < 50_000; i++) {
                var deliveries = new Deliveries();
                try (Connection one = connect(url); Connection other = connect(url)) {
                    other.consumer(QUEUE, auto(), deliveries);
                    one.producer(QUEUE, plain(), new Sends()).send(payload("m"), 0);
                    assertThat(deliveries.count()).as("deliveries in round " + i).isEqualTo(1);
                }
            }
        } finally {
            over.set(true);
        }
        others.get(60, TimeUnit.SECONDS);
    }

    /** Guards against a second close that takes away the broker which has come since the first. */
    @Test
    void aConnectionThatIsClosedTwiceEndsNoLaterBroker() throws Exception {
        var url = "loopback://closed-twice";
        var early = connect(url);
        early.close();
        var deliveries = new Deliveries();
        try (Connection one = connect(url)) {
            early.close();
            try (Connection other = connect(url)) {
                other.consumer(QUEUE, auto(), deliveries);
                one.producer(QUEUE, plain(), new Sends()).send(payload("m"), 0);
            }
        }
        assertThat(deliveries.texts()).containsExactly("m");
    }

    @Test
    void whatIsLeftInAQueueIsServedToThoseWhoComeLater() throws Exception {
        var url = "loopback://left";
        try (Connection first = connect(url)) {
            first.producer(QUEUE, plain(), new Sends()).send(payload("m"), 0);
        }
        var deliveries = new Deliveries(its -> its.redelivered() ? Settlement.ACCEPT : Settlement.REQUEUE);
        try (Connection second = connect(url)) {
            second.consumer(QUEUE, auto(), deliveries);
            deliveries.await(2);
        }
        assertThat(deliveries.texts()).containsExactly("m", "m");
    }

    /** Guards against messages that are confirmed, by the commit or by the close, but never delivered. */
    @ParameterizedTest
    @CsvSource({"true, ", "false, ", "true, &die-for=1ms", "false, &die-for=1ms"})
    void aTransactionFailsThatTheBrokerDoesNotLiveToSee(boolean commits, @Nullable String revival) throws Exception {
        var url = "loopback://dying-" + commits + (revival == null ? "" : "-again") + "?die-at=1ms" + (revival == null ? "" : revival);
        var log = new ConnectionLog();
        var deliveries = new Deliveries();
        var sends = new Sends();
        try (Connection connection = connect(url, log)) {
            connection.consumer(QUEUE, auto(), deliveries);
            var producer = connection.producer(QUEUE, transacted(), sends);
            for (int i = 0; i < 3; i++) {
                producer.send(payload("m"), i);
            }
            connection.producer(QUEUE, plain(), new Sends()).send(payload("first"), 0);
            Await.until(() -> !log.losses().isEmpty(), () -> "the broker lives");
            if (commits) {
                assertThatThrownBy(producer::commit).hasMessageContaining("dead");
            }
            producer.close();
            sends.closed();
        }
        assertThat(sends.failures()).containsOnlyKeys(0L, 1L, 2L);
        assertThat(sends.confirmed()).isZero();
        assertThat(deliveries.texts()).doesNotContain("m");
    }

    /** Nothing arrives while a consumer is called, which is called under the lock that a death waits for as well. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatHadNotArrivedWhenTheBrokerDiedIsRefusedAndNotServedAfterItsRevival(boolean commits) throws Exception {
        var time = new ShiftedTime();
        var busy = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var deliveries = new Deliveries(its -> {
            busy.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return Settlement.ACCEPT;
        });
        var sends = new Sends();
        var log = new ConnectionLog();
        var settings = new ConnectionSettings("loopback://late-" + commits + "?die-at=60m&die-for=60m", null, null, null,
            Duration.ofSeconds(5));
        // the consumer goes on before the connection is closed, which would wait for it for ever
        try (Connection connection = new LoopbackDriver(time).connect(settings, log); AutoCloseable _ = goOn::countDown) {
            connection.consumer(QUEUE, auto(), deliveries);
            connection.producer(QUEUE, plain(), new Sends()).send(payload("first"), 0);
            busy.await();
            var producer = connection.producer(QUEUE, commits ? transacted() : plain(), sends);
            var late = new FutureTask<@Nullable Void>(() -> {
                producer.send(payload("late"), 0);
                if (commits) {
                    producer.commit();
                }
                return null;
            });
            Thread sender = Thread.ofPlatform().daemon().start(late);
            Await.until(() -> sender.getState() == Thread.State.BLOCKED, () -> "the sender does not wait: " + sender.getState());
            time.pass(Duration.ofHours(1));
            Await.until(((LoopbackConnection) connection)::isGone, () -> "the broker lives");
            goOn.countDown();

            assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS)).hasMessageContaining("the loopback broker is dead");
            assertThat(sends.failures()).hasSize(commits ? 1 : 0);
            assertThat(sends.confirmed()).isZero();
            Await.until(() -> !log.losses().isEmpty(), () -> "the connection is not lost");
            time.pass(Duration.ofHours(1));
        }
    }

    /** On a busy machine the thread of the death begins late. */
    @Test
    void theTimeOfADeathCountsFromTheFirstMessage() throws Exception {
        var begins = new CountDownLatch(1);
        var time = new ShiftedTime() {
            @Override
            public Thread start(String name, boolean virtual, Runnable task) {
                return super.start(name, virtual, () -> {
                    if (name.equals("loopback-death")) {
                        Await.until(() -> begins.getCount() == 0, () -> "the test did not go on");
                    }
                    task.run();
                });
            }
        };
        var settings = new ConnectionSettings("loopback://late-death?die-at=60m", null, null, null, Duration.ofSeconds(5));
        try (Connection connection = new LoopbackDriver(time).connect(settings, new ConnectionLog())) {
            connection.producer(QUEUE, plain(), new Sends()).send(payload("m"), 0);
            time.pass(Duration.ofHours(1));
            begins.countDown();
            Await.until(((LoopbackConnection) connection)::isGone, () -> "the broker lives");
        }
    }

    /** The time of the JVM, and what a test adds to it. */
    private static class ShiftedTime implements LoopbackTime {

        private final AtomicLong added = new AtomicLong();

        void pass(Duration more) {
            added.addAndGet(more.toNanos());
        }

        @Override
        public long nanos() {
            return SYSTEM.nanos() + added.get();
        }

        @Override
        public void park(long nanos) {
            SYSTEM.park(Math.min(nanos, 1_000_000));
        }

        @Override
        public void unpark(Thread thread) {
            SYSTEM.unpark(thread);
        }

        @Override
        public void await(Object monitor, long nanos) throws InterruptedException {
            SYSTEM.await(monitor, Math.min(nanos, 1_000_000));
        }

        @Override
        public void signal(Object monitor) {
            SYSTEM.signal(monitor);
        }

        @Override
        public Thread start(String name, boolean virtual, Runnable task) {
            return SYSTEM.start(name, virtual, task);
        }
    }

    private static Connection connect(String url) {
        return connect(url, new ConnectionLog());
    }

    private static Connection connect(String url, ConnectionLog log) {
        try {
            return new LoopbackDriver().connect(new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5)), log);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
