package io.brokermeter.reports.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.FaultCourse;
import io.brokermeter.engine.recording.fault.FaultTimes;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.reports.Made;
import io.brokermeter.reports.Samples;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.ResultDocument.Failover;
import io.brokermeter.reports.json.ResultJson;
import org.junit.jupiter.api.Test;

/** Scorecards on a screen of 80 columns and 24 lines, and in result files. */
class ScorecardTextTest {

    private static FaultTimes times(double without, Consumer<FaultTimes.Values> change) {
        return FaultTimes.of(its -> {
            its.faultAt = 20.25;
            its.detect = 0.012;
            its.withoutSend = without;
            its.withoutDelivery = without + 0.2;
            its.to95 = without + 0.1;
            its.catchUp = 0.75;
            its.longestWait = without + 0.15;
            its.rateBefore = 1000;
            change.accept(its);
        });
    }

    private static Scorecard card(double without, long unknown) {
        return Made.card(times(without, _ -> {}), its -> its.fates = Made.fates(unknown));
    }

    /** Returns the scorecard of more than one fault. */
    private static Scorecard several(double without, FaultTimes... further) {
        return Made.card(times(without, its -> its.fault = 1), its -> its.further = List.of(further));
    }

    private static StoredResult stored(Scorecard card) {
        return ResultJson.stored(Samples.success().with(its -> its.scorecard = card), Samples.CLIENT);
    }

    private static String text(Scorecard... cards) {
        return ScorecardText.of(Arrays.stream(cards).map(ScorecardTextTest::stored).toList()).orElseThrow();
    }

    @Test
    void oneRun() {
        assertThat(text(card(2.1, 7))).isEqualTo("""
            RECOVERED from 1,000/s, fault at 20.3 s

            until a client noticed                          12.0 ms
            longest without a confirmed send                2.10 s
            longest without a delivery                      2.30 s
            from the fault to 95 % of the rate              2.20 s
            from the next delivery to no backlog            750 ms
            longest wait of a message since it was due      2.25 s

            attempts to connect again by this tool          16
            connections restored                            2
            sends that failed                               3
            sends that a client tried again, and confirmed  4
            confirmed and lost                              5
            confirmed, not come, perhaps in the broker      6
            of unknown fate, and delivered of them          7, 8
            duplicates flagged as redelivered, not flagged  9, 10
            duplicates that a client may have sent twice    11
            deliveries out of order                         12
            """);
    }

