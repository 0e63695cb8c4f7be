package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rates in steps: 1,000/s for 10 s, silence for 10 s, and 500/s from then on. */
class DueRatesTest {

    private static final long SECOND = 1_000_000_000;
    private static final DueRates PAUSED = rates(0, 1_000, 10, 0, 20, 500);

    /** Returns rates from pairs of a begin in seconds and a rate. */
    private static DueRates rates(double... pairs) {
        List<DueRates.Step> steps = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            steps.add(new DueRates.Step((long) (pairs[i] * SECOND), pairs[i + 1]));
        }
        return new DueRates(steps);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1000000", "10000, 10000000000", "10001, 20002000000", "11000, 22000000000"})
    void aMessageIsDueWhenItsStepHasReachedIt(long messages, long nanos) {
        assertThat(PAUSED.dueAt(messages)).isEqualTo(nanos);
    }

    @Test
    void whatIsNeverDueOrUnknownHasNoMoment() {
        assertThat(PAUSED.until(15 * SECOND).dueAt(10_000)).isEqualTo(10 * SECOND);
        assertThat(PAUSED.until(15 * SECOND).dueAt(10_001)).isEqualTo(Long.MAX_VALUE);
        assertThat(DueRates.STEADY.dueAt(1)).isEqualTo(Long.MAX_VALUE);
        assertThat(rates(0, Double.NaN, 10, 100).dueAt(1)).isEqualTo(Long.MAX_VALUE);
        assertThat(rates(0, 1_000, 10, 500, 20, 250).dueAt(16_000)).isEqualTo(24 * SECOND);
        assertThat(rates(0, 0, 10, 100).dueAt(0)).isEqualTo(10 * SECOND);
    }

    @Test
    void nothingIsDueFromTheEndOn() {
        assertThat(PAUSED.until(5 * SECOND)).isEqualTo(rates(0, 1_000, 5, 0));
        assertThat(PAUSED.until(20 * SECOND)).isEqualTo(rates(0, 1_000, 10, 0, 20, 0));
    }

    @Test
    void theRatesOfGroupsAreAddedAndEqualOnesJoined() {
        assertThat(DueRates.sum(List.of(rates(0, 100, 10, 200), rates(0, 50, 20, 0)))).isEqualTo(rates(0, 150, 10, 250, 20, 200));
        assertThat(DueRates.sum(List.of(rates(0, 100, 10, 0), rates(0, 0, 10, 100)))).isEqualTo(rates(0, 100));
        assertThat(DueRates.sum(List.of(rates(0, 100), rates(0, Double.NaN)))).isEqualTo(rates(0, Double.NaN));
    }

    /** @param end millisecond at which the step ends; -1 for never, as of the next silence */
    @ParameterizedTest
    @CsvSource({"0, true, 0, 10000, 10000", "9999, true, 0, 10000, 10000", "10000, false, 10000, 20000, -1",
        "19999, false, 10000, 20000, -1", "20000, true, 20000, -1, -1"})
    void aMillisecondBelongsToAStep(int millisecond, boolean steady, int begin, int end, int silence) {
        assertThat(PAUSED.isSteady(millisecond)).isEqualTo(steady);
        assertThat(PAUSED.begin(millisecond)).isEqualTo(begin);
        assertThat(PAUSED.end(millisecond)).isEqualTo(end < 0 ? Integer.MAX_VALUE : end);
        assertThat(PAUSED.silence(millisecond)).isEqualTo(silence < 0 ? Integer.MAX_VALUE : silence);
    }

    @Test
    void aStepThatBeginsWithinAMillisecondHasTheNextOne() {
        DueRates within = new DueRates(List.of(new DueRates.Step(0, 1), new DueRates.Step(10_000_001, 2)));
        assertThat(within.end(5)).isEqualTo(11);
        assertThat(within.begin(11)).isEqualTo(11);
        assertThat(rates(0, Double.NaN).isSteady(5)).isFalse();
        assertThat(DueRates.STEADY.isSteady(5)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 9000, 9000", "5000, 15000, 10000", "12000, 15000, 12000", "0, 20000, 20000", "0, 10000, 10000"})
    void somethingIsDueUpToTheBeginOfASilence(int from, int end, int last) {
        assertThat(PAUSED.lastDue(from, end)).isEqualTo(last);
    }

    /** 900/s were reached of 1,000/s that were due, and half as much is due from 10 s on, or twice as much. */
    @Test
    void asMuchIsExpectedAsTheShareThatWasReachedOfWhatIsDue() {
        DueRates half = rates(0, 1_000, 10, 500);
        assertThat(half.expected(5_000, 900, 9_000, 10_000)).isCloseTo(900, within(1e-9));
        assertThat(half.expected(5_000, 900, 9_500, 10_500)).isCloseTo(450 + 225, within(1e-9));
        assertThat(half.expected(5_000, 900, 12_000, 12_000)).isZero();
        assertThat(rates(0, 1_000, 10, 2_000).expected(5_000, 900, 9_500, 10_500)).isCloseTo(900, within(1e-9));
        assertThat(PAUSED.expected(5_000, 900, 9_500, 10_500)).as("beside a silence").isNaN();
        assertThat(DueRates.STEADY.expected(0, 900, 0, 2_000)).isCloseTo(1_800, within(1e-9));
        assertThat(rates(0, Double.POSITIVE_INFINITY, 10, 500).expected(5_000, 900, 9_000, 11_000)).isCloseTo(900 + 500, within(1e-9));
    }
}
