package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PunctualityTest {

    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    /** The time that a reading of the clock takes, in nanoseconds. */
    private static final long LOOK = 20;

    private long now;

    private final Punctuality punctual = new Punctuality(() -> now += LOOK);

    /** Sleeps until {@code due} with a kernel that wakes the thread late, and returns the time at which the thread continues. */
    private long sleep(long due, long late) {
        long asked = punctual.wakeFor(due, now);
        assertThat(asked).isLessThanOrEqualTo(due);
        now = asked + late;
        return punctual.await(due);
    }

    @Test
    void itLearnsHowLateItIsAndIsThereInTime() {
        long due = 0;
        for (int i = 0; i < 100; i++) {
            due += 10 * MILLI;
            long there = sleep(due, 50 * MICRO);
            assertThat(there).isGreaterThanOrEqualTo(due);
            if (i > 50) {
                assertThat(there - due).isLessThan(2 * MICRO);
            }
        }
    }

    @Test
    void itIsNeverEarlyHoweverLateItIsWoken() {
        long due = 0;
        for (int i = 0; i < 1_000; i++) {
            due += 5 * MILLI;
            assertThat(sleep(due, i * 7_919L % (300 * MICRO))).isGreaterThanOrEqualTo(due);
        }
    }

    /** Spinning for 100 us at a wake-up in each millisecond would use a tenth of a processor. */
    @Test
    void itWaitsOnTheProcessorForASmallPartOfTheTime() {
        long due = 0;
        long spun = 0;
        for (int i = 0; i < 10_000; i++) {
            due = now + MILLI;
            long asked = punctual.wakeFor(due, now);
            long woken = asked + (i % 2 == 0 ? 90 * MICRO : 0);
            now = woken;
            spun += Math.max(0, punctual.await(due) - woken - LOOK);
        }
        assertThat(spun).isPositive().isLessThanOrEqualTo(now / 45);
    }

    @Test
    void whatComesSoonIsAskedForAtItsMoment() {
        for (int i = 0; i < 100; i++) {
            sleep(now + 10 * MILLI, 50 * MICRO);
        }
        assertThat(punctual.wakeFor(now + 300 * MICRO, now)).isEqualTo(now + 300 * MICRO);
        assertThat(punctual.wakeFor(now + 10 * MILLI, now)).isLessThan(now + 10 * MILLI - 40 * MICRO);
    }

    /** An event wakes a thread as late as a timer does. */
    @Test
    void whatCameWhileItSleptHadComeEarlier() {
        assertThat(punctual.behind(now, now + 10 * MILLI)).as("nothing is learnt yet").isZero();
        for (int i = 0; i < 100; i++) {
            sleep(now + 10 * MILLI, 50 * MICRO);
        }
        assertThat(punctual.behind(now, now + 10 * MILLI)).isBetween(49 * MICRO, 51 * MICRO);
        assertThat(punctual.behind(now, now + 10 * MICRO)).as("not before it began to wait").isEqualTo(10 * MICRO);
    }

    /** An event for another purpose wakes the thread before the requested moment, so it neither learns a lateness nor spins. */
    @Test
    void aWakeUpBeforeItsMomentIsNone() {
        long due = 10 * MILLI;
        punctual.wakeFor(due, now);
        now = 2 * MILLI;
        assertThat(punctual.await(due)).isLessThan(2 * MILLI + MICRO);
    }
}