    @Test
    void severalRunsGiveRangesAndFitTheScreen() {
        String text = text(card(2.1, 7), card(12.345, 1_234_567), card(3, 9));
        assertThat(text).startsWith("RECOVERED in all of 3 runs from 1,000/s").contains("3.00 s  (2.10 s .. 12.3 s)",
            "9 (7 .. 1,234,567), 8\n");
        assertThat(text.lines().count()).isLessThan(24);
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(80));
    }

    @Test
    void runsWithoutAScorecardAreCounted() {
        RunResult scored = Samples.success().with(its -> its.scorecard = card(2.1, 7));
        assertThat(ScorecardText.ofRuns(List.of(scored, scored)).orElseThrow()).doesNotContain("left out");
        assertThat(ScorecardText.ofRuns(List.of(scored, Samples.success(), scored)).orElseThrow())
            .startsWith("RECOVERED in all of 2 runs from ").endsWith("\nruns without a scorecard, left out              1 of 3\n");
        assertThat(ScorecardText.ofRuns(List.of(Samples.success()))).isEmpty();
    }

    @Test
    void whatDidNotComeIsSaid() {
        Scorecard never = Scorecard.of(its -> {
            its.first = FaultTimes.of(first -> {
                first.faultAt = 20;
                first.detect = 0;
                first.withoutSend = Double.POSITIVE_INFINITY;
                first.to95 = Double.POSITIVE_INFINITY;
                first.rateBefore = 1000;
            });
            its.attempts = 16;
        });
        assertThat(text(never)).startsWith("NOT RECOVERED").contains("without a confirmed send                to the end",
            "from it was noticed to 95 % of the rate         never").doesNotContain("delivery", "until a client noticed");
        assertThat(text(never, card(2, 1))).startsWith("RECOVERED in 1 of 2 runs").contains("2.00 s  (to the end in 1)");
    }

    @Test
    void thatNothingIsDeliveredAnyMoreIsSaidThoughNothingIsKnownOfItsWait() {
        Scorecard never = Made.card(times(Double.POSITIVE_INFINITY, its -> {
            its.catchUp = Double.POSITIVE_INFINITY;
            its.longestWait = Double.NaN;
            its.deliveriesStopped = 20;
        }), its -> its.course = new FaultCourse(15, 0.1, List.of(), 20, 20));
        assertThat(text(never)).startsWith("NOT RECOVERED").contains("longest without a delivery                      to the end",
            "from the next delivery to no backlog            never", "longest wait of a message since it was due      not known");
    }

    @Test
    void faultsAfterTheFirstHaveLinesOfTheirOwn() {
        Scorecard all = several(2.1, new FaultTimes(2, 40, 0.01, 1.5, 1.6, 1.4, 0.3, 1.7, 1000, 39.9, 39.8),
            new FaultTimes(3, 50, 0.01, Double.POSITIVE_INFINITY, 1, Double.POSITIVE_INFINITY, 0.2, 3, 1000, 49, 48));
        assertThat(text(all)).startsWith("NOT RECOVERED from 1,000/s, fault at 20.3 s").endsWith("""
            deliveries out of order                         12

            next fault, at 40.0 s                           recovered
              without a send, without a delivery            1.50 s, 1.60 s
              to 95 % of the rate, then to no backlog       1.40 s, 300 ms
            next fault, at 50.0 s                           not recovered
              without a send, without a delivery            to the end, 1.00 s
              to 95 % of the rate, then to no backlog       never, 200 ms
            """);
        assertThat(text(all).lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(80));
    }

    @Test
    void whatDidNotEndIsLongerThanAllThatDid() {
        Scorecard never = card(Double.POSITIVE_INFINITY, 7);
        assertThat(text(card(1, 7), never, card(3, 7))).contains("without a confirmed send                3.00 s  (to the end in 1)",
            "to 95 % of the rate              3.10 s  (never in 1)");
        String most = text(never, card(1, 7), never);
        assertThat(most).contains("without a confirmed send                to the end  (in 2 of 3)",
            "to 95 % of the rate              never  (in 2 of 3)").doesNotContain("1.00 s");
        assertThat(most.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(80));
    }

    @Test
    void aRunThatOnlySendsHasNoWordOfDeliveriesAfterLaterFaults() {
        Scorecard one = Scorecard.of(its -> {
            its.first = FaultTimes.of(first -> {
                first.fault = 1;
                first.faultAt = 20;
                first.detect = 0.01;
                first.withoutSend = 1;
                first.to95 = 1;
                first.rateBefore = 1000;
            });
            its.faultKnown = true;
            its.further = List.of(new FaultTimes(2, 40, 0.01, 1.5, Double.NaN, 1.4, Double.NaN, Double.NaN, 1000, 39.9, Double.NaN));
        });
        assertThat(text(one)).endsWith("""
            next fault, at 40.0 s                           recovered
              without a send                                1.50 s
              to 95 % of the rate                           1.40 s
            """);
    }

    private static Scorecard twice(double without, double later) {
        return several(without, new FaultTimes(2, 40, 0.01, later, later + 0.1, later, 0.3, later + 0.2, 1000, 39.9, 39.8));
    }

    @Test
    void severalRunsHaveRangesForEachFault() {
        String text = text(twice(2, 1), twice(2, Double.POSITIVE_INFINITY), twice(2, 1.5));
        assertThat(text).startsWith("RECOVERED in 2 of 3 runs").endsWith("""
            deliveries out of order                         12

            next fault, at 40.0 s                           recovered in 2 of 3 runs
              until a client noticed                        10.0 ms  (10.0 ms .. 10.0 ms)
              longest without a confirmed send              1.50 s  (to the end in 1)
              longest without a delivery                    1.60 s  (to the end in 1)
              from the fault to 95 % of the rate            1.50 s  (never in 1)
              from the next delivery to no backlog          300 ms  (300 ms .. 300 ms)
              longest wait of a message since it was due    1.20 s  (not known in 1)
            """);
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(80));
    }

    /** One run had not recovered from the first fault when the second came, so there are no results of the second fault to combine. */
    @Test
    void runsThatDifferInTheirFaultsHaveTheFirstAlone() {
        assertThat(text(twice(2, 1), card(30, 7))).doesNotContain("next fault");
    }

    /**
     * Returns a scorecard as the engine creates it for a run that cannot be judged: figures relative to the rate before the fault are
     * unknown.
     */
    private static Scorecard unjudged(double rate) {
        return Made.card(FaultTimes.of(its -> {
            its.faultAt = 4;
            its.detect = 0.012;
            its.longestWait = 1.5;
            its.rateBefore = rate;
        }), _ -> {});
    }

    @Test
    void whereNothingWasConfirmedBeforeTheFaultNobodyCanSayWhetherItRecovered() {
        assertThat(text(unjudged(0))).startsWith("""
            NOT JUDGED: nothing was confirmed before the fault at 4.00 s

            until a client noticed                          12.0 ms
            longest wait of a message since it was due      1.50 s

            attempts to connect again by this tool          16
            """).doesNotContain("to the end", "never", "RECOVERED", "95 %");
        assertThat(text(unjudged(Double.NaN))).startsWith("NOT JUDGED: no rate is known from before the fault at 4.00 s\n");
        Failover failover = Objects.requireNonNull(stored(unjudged(0)).document().failover());
        assertThat(DocumentJson.tree(failover)).containsEntry("recovered", null).containsEntry("withoutSendSeconds", null)
            .containsEntry("to95PercentSeconds", null);
        assertThat(failover.cost().rateBefore()).isZero();
    }

    /** Ctrl-C right after the fault: the rate before it is known, but there was no time for a recovery. */
    @Test
    void whereTheLoadEndedRightBehindTheFaultNobodyCanSayEither() {
        assertThat(text(unjudged(1000))).startsWith("NOT JUDGED: the load ended too soon after the fault at 4.00 s\n")
            .doesNotContain("to the end", "never", "RECOVERED", "95 %");
        assertThat(text(unjudged(1000), card(2.1, 7))).startsWith("RECOVERED in 1 of 2 runs, 1 not judged, from 1,000/s");
        Scorecard later = several(2.1, new FaultTimes(2, 40, 0.01, Double.NaN, Double.NaN, Double.NaN, Double.NaN, 1.7, 1000,
            Double.NaN, Double.NaN));
        assertThat(text(later)).startsWith("NOT JUDGED: the load ended too soon after a later fault\n")
            .contains("without a confirmed send                2.10 s").endsWith("not judged\n");
    }

    /** A run that cannot be judged has neither recovered nor failed to recover, so it is not part of a range. */
    @Test
    void aRunThatCannotBeJudgedIsInNoRange() {
        assertThat(text(unjudged(0), card(2.1, 7), card(3, 7))).startsWith(
            "RECOVERED in 2 of 3 runs, 1 not judged, from 1,000/s, fault at 20.3 s\n").contains(
                "without a confirmed send                2.10 s  (2.10 s .. 3.00 s)", "since it was due      2.25 s  (1.50 s .. 3.15 s)");
        assertThat(text(unjudged(0), unjudged(0))).startsWith(
            "NOT JUDGED in any of 2 runs: nothing was confirmed before the fault at 4.00 s\n").doesNotContain("95 %");
    }

    /** Results of earlier versions state that such a run did not recover. */
    @Test
    void anOldResultWithoutARateBeforeTheFaultIsNotJudgedEither() {
        StoredResult old = StoredResult.of(JsonText.read("{\"failover\":{\"recovered\":false,\"faultSeconds\":4,\"faultKnown\":true,"
            + "\"withoutSendSeconds\":3.5,\"to95PercentSeconds\":null,\"rateBefore\":0}}"));
        assertThat(ScorecardText.of(List.of(old)).orElseThrow())
            .startsWith("NOT JUDGED: nothing was confirmed before the fault at 4.00 s\n").doesNotContain("3.50 s", "never");
    }

    @Test
    void aLaterFaultThatCannotBeJudgedIsSaid() {
        Scorecard one = card(2.1, 7);
        Scorecard all = several(2.1, new FaultTimes(2, 40, 0.01, Double.NaN, Double.NaN, Double.NaN, Double.NaN, 1.7, Double.NaN,
            Double.NaN, Double.NaN));
        assertThat(text(all)).startsWith("NOT JUDGED: no rate is known from before a later fault\n")
            .contains("without a confirmed send                2.10 s").endsWith("""

                next fault, at 40.0 s                           not judged
                """);
        assertThat(text(all, one)).doesNotContain("next fault");
        assertThat(text(all, all)).contains("next fault, at 40.0 s                           recovered in 0 of 2 runs, 2 not judged");
    }

    @Test
    void whatWasOnlyNoticedIsNoFault() {
        Scorecard noticed = Scorecard.of(its -> its.first = FaultTimes.of(first -> {
            first.faultAt = 20;
            first.withoutSend = 1;
            first.withoutDelivery = 1;
            first.to95 = 1;
            first.catchUp = 0;
            first.longestWait = 1;
            first.rateBefore = 1000;
        }));
        assertThat(text(noticed)).startsWith("RECOVERED from 1,000/s, noticed at 20.0 s");
    }

    @Test
    void aRunWithoutAFaultHasNone() {
        StoredResult plain = ResultJson.stored(Samples.success(), Samples.CLIENT);
        assertThat(DocumentJson.tree(plain.document())).doesNotContainKey("failover");
        assertThat(ScorecardText.of(List.of(plain))).isEmpty();
    }

    @Test
    void filesHaveEveryFigure() {
        Failover failover = Objects.requireNonNull(stored(card(2.1, 7)).document().failover());
        assertThat(failover.cost().withoutSendSeconds()).isEqualTo(2.1);
        assertThat(failover.cost().longestWaitSeconds()).isEqualTo(2.25);
        assertThat(failover.unknown()).isEqualTo(7);
        assertThat(failover.duplicatesResent()).isEqualTo(11);
    }
}
