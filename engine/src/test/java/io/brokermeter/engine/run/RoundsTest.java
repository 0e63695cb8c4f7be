package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.brokermeter.engine.pacing.FireTimes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose turn it is, and who is behind. */
class RoundsTest {

    @Test
    void eventsGoRoundTheProducersOfAThreadByTheirStripes() {
        Rounds rounds = new Rounds(new int[] {1, 4}, 6, 0);
        List<Long> events = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            events.add(rounds.event());
            rounds.paid(rounds.producer());
            rounds.advance();
        }
        assertThat(events).containsExactly(1L, 4L, 7L, 10L, 13L);
        assertThat(rounds.owed()).isZero();
        assertThat(rounds.paid()).isEqualTo(5);
        assertThat(rounds.oldest(0)).isEqualTo(19);
    }

    @Test
    void aProducerPaysItsOldestEventFirst() {
        Rounds rounds = new Rounds(new int[] {0, 1}, 2, 0);
        for (int i = 0; i < 6; i++) {
            rounds.advance();
        }
        assertThat(rounds.owed()).isEqualTo(6);
        assertThat(rounds.oldest(0)).isZero();
        rounds.paid(0);
        assertThat(rounds.oldest(0)).isEqualTo(2);
        rounds.paid(0);
        rounds.paid(0);
        assertThat(rounds.isOwing(0)).isFalse();
        assertThat(rounds.isOwing(1)).isTrue();
        assertThat(rounds.owed()).isEqualTo(3);
    }

    @Test
    void aProducerOwesNothingBeforeItsTurn() {
        Rounds rounds = new Rounds(new int[] {0, 1, 2}, 3, 0);
        rounds.advance();
        assertThat(rounds.isOwing(0)).isTrue();
        assertThat(rounds.isOwing(1)).isFalse();
    }

    @Test
    void debtorsComeOneAfterTheOtherAndLeaveWhenTheyHavePaid() {
        Rounds rounds = new Rounds(new int[] {0, 1, 2}, 3, 0);
        for (int i = 0; i < 6; i++) {
            rounds.putBack(rounds.producer());
            rounds.advance();
        }
        assertThat(rounds.debtorCount()).isEqualTo(3);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int debtor = rounds.nextDebtor();
            order.add(debtor);
            rounds.paid(debtor);
        }
        assertThat(order.subList(0, 3)).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(order.subList(3, 6)).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(rounds.nextDebtor()).isEqualTo(-1);
        assertThat(rounds.debtorCount()).isZero();
        assertThat(rounds.owed()).isZero();
    }

    @Test
    void aDebtorThatCannotPayDoesNotKeepTheOthersFromTheirTurn() {
        Rounds rounds = new Rounds(new int[] {0, 1, 2}, 3, 0);
        for (int i = 0; i < 30; i++) {
            rounds.putBack(rounds.producer());
            rounds.advance();
        }
        int[] paid = new int[3];
        for (int looks = 0; looks < 30; looks++) {
            int debtor = rounds.nextDebtor();
            if (debtor != 1) {
                rounds.paid(debtor);
                paid[debtor]++;
            }
        }
        assertThat(paid).containsExactly(10, 0, 10);
        assertThat(rounds.owed()).isEqualTo(10);
    }

    /** Two producers with an event each second; the first has paid three, of which two are due, and the second none. */
    @Test
    void aProducerThatIsAheadMakesUpForNoOther() {
        Rounds rounds = new Rounds(new int[] {0, 1}, 2, 0);
        for (int i = 0; i < 3; i++) {
            rounds.paid(0);
        }
        FireTimes times = event -> event / 2 * 1_000;

        assertThat(rounds.dueUntil(times, 1_000, Long.MAX_VALUE)).isEqualTo(4);
        assertThat(rounds.unpaidUntil(times, 1_000, Long.MAX_VALUE)).isEqualTo(2);
        assertThat(rounds.unpaidUntil(times, -1, Long.MAX_VALUE)).isZero();
    }

    /** Every third producer of ten is of this thread; of 100 events a second those of 12.345 s are due, or as many as there are. */
    @ParameterizedTest
    @CsvSource({"0, 1235", "5000, 1235", "1234, 1234", "7, 7"})
    void whatIsDueIsCountedByProducer(long quota, int due) {
        Rounds rounds = new Rounds(new int[] {0, 3, 6, 9}, 10, quota);
        FireTimes times = event -> event * 10_000_000;
        long mine = IntStream.range(0, due).filter(event -> event % 10 % 3 == 0).count();

        assertThat(rounds.dueUntil(times, 12_345_000_000L, Long.MAX_VALUE)).isEqualTo(mine);
        assertThat(rounds.dueUntil(times, Long.MAX_VALUE, 12_345_000_000L)).isEqualTo(mine);
        assertThat(rounds.unpaidUntil(times, 12_345_000_000L, Long.MAX_VALUE)).isEqualTo(mine);
    }

    /** Moments may be costly, as those of Poisson arrivals are, which are made by thousands. */
    @Test
    void whatWasDueIsFoundWithFewMomentsHoweverManyProducersThereAre() {
        Rounds rounds = new Rounds(IntStream.range(0, 10_000).toArray(), 10_000, 0);
        AtomicInteger asked = new AtomicInteger();
        FireTimes times = event -> {
            asked.incrementAndGet();
            return event * 20_000;
        };
        for (int i = 0; i < 25_000; i++) {
            rounds.paid(rounds.producer());
            rounds.advance();
        }

        assertThat(rounds.dueUntil(times, 59_999_999_999L, Long.MAX_VALUE)).isEqualTo(3_000_000);
        assertThat(rounds.unpaidUntil(times, 59_999_999_999L, Long.MAX_VALUE)).isEqualTo(2_975_000);
        assertThat(rounds.lastPaid(times)).isEqualTo(24_999 * 20_000);
        assertThat(asked.get()).isLessThan(200);
    }
}
