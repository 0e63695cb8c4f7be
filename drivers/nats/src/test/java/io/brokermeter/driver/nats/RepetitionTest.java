package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.contract.Await;
import org.junit.jupiter.api.Test;

class RepetitionTest {

    /** The pings of a standstill must not all be sent at once, since one after three without an answer would end the connection. */
    @Test
    void whatWasDueInAStandstillIsNotMadeUpFor() {
        List<Long> moments = new CopyOnWriteArrayList<>();
        try (var repetition = new Repetition()) {
            repetition.scheduleAtFixedRate(() -> {
                moments.add(System.nanoTime());
                if (moments.size() == 1) {
                    LockSupport.parkNanos(1_000_000_000);
                }
            }, 0, 100, TimeUnit.MILLISECONDS);
            Await.until(() -> moments.size() > 4, () -> "it was repeated " + moments.size() + " times");
        }
        for (int i = 2; i < 5; i++) {
            assertThat(moments.get(i) - moments.get(i - 1)).as("between number %d and the next, in nanoseconds", i)
                .isGreaterThanOrEqualTo(100_000_000L);
        }
    }

    /** Guards against a few connections whose pings block on full queues and delay those of all others, so that no loss is detected. */
    @Test
    void aRunThatWaitsHoldsUpNoOther() throws InterruptedException {
        try (var repetition = new Repetition()) {
            var end = new CountDownLatch(1);
            var begun = new AtomicInteger();
            for (int i = 0; i < 50; i++) {
                repetition.scheduleAtFixedRate(() -> {
                    begun.incrementAndGet();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }, 0, 1, TimeUnit.MILLISECONDS);
            }
            var others = new CountDownLatch(20);
            repetition.scheduleAtFixedRate(others::countDown, 0, 1, TimeUnit.MILLISECONDS);
            try {
                assertThat(others.await(60, TimeUnit.SECONDS)).as("the others go on").isTrue();
                Await.until(() -> begun.get() >= 50, () -> begun + " runs have begun");
                assertThat(begun).as("one run of each task at a time").hasValue(50);
            } finally {
                end.countDown();
            }
        }
    }

    @Test
    void nothingIsLeftOfWhatWasCancelled() throws InterruptedException {
        try (var repetition = new Repetition()) {
            var waits = repetition.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
            waits.cancel(false);
            var begun = new CountDownLatch(1);
            var end = new CountDownLatch(1);
            var ended = new CountDownLatch(1);
            var runs = repetition.scheduleAtFixedRate(() -> {
                begun.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                ended.countDown();
            }, 0, 1, TimeUnit.HOURS);
            begun.await();
            runs.cancel(false);
            end.countDown();
            ended.await();
            assertThat(waits.isCancelled()).isTrue();
            assertThat(runs.isCancelled()).isTrue();
            assertThat(repetition.getQueue()).isEmpty();
        }
    }
}
