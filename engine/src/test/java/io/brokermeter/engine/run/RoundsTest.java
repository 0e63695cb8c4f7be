package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.pacing.FireTimes;
import org.junit.jupiter.api.Test;

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
}
