package io.brokermeter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

class BoundedTest {

    /** Guards against a leak: a connection that was made while the caller gave up was neither returned nor closed. */
    @Test
    void whatIsMadeIsReturnedOrDisposedOf() throws Exception {
        var disposed = new AtomicInteger();
        int returned = 0;
        int calls = 0;
        // On a machine where each thread waits long for a processor, fewer calls must suffice.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (int i = 0; i < 20_000 && System.nanoTime() - end < 0; i++) {
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
