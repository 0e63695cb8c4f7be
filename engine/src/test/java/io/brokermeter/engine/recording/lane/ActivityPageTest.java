package io.brokermeter.engine.recording.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is kept of a second that was like others. */
class ActivityPageTest {

    private static final long MILLI = 1_000_000;

    private static long[] page() {
        return new long[ActivityPage.FULL];
    }

    /** Returns a page with one event in each of the first milliseconds, and a longest wait. */
    private static long[] page(int sent, int received, long wait, int failed) {
        long[] page = page();
        IntStream.range(0, sent).forEach(i -> page[ActivityPage.SENT + i] = 1);
        IntStream.range(0, received).forEach(i -> page[ActivityPage.RECEIVED + i] = 1);
        page[ActivityPage.WAITED + 7] = wait;
        page[ActivityPage.FAILED + 9] = failed;
        return page;
    }

    private static long[] row(long[] page, int row) {
        return LongStream.range(0, ActivityPage.MILLIS).map(milli -> ActivityPage.at(page, row, (int) milli)).toArray();
    }

    /** Five events, the longest pause of which is from 21 to 999: the two that are not known lie evenly in the twelve milliseconds left. */
    @Test
    void theLongestPauseIsExactAndTheRestSpreadEvenly() {
        long[] page = page();
        page[ActivityPage.SENT + 10] = 1;
        page[ActivityPage.SENT + 11] = 1;
        page[ActivityPage.SENT + 20] = 2;
        page[ActivityPage.SENT + 1_000] = 1;
        long[] expected = new long[ActivityPage.MILLIS];
        expected[10] = 1;
        expected[15] = 1;
        expected[20] = 1;
        expected[1_000] = 2;
        assertThat(row(ActivityPage.summary(page), ActivityPage.SENT)).isEqualTo(expected);
        assertThat(row(page, ActivityPage.SENT)[11]).as("a page that is kept in full").isEqualTo(1);
    }

    /** Two in each millisecond to 9, and from 500 to 509: four are known, and 36 lie evenly in twenty milliseconds. */
    @Test
    void bothEndsOfAPauseAreKnown() {
        long[] page = page();
        for (int i = 0; i < 10; i++) {
            page[ActivityPage.RECEIVED + i] = 2;
            page[ActivityPage.RECEIVED + 500 + i] = 2;
        }
        long[] found = row(ActivityPage.summary(page), ActivityPage.RECEIVED);
        assertThat(LongStream.of(found).limit(11)).containsExactly(2L, 2L, 2L, 2L, 2L, 1L, 2L, 2L, 2L, 3L, 0L);
        assertThat(LongStream.of(found).skip(499).limit(12)).containsExactly(0L, 2L, 2L, 2L, 2L, 2L, 1L, 2L, 2L, 2L, 3L, 0L);
    }

    /** Of two pauses the longer one is kept, and the first of equal ones: the events at its ends are known. */
    @ParameterizedTest
    @CsvSource({"12, 6", "13, 6", "14, 7"})
    void theFirstOfTheLongestPausesIsKept(int last, int known) {
        long[] page = page();
        for (int at : new int[] {0, 6, 7, last}) {
            page[ActivityPage.SENT + at] = 1;
        }
        long[] found = row(ActivityPage.summary(page), ActivityPage.SENT);
        assertThat(found[known]).isEqualTo(1);
        assertThat(found[13 - known]).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "5, 5, 7", "1023, 1023, 3", "0, 1023, 1"})
    void noEventIsLost(int first, int last, int each) {
        long[] page = page();
        page[ActivityPage.SENT + first] = each;
        page[ActivityPage.SENT + last] = each;
        assertThat(row(ActivityPage.summary(page), ActivityPage.SENT)).isEqualTo(row(page, ActivityPage.SENT));
    }

    @Test
    void confirmationsAreNoDeliveries() {
        long[] page = page(2, 0, 0, 0);
        page[ActivityPage.RECEIVED] = 7;
        assertThat(row(ActivityPage.summary(page), ActivityPage.SENT)).startsWith(1, 1, 0);
    }

    @Test
    void theLongestWaitIsThatOfTheSecondAndFailuresAreCountedAtItsBegin() {
        long[] page = page(0, 3, 5 * MILLI, 4);
        page[ActivityPage.WAITED + 8] = 2 * MILLI;
        page[ActivityPage.FAILED + 1_023] = 2;
        long[] summary = ActivityPage.summary(page);
        assertThat(row(summary, ActivityPage.WAITED)).startsWith(5 * MILLI, 0, 5 * MILLI, 0);
        assertThat(row(summary, ActivityPage.FAILED)).startsWith(6, 0);
        assertThat(LongStream.of(row(summary, ActivityPage.FAILED)).sum()).isEqualTo(6);
        assertThat(ActivityPage.summary(summary)).isSameAs(summary);
        assertThat(ActivityPage.isSize(summary.length)).isTrue();
        assertThat(ActivityPage.isSize(page.length)).isTrue();
        assertThat(ActivityPage.isSize(summary.length + 1)).isFalse();
    }

    /** With 100 events and waits of 1 ms usual, a tenth and four standard errors of 10 are alike, and twice the wait and a millisecond. */
    @ParameterizedTest
    @CsvSource({"100, 100, 1000000, 0, false", "150, 50, 3000000, 0, false", "151, 100, 0, 0, true", "49, 100, 0, 0, true",
        "100, 151, 0, 0, true", "100, 49, 0, 0, true", "100, 100, 3000001, 0, true", "100, 100, 0, 1, true"})
    void aSecondIsDifferentBeyondWhatChanceExplains(int sent, int received, long wait, int failed, boolean different) {
        long[] usual = ActivityPage.summary(page(100, 100, MILLI, 0));
        assertThat(ActivityPage.isDifferent(page(sent, received, wait, failed), usual)).isEqualTo(different);
    }

    @Test
    void aSecondInWhichNothingHappensIsDifferentFromABusyOne() {
        assertThat(ActivityPage.isDifferent(null, ActivityPage.summary(page(100, 100, MILLI, 0)))).isTrue();
        assertThat(ActivityPage.isDifferent(null, ActivityPage.summary(page(17, 17, MILLI, 0)))).isFalse();
    }
}
