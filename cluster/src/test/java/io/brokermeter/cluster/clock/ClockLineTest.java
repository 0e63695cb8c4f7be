package io.brokermeter.cluster.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;

import org.junit.jupiter.api.Test;

class ClockLineTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void itIsExactWhateverTheSizeOfTheClocks() {
        ClockLine line = new ClockLine(4_000_000_000_000_000_001L, -3_000_000_000_000_000_003L, 20e-6, 10);
        assertThat(line.coordinator(4_000_000_000_000_000_001L)).isEqualTo(-3_000_000_000_000_000_003L);
        assertThat(line.coordinator(4_000_000_000_000_000_001L + SECOND)).isEqualTo(-3_000_000_000_000_000_003L + SECOND + 20_000);
        Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            long coordinator = line.coordinator() + random.nextLong(-SECOND * 100, SECOND * 100);
            assertThat(line.coordinator(line.agent(coordinator)) - coordinator).isBetween(-1L, 1L);
        }
        assertThat(ClockLine.parse(line.text())).isEqualTo(line);
        assertThat(ClockLine.SAME.coordinator(123_456_789_012_345L)).isEqualTo(123_456_789_012_345L);
    }

    @Test
    void itComesFromAnOffset() {
        ClockLine line = ClockLine.of(new Offset(5 * SECOND, 2 * SECOND, 700, 3e-6, 1e-6), 200_000_000);
        assertThat(line).isEqualTo(new ClockLine(5 * SECOND, 3 * SECOND, -3e-6, 700 + 400));
        assertThat(line.coordinator(6 * SECOND)).isEqualTo(4 * SECOND - 3_000);
    }

    /** Estimates with errors of up to 0.4 ms, ten times a second: time never runs backwards, and each bound holds. */
    @Test
    void timeNeverRunsBackwardsWhenLinesAreExchanged() {
        Random random = new Random(8);
        ClockLine line = ClockLine.SAME;
        long last = 0;
        for (long now = 0; now < 100 * SECOND; now += 100_000_000) {
            long wrong = random.nextLong(-400_000, 400_000);
            line = line.follow(new ClockLine(now, now + wrong, random.nextDouble(-5e-4, 5e-4), 400_000), now);
            assertThat(line.coordinator(now)).isGreaterThanOrEqualTo(last);
            assertThat(Math.abs(line.coordinator() - now)).isLessThanOrEqualTo(line.bound());
            for (long t = now; t < now + 100_000_000; t += 9_999_999) {
                assertThat(line.coordinator(t)).isGreaterThanOrEqualTo(last);
                last = line.coordinator(t);
            }
        }
    }

    @Test
    void itMeetsTheNewLineAfterASecond() {
        ClockLine old = new ClockLine(0, 0, 1e-6, 5);
        ClockLine target = new ClockLine(10 * SECOND, 10 * SECOND + 900_000, 2e-6, 7);
        ClockLine way = old.follow(target, 20 * SECOND);
        assertThat(way.coordinator(20 * SECOND)).isEqualTo(old.coordinator(20 * SECOND));
        assertThat(way.coordinator(21 * SECOND)).isEqualTo(target.coordinator(21 * SECOND));
        assertThat(way.bound()).isEqualTo(7 + 900_000);
    }

    @Test
    void aStepOfAClockIsAJump() {
        ClockLine old = new ClockLine(0, 0, 0, 5);
        ClockLine target = new ClockLine(0, -5_000_000, 0, 7);
        assertThat(old.follow(target, SECOND)).isEqualTo(new ClockLine(SECOND, SECOND - 5_000_000, 0, 7));
    }

    @Test
    void whatIsNoLineIsRefused() {
        assertThatThrownBy(() -> ClockLine.parse("1 2 3")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClockLine.parse("1 2 NaN 4")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClockLine.parse("1 2 0.9 4")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClockLine.parse("1 2 0 -4")).isInstanceOf(IllegalArgumentException.class);
    }
}
