package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.measure.Count;
import org.junit.jupiter.api.Test;

/** Sums, differences and parts of counts. */
class CountsTest {

    private static final Counts FIRST = Counts.NONE.with(Count.SENT, 5).with(Count.REORDER_DEPTH, 9).with(Count.LOST, 2);
    private static final Counts SECOND = Counts.NONE.with(Count.SENT, 7).with(Count.REORDER_DEPTH, 3).with(Count.RECEIVED, 4);
    private static final Counts BOTH =
        Counts.NONE.with(Count.SENT, 12).with(Count.REORDER_DEPTH, 9).with(Count.LOST, 2).with(Count.RECEIVED, 4);

    @Test
    void countsAreAddedAndTheGreaterMaximumKept() {
        assertThat(FIRST.plus(SECOND)).isEqualTo(BOTH);
        assertThat(SECOND.plus(FIRST)).isEqualTo(BOTH);
        assertThat(List.of(FIRST, SECOND).stream().collect(Counts.sum())).isEqualTo(BOTH);
        assertThat(List.of(FIRST, Counts.NONE, SECOND, Counts.NONE).parallelStream().collect(Counts.sum())).isEqualTo(BOTH);
    }

    @Test
    void whatWasCountedSinceIsTheDifferenceAndAMaximumStays() {
        assertThat(BOTH.minus(SECOND))
            .isEqualTo(Counts.NONE.with(Count.SENT, 5).with(Count.REORDER_DEPTH, 9).with(Count.LOST, 2));
        assertThat(BOTH.minus(BOTH)).isEqualTo(Counts.NONE.with(Count.REORDER_DEPTH, 9));
    }

    @Test
    void whatAPartOfIsUnknownIsUnknown() {
        Counts unknown = Counts.NONE.with(Count.SENT, Counts.UNKNOWN);
        for (Counts one : List.of(FIRST.plus(unknown), unknown.plus(FIRST), FIRST.minus(unknown), unknown.minus(FIRST))) {
            assertThat(one.get(Count.SENT)).isEqualTo(Counts.UNKNOWN);
        }
        assertThat(Counts.unknown(Count::isOfLedger).get(Count.LOST)).isEqualTo(Counts.UNKNOWN);
        assertThat(Counts.unknown(Count::isOfLedger).get(Count.SENT)).isZero();
    }

    @Test
    void aCountOfZeroIsNone() {
        assertThat(new Counts(Map.of(Count.SENT, 0L))).isEqualTo(Counts.NONE);
        assertThat(FIRST.with(Count.SENT, 0).values()).containsOnlyKeys(Count.REORDER_DEPTH, Count.LOST);
        assertThat(Counts.NONE.get(Count.SENT)).isZero();
    }

    @Test
    void someAreTakenFromAnotherVector() {
        assertThat(FIRST.with(SECOND, count -> count == Count.SENT)).isEqualTo(FIRST.with(Count.SENT, 7));
        assertThat(FIRST.withoutLedger()).isEqualTo(Counts.NONE.with(Count.SENT, 5));
    }

    /** Each count that is asked for most has a method of its own. */
    @Test
    void aPartOfARunHasTheCountsThatWereSet() {
        Counts different = Counts.NONE;
        for (Count count : Count.values()) {
            different = different.with(count, 1_000 + count.ordinal());
        }
        HasCounts part = new PhaseResult("all", 1, different, 1, Map.of());
        Map<Count, Long> asked = Map.ofEntries(Map.entry(Count.SENT, part.sent()), Map.entry(Count.BLOCKED, part.blocked()),
            Map.entry(Count.COMPLETED, part.completed()), Map.entry(Count.FAILED, part.failed()),
            Map.entry(Count.UNCONFIRMED, part.unconfirmed()), Map.entry(Count.RECEIVED, part.received()),
            Map.entry(Count.ROLLED_BACK, part.rolledBack()), Map.entry(Count.REQUEUED, part.requeued()),
            Map.entry(Count.REJECTED, part.rejected()), Map.entry(Count.UNANSWERED, part.unanswered()),
            Map.entry(Count.RECONNECTS, part.reconnects()));
        assertThat(asked).allSatisfy((count, value) -> assertThat(value).isEqualTo(1_000 + count.ordinal()));
    }

