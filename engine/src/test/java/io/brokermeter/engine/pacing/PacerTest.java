package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.scenario.Pacing;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PacerTest {

    private static final BooleanSupplier GOES_ON = () -> false;

    /** A clock on which each reading takes 100 ns, and a park as long as was asked for, unless it is cut short. */
    private static final class FakeClock extends Clock {

        private static final long READING = 100;

        private final List<Long> parks = new ArrayList<>();
        private long now = 1_000_000;
        private long cutShort;
        private int readings;

        @Override
        public long nanos() {
            readings++;
            long read = now;
            now += READING;
            return read;
        }

        @Override
        public void park(long nanos) {
            parks.add(nanos);
            now += nanos - cutShort;
        }

        @Override
        public void unpark(@Nullable Thread thread) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Thread start(String name, Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void join(Thread thread, long nanos) {
            throw new UnsupportedOperationException();
        }
    }

    private final FakeClock clock = new FakeClock();

    private Pacer pacer(Pacing pacing) {
        return Pacer.of(pacing, 1, 1, clock);
    }

    /**
     * Guards against a parking thread that is taken for a spinning one: its use of a whole processor, and a timer slack that the kernel
     * refuses, would not be reported.
     */
    @ParameterizedTest
    @CsvSource({"AUTO, 1, 2, false", "AUTO, 1, 3, false", "AUTO, 1, 4, true", "AUTO, 2, 4, false", "AUTO, 2, 6, true", "AUTO, 3, 7, false",
        "AUTO, 3, 8, true", "PARK, 1, 64, false", "HYBRID, 1, 1, true", "SPIN, 1, 1, true"})
    void spinsWithProcessorsToSpareOrWhenItIsAskedTo(Pacing pacing, int senders, int processors, boolean spins) {
        assertThat(Pacer.of(pacing, senders, processors, Clock.SYSTEM).spins()).isEqualTo(spins);
    }

    @Test
    void aParkingPacerParksUntilTheDeadlineAndDoesNotSpin() {
        long deadline = clock.now + 5_000_000;
        long last = pacer(Pacing.PARK).await(deadline, GOES_ON);

        assertThat(clock.parks).containsExactly(5_000_000L);
        assertThat(clock.readings).isEqualTo(2);
        assertThat(last).isBetween(deadline, deadline + FakeClock.READING);
    }

    /** A park takes longer than 2 us whatever it is asked for, so the caller sees the moment sooner without one. */
    @ParameterizedTest
    @CsvSource({"2000, false", "2001, true", "0, false", "-7, false"})
    void aParkingPacerDoesNotParkForLessThanAParkTakes(long left, boolean parks) {
        long before = clock.now;
        long last = pacer(Pacing.PARK).await(before + left, GOES_ON);

        assertThat(clock.parks).hasSize(parks ? 1 : 0);
        assertThat(last).isEqualTo(parks ? before + left + FakeClock.READING : before);
    }

    @Test
    void aHybridPacerParksUpToTheLast60MicrosecondsAndSpinsThrough() {
        long deadline = clock.now + 5_000_000;
        long last = pacer(Pacing.HYBRID).await(deadline, GOES_ON);

        assertThat(clock.parks).containsExactly(4_940_000L);
        assertThat(clock.readings).as("readings, 100 ns each, in 60 us").isBetween(600, 602);
        assertThat(last).isBetween(deadline, deadline + FakeClock.READING - 1);
    }

    @Test
    void aHybridPacerOnlySpinsWhenLessIsLeft() {
        long deadline = clock.now + 60_000;
        long last = pacer(Pacing.HYBRID).await(deadline, GOES_ON);

        assertThat(clock.parks).isEmpty();
        assertThat(last).isEqualTo(deadline);
    }

    /** Something else became due: whoever waited must look at once, and not after the spinning. */
    @Test
    void aHybridPacerThatIsWokenEarlyReturnsWithoutSpinning() {
        clock.cutShort = 1_000_000;
        long deadline = clock.now + 5_000_000;
        long last = pacer(Pacing.HYBRID).await(deadline, GOES_ON);

        assertThat(clock.readings).isEqualTo(2);
        assertThat(last).isLessThan(deadline - 60_000);
    }

    @Test
    void aSpinningPacerNeverParks() {
        long deadline = clock.now + 1_000_000;
        long last = pacer(Pacing.SPIN).await(deadline, GOES_ON);

        assertThat(clock.parks).isEmpty();
        assertThat(clock.readings).isEqualTo(10_001);
        assertThat(last).isEqualTo(deadline);
    }

    @ParameterizedTest
    @EnumSource(value = Pacing.class, names = {"HYBRID", "SPIN"})
    void spinningEndsWhenTheRunIsStopped(Pacing pacing) {
        long deadline = clock.now + 50_000;
        long last = pacer(pacing).await(deadline, () -> clock.readings >= 10);

        assertThat(clock.readings).isEqualTo(10);
        assertThat(last).isLessThan(deadline);
    }

    @ParameterizedTest
    @EnumSource(Pacing.class)
    void aDeadlineThatHasPassedCostsOneReading(Pacing pacing) {
        long before = clock.now;
        long last = pacer(pacing).await(before - 1, GOES_ON);

        assertThat(last).isEqualTo(before);
        assertThat(clock.readings).isEqualTo(1);
        assertThat(clock.parks).isEmpty();
    }
}
