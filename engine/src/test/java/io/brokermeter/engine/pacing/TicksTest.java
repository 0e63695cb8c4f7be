package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TicksTest {

    /** Ticks of 500 ns of a load from 1,000 to 2,800 end at 1,000, 1,500, 2,000, 2,500 and, the last, at 2,800. */
    @ParameterizedTest
    @CsvSource({"1000,1000", "1001,1500", "1499,1500", "1500,1500", "1501,2000", "2500,2500", "2501,2800", "2799,2800"})
    void aTickEndsAtTheNextMultipleOfItsLength(long due, long expected) {
        assertThat(new Ticks(1_000, 2_800, 500).endOf(due)).isEqualTo(expected);
    }

    @Test
    void theOrderOfQuestionsChangesNoAnswer() {
        Ticks ticks = new Ticks(1_000, Long.MAX_VALUE, 500);
        for (long due = 9_000; due >= 1_000; due--) {
            long end = ticks.endOf(due);
            assertThat(end).isBetween(due, due + 499);
            assertThat((end - 1_000) % 500).isZero();
            assertThat(ticks.endOf(1_000 + 7 * (due % 1_000)))
                .isEqualTo(new Ticks(1_000, Long.MAX_VALUE, 500).endOf(1_000 + 7 * (due % 1_000)));
        }
    }

    @Test
    void withoutTicksEachMomentIsItsOwnEnd() {
        assertThat(new Ticks(1_000, 2_000, 0).endOf(1_234)).isEqualTo(1_234);
    }
}
