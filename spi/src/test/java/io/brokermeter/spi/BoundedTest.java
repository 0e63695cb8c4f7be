package io.brokermeter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BoundedTest {

    /** Guards against a leak: a connection that was made while the caller gave up was neither returned nor closed. */
    @Test
    void whatIsMadeIsReturnedOrDisposedOf() throws Exception {
        var disposed = new AtomicInteger();
        int returned = 0;
        int calls = 0;
        // On a machine where each thread waits long for a processor, fewer calls must suffice.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (int i = 0; i < 5_000 && System.nanoTime() - end < 0; i++) {
            calls++;
            try {
                // about the time that a thread takes to start
                Bounded.call(Duration.ofNanos(20_000 + i % 100 * 1_000), "trying", () -> "made", made -> disposed.incrementAndGet());
                returned++;
            } catch (TimeoutException e) {
                // the result is disposed of soon
            }
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (returned + disposed.get() < calls && System.nanoTime() - deadline < 0) {
            Thread.sleep(1);
        }
        assertThat(returned + disposed.get()).isEqualTo(calls);
    }

    /** The process stands still for an hour in one look at the result, and the limit is not over. */
    @Test
    void aTimeForWhichTheProcessStoodStillIsNotTheBrokers() throws Exception {
        var time = new AtomicLong();
        var result = new CompletableFuture<String>() {

            private int looks;

            @Override
            public String get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
                time.addAndGet(looks == 0 ? TimeUnit.HOURS.toNanos(1) : unit.toNanos(timeout));
                if (++looks == 5) {
                    complete("late");
                }
                return super.get(0, unit);
            }
        };
        assertThat(Bounded.get(result, Duration.ofSeconds(5), time::get)).isEqualTo("late");
        time.set(0);
        assertThatThrownBy(() -> Bounded.get(new CompletableFuture<>(), Duration.ofMillis(500), () -> time.getAndAdd(100_000_000)))
            .isInstanceOf(TimeoutException.class);
        assertThat(time.get()).isEqualTo(600_000_000);
    }

    @Test
    void waitsForTheEndOfAThread() throws Exception {
        Thread thread = Thread.ofPlatform().daemon().start(() -> LockSupport.park());
        assertThat(Bounded.join(thread, Duration.ofMillis(1))).isFalse();
        LockSupport.unpark(thread);
        assertThat(Bounded.join(thread, Duration.ofSeconds(60))).isTrue();
    }

    @Test
    void throwsWhatTheWorkThrows() {
        assertThatThrownBy(() -> Bounded.call(Duration.ofSeconds(60), "trying", () -> {
            throw new IllegalStateException("no");
        })).isInstanceOf(IllegalStateException.class).hasMessage("no");
        assertThatThrownBy(() -> Bounded.call(Duration.ofMillis(10), "waiting", () -> {
            Thread.sleep(Duration.ofMinutes(2));
            return 1;
        })).isInstanceOf(TimeoutException.class).hasMessage("The broker did not answer within 0.01 s while waiting.");
    }
}
