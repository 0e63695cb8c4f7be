package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AwakeTimeTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long EVER = 1_000_000;

    private final VirtualClock clock = new VirtualClock();
    private final AwakeTime time = new AwakeTime(clock);
    private final long began = time.nanos();

    @AfterEach
    void end() {
        clock.close();
    }

    @Test
    void aStandstillIsLeftOutOfAWait() {
        clock.oversleep(Duration.ofSeconds(20), EVER);
        time.park(2 * MILLI);
        assertThat(clock.elapsed()).isGreaterThan(20 * SECOND);
        assertThat(time.nanos() - began).isBetween(2 * MILLI, 3 * MILLI);
    }

    @Test
    void aStandstillIsLeftOutOfAWaitForAThread() {
        Thread other = clock.start("other", () -> clock.park(3_600 * SECOND));
        clock.oversleep(Duration.ofSeconds(20), EVER);
        time.join(other, 20 * MILLI);
        assertThat(clock.elapsed()).isGreaterThan(20 * SECOND);
        assertThat(time.nanos() - began).isBetween(20 * MILLI, 21 * MILLI);
    }

    @Test
    void whatABusyMachineAddsCounts() {
        clock.oversleep(Duration.ofMillis(900), EVER);
        time.park(2 * MILLI);
        assertThat(time.nanos() - began).isBetween(902 * MILLI, 903 * MILLI);
    }

    @Test
    void aWaitThatEndsEarlyCountsAsItWas() {
        clock.unpark(Thread.currentThread());
        time.park(20 * SECOND);
        time.park(2 * MILLI);
        assertThat(time.nanos() - began).isCloseTo(clock.nanos() - began, within(MILLI));
    }

    @Test
    void standstillsAreLeftOutForTwoMinutesInAll() {
        clock.oversleep(Duration.ofSeconds(50), EVER);
        for (int i = 0; i < 4; i++) {
            time.park(2 * MILLI);
        }
        assertThat(time.nanos() - began).isBetween(80 * SECOND, 81 * SECOND);
    }
}