    /** Deliveries that were due are those that came once, where they should, and those that did not come. */
    @Test
    void aLedgerClosesWhenWhatIsMissingIsExplained() {
        LedgerReport report = new LedgerReport(Counts.NONE.with(Count.EXPECTED, 1_000).with(Count.LEDGER_RECEIVED, 1_100)
            .with(Count.DUPLICATES, 300).with(Count.REDELIVERED_DUPLICATES, 120).with(Count.UNSELECTED, 20).with(Count.OTHER_DESTINATION, 7)
            .with(Count.LOST, 100).with(Count.LEFT, 101).with(Count.UNTAKEN, 1).with(Count.UNDELIVERED, 25)
            .with(Count.UNCONFIRMED_DELIVERED, 6).with(Count.OUT_OF_ORDER, 8), null);
        assertThat(report.counts().get(Count.EXPECTED)).isEqualTo(1_000);
        // 1,100 - 300 - 20 - 7 + 100 + 101 + 1 + 25 = 1,000
        assertThat(report.closes()).isTrue();
        for (Count count : List.of(Count.EXPECTED, Count.LEDGER_RECEIVED, Count.DUPLICATES, Count.UNSELECTED, Count.OTHER_DESTINATION,
            Count.LOST, Count.LEFT, Count.UNTAKEN, Count.UNDELIVERED)) {
            Counts other = report.counts().with(count, report.counts().get(count) + 1);
            assertThat(new LedgerReport(other, null).closes()).as("one more of " + count).isFalse();
        }

        MessageFates fates = MessageFates.of(11, 12, 13, 14, report);
        assertThat(fates).isEqualTo(new MessageFates(11, 12, 100, 101 + 25, 13, 6, 120, 300 - 120 - 14, 14, 8));
        assertThat(MessageFates.of(11, 12, 13, 14, null)).isEqualTo(new MessageFates(11, 12, 0, 0, 13, 0, 0, 0, 14, 0));
    }

    @Test
    void eachCountOfTheLedgerHasAMethod() {
        Counts different = Counts.NONE;
        for (Count count : Count.values()) {
            different = different.with(count, 1_000 + count.ordinal());
        }
        LedgerReport report = new LedgerReport(different, null);
        Map<Count, Long> asked = Map.ofEntries(Map.entry(Count.EXPECTED, report.expected()),
            Map.entry(Count.LEDGER_RECEIVED, report.received()), Map.entry(Count.LOST, report.lost()),
            Map.entry(Count.LEFT, report.left()), Map.entry(Count.UNTAKEN, report.untaken()),
            Map.entry(Count.UNDELIVERED, report.undelivered()), Map.entry(Count.BEFORE_SUBSCRIPTION, report.beforeSubscription()),
            Map.entry(Count.LOST_UNCONFIRMED, report.lostUnconfirmed()),
            Map.entry(Count.UNCONFIRMED_DELIVERED, report.unconfirmedDelivered()),
            Map.entry(Count.FAILED_DELIVERED, report.failedDelivered()), Map.entry(Count.DUPLICATES, report.duplicates()),
            Map.entry(Count.REDELIVERED_DUPLICATES, report.redeliveredDuplicates()),
            Map.entry(Count.OUT_OF_ORDER, report.outOfOrder()), Map.entry(Count.REORDER_DEPTH, report.reorderDepth()),
            Map.entry(Count.CORRUPT, report.corrupt()), Map.entry(Count.FOREIGN, report.foreign()), Map.entry(Count.OLD, report.old()),
            Map.entry(Count.ROLLED_BACK_DELIVERED, report.rolledBackDelivered()), Map.entry(Count.UNSELECTED, report.unselected()),
            Map.entry(Count.OTHER_DESTINATION, report.otherDestination()));
        assertThat(asked).allSatisfy((count, value) -> assertThat(value).isEqualTo(1_000 + count.ordinal()));
    }
}
