package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Phases that end at 100 and at 200, and a third one without an end. */
class PhaseTimesTest {

    @ParameterizedTest
    @CsvSource({"-5, 0", "99, 0", "100, 1", "199, 1", "200, 2", "9000, 2"})
    void aPhaseLastsUntilTheNextOneBegins(long moment, int phase) {
        assertThat(PhaseTimes.of(true, 100, 200).at(moment)).isEqualTo(phase);
        assertThat(PhaseTimes.of(false, 100, 200).at(moment)).isEqualTo(phase);
        assertThat(PhaseTimes.of(false, 100, 200).of(moment, 9_000)).isEqualTo(phase);
        assertThat(PhaseTimes.ONE.of(moment, 9_000)).isZero();
    }

    /** A sample belongs to the phase in which its message was due, but a late one of the warm-up to none: it is overdue. */
    @ParameterizedTest
    @CsvSource({"50, 99, 0", "50, 100, 3", "99, 300, 3", "100, 100, 1", "100, 300, 1", "199, 250, 1", "250, 260, 2"})
    void whatWasDueInTheWarmUpAndComesAfterItIsOverdue(long due, long now, int phase) {
        assertThat(PhaseTimes.of(true, 100, 200).of(due, now)).isEqualTo(phase);
    }

    @ParameterizedTest
    @CsvSource({"49, 3", "50, 0", "100, 1", "250, 2"})
    void whatIsDeliveredBeforeTheFirstPhaseBelongsToNone(long moment, int phase) {
        assertThat(PhaseTimes.of(true, 100, 200).from(50).ofDelivery(moment)).isEqualTo(phase);
    }

    @Test
    void aDeliveryComesInAPhaseOnlyIfThatHasBegun() {
        assertThat(PhaseTimes.notBegun(3).ofDelivery(1_000_000)).isEqualTo(3);
        assertThat(PhaseTimes.notBegun(3).from(10).ofDelivery(20)).isZero();
        assertThat(PhaseTimes.ONE.ofDelivery(Long.MIN_VALUE)).isZero();
    }
}
