package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class AlarmTest {

    private static final long LIMIT_NANOS = 60_000_000_000L;

    @Test
    void aMomentThatIsSetWhileItRingsForAnotherOneIsNotForgotten() {
        AtomicLong rang = new AtomicLong(Long.MIN_VALUE);
        SplittableRandom random = new SplittableRandom(1);
        try (Alarm alarm = new Alarm("alarm-test", () -> rang.set(System.nanoTime()))) {
            // On a machine where each thread waits long for a processor, fewer rounds must suffice.
            long end = System.nanoTime() + LIMIT_NANOS;
            for (int i = 0; i < 20_000 && System.nanoTime() - end < 0; i++) {
                long last = 0;
                // Sets the alarm so often that its thread is awake when the last moment is set.
                for (long until = System.nanoTime() + random.nextLong(100_000); last < until;) {
                    last = System.nanoTime();
                    alarm.set(last);
                }
                while (rang.get() < last) {
                    assertThat(System.nanoTime()).as("round %d", i).isLessThan(last + LIMIT_NANOS);
                    Thread.yield();
                }
            }
        }
    }
}
