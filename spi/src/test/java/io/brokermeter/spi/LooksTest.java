package io.brokermeter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class LooksTest {

    @Test
    void aStandstillCountsLittle() {
        var clock = new AtomicLong(-5);
        var looks = new Looks(clock::get);
        assertThat(looks.look()).isZero();
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(looks.look()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(5));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
        assertThat(looks.look()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(105));
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(looks.look()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(110));
    }
}
