package io.brokermeter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class AwakeDeadlineTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    void aStandstillCountsLittle() {
        var clock = new AtomicLong(-5);
        var deadline = new AwakeDeadline(110 * MILLI, clock::get);
        assertThat(deadline.waited()).isZero();
        clock.addAndGet(5 * MILLI);
        assertThat(deadline.waited()).isEqualTo(5 * MILLI);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        assertThat(deadline.left()).isEqualTo(5 * MILLI);
        clock.addAndGet(5 * MILLI - 1);
        assertThat(deadline.isOver()).isFalse();
        clock.addAndGet(1);
        assertThat(deadline.isOver()).isTrue();
        assertThat(deadline.waited()).isEqualTo(110 * MILLI);
    }
}
