package io.brokermeter.engine.recording.fault;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.DueRates;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.scenario.Fault;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Borders of what belongs to a fault: 2 messages a millisecond for 20 s, each waiting 1 ms, but for what a test takes out. */
class FaultPeriodTest {

    private static final Offset<Double> EXACT = within(1e-9);
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000;
    private static final double NEVER = Double.POSITIVE_INFINITY;

    private final int[] confirmed = new int[20_000];
    private final int[] delivered = new int[20_000];
    private final int[] failed = new int[20_000];
    private final long[] waits = new long[20_000];

    @BeforeEach
    void steady() {
        Arrays.fill(confirmed, 2);
        Arrays.fill(delivered, 2);
        Arrays.fill(waits, MILLI);
    }

    private void silent(int from, int to) {
        Arrays.fill(confirmed, from, to, 0);
        undelivered(from, to);
    }

    private void undelivered(int from, int to) {
        Arrays.fill(delivered, from, to, 0);
        Arrays.fill(waits, from, to, 0);
    }

    private Activity.Trace trace() {
        return new Activity.Trace(confirmed, delivered, failed, waits);
    }

    private static Event event(Event.Kind kind, double at) {
        return new Event(Math.round(at * SECOND), kind, new Finding.Reconnecting("gone"));
    }

    private static Finding.FaultDone done(int number, Fault.Action action, Finding.FaultStep step, double asked, double at) {
        return new Finding.FaultDone(number, action, "broker", step, asked, at, "", null);
    }

    private static Event fault(int number, Finding.FaultStep step, double at) {
        return new Event(Math.round(at * SECOND), Event.Kind.FAULT, done(number, Fault.Action.PAUSE, step, at, at));
    }

    private Scorecard score(DueRates due, double to, boolean cut, Event... events) {
        Scorecard.Load load = new Scorecard.Load(due, SECOND, Math.round(to * SECOND), true, cut);
        return requireNonNull(
            Scorecard.of(trace(), load, List.of(events), Scorecard.Reconnects.NONE, new MessageFates(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
    }

    /** Returns the scorecard of faults that nothing undoes. */
    private Scorecard score(double to, double... faults) {
        List<Event> events = new ArrayList<>();
        for (double at : faults) {
            events.add(fault(events.size() + 1, Finding.FaultStep.BEGAN, at));
        }
        return score(rates(0, NEVER), to, false, events.toArray(Event[]::new));
    }

    /** Returns rates from pairs of a begin in seconds and a rate. */
    private static DueRates rates(double... pairs) {
        List<DueRates.Step> steps = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            steps.add(new DueRates.Step((long) (pairs[i] * SECOND), pairs[i + 1]));
        }
        return new DueRates(steps);
    }

    // ---- when a fault was noticed, and when a killed process stopped ----

    @Test
    void aFaultIsNoticedFromItsMomentOnAndBeforeTheNextOne() {
        Activity.Trace trace = trace();
        Event at5 = event(Event.Kind.INTERRUPTED, 5);
        assertThat(FaultPeriod.noticed(trace, List.of(at5), 5 * SECOND, 9_000)).isEqualTo(5 * SECOND);
        assertThat(FaultPeriod.noticed(trace, List.of(at5), 5 * SECOND + 1, 9_000)).isEqualTo(-1);
        assertThat(FaultPeriod.noticed(trace, List.of(at5), SECOND, 5_000)).as("at the next fault").isEqualTo(-1);
        Event late = event(Event.Kind.INTERRUPTED, 25);
        assertThat(FaultPeriod.noticed(trace, List.of(late), SECOND, 20_000)).as("behind the trace").isEqualTo(25 * SECOND);
        assertThat(FaultPeriod.noticed(trace, List.of(late), SECOND, 19_999)).isEqualTo(-1);

        failed[5] = 1;
        assertThat(FaultPeriod.noticed(trace(), List.of(event(Event.Kind.INTERRUPTED, 0)), 0, 9_000)).isZero();
        failed[5] = 0;
        failed[9_000] = 1;
        assertThat(FaultPeriod.noticed(trace(), List.of(), 0, 9_000)).isEqualTo(-1);
        assertThat(FaultPeriod.noticed(trace(), List.of(), 0, 9_001)).isEqualTo(9 * SECOND);
    }

    private long killed(Event... outages) {
        return FaultPeriod.began(trace(), List.of(outages), 9_263 * MILLI, done(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 9, 9.263));
    }

    /** A broker is killed at 9 s, and gone at 9.263 s. */
    @Test
    void aKilledProcessStoppedWithItsLastConfirmation() {
        silent(9_200, 14_000);
        assertThat(killed(event(Event.Kind.INTERRUPTED, 9))).as("noticed at once").isEqualTo(9 * SECOND);
        assertThat(killed()).isEqualTo(9_200 * MILLI);
        silent(9_000, 14_000);
        assertThat(killed()).as("at once").isEqualTo(9 * SECOND);
        Arrays.fill(confirmed, 9_264, 20_000, 2);
        assertThat(killed()).as("after a pause of 264 ms, soon restarted").isEqualTo(9 * SECOND);
        Arrays.fill(confirmed, 0);
        Arrays.fill(delivered, 9_000, 9_100, 2);
        assertThat(killed()).as("of a run that only receives").isEqualTo(9_100 * MILLI);
    }

    /** The pauses of 301 ms around 9 s are none of the second before it, and a message each 100 ms has none that is longer than usual. */
    @Test
    void aKilledProcessStoppedUnlessOthersGoOnAsBefore() {
        silent(8_700, 9_000);
        silent(9_001, 9_301);
        assertThat(killed()).isEqualTo(9_001 * MILLI);
        silent(9_001, 9_300);
        silent(8_700, 9_001);
        assertThat(killed()).as("nothing came since it was to be killed").isEqualTo(9 * SECOND);

        Arrays.fill(confirmed, 0);
        for (int i = 0; i < 20_000; i += 100) {
            confirmed[i] = 1;
        }
        Finding.FaultDone late = done(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 19.85, 19.99);
        assertThat(FaultPeriod.began(trace(), List.of(), 19_990 * MILLI, late)).as("nothing comes behind it").isEqualTo(19_901 * MILLI);
        confirmed[19_995] = 1;
        assertThat(FaultPeriod.began(trace(), List.of(), 19_990 * MILLI, late)).as("the next one").isEqualTo(19_990 * MILLI);

        Arrays.fill(confirmed, 0);
        confirmed[0] = 1;
        confirmed[400] = 1;
        confirmed[800] = 1;
        Finding.FaultDone early = done(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 0.5, 0.7);
        assertThat(FaultPeriod.began(trace(), List.of(), 700 * MILLI, early)).as("no later than before").isEqualTo(700 * MILLI);
    }

    @Test
    void aProblemAtTheVeryBeginIsNoticed() {
        Event early = new Event(SECOND / 2, Event.Kind.FAULT, done(1, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 0, 0.5));
        assertThat(score(rates(0, NEVER), 20, false, early, event(Event.Kind.INTERRUPTED, 0)).first().detect()).isZero();
        assertThat(score(rates(0, NEVER), 20, false, early).first().detect()).isNaN();
    }

    // ---- the time before a fault ----

    @Test
    void aRateIsThatOfAtLeastAPartOfASecond() {
        assertThat(score(20, 1.5).first().rateBefore()).isCloseTo(2_000, EXACT);
        DueRates stepped = rates(0, 100, 1, 2_000, 10, 4_000);
        Event[] early = {fault(1, Finding.FaultStep.BEGAN, 1.5)};
        assertThat(score(stepped, 20, false, early).first().rateBefore()).as("a step from the begin on").isCloseTo(2_000, EXACT);
        Event[] later = {fault(1, Finding.FaultStep.BEGAN, 11)};
        assertThat(score(stepped, 20, false, later).first().rateBefore()).as("a second of its step").isCloseTo(2_000, EXACT);
        Event[] soon = {fault(1, Finding.FaultStep.BEGAN, 10.999)};
        assertThat(score(stepped, 20, false, soon).first().rateBefore()).as("less than that").isNaN();
    }

    /** The first fault is over at some millisecond; a second later it no longer belongs to what was before the next one. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // case, pause up to, pause of deliveries up to, late up to, undone, three a millisecond from, next fault, rate before
        "an outage that is over for a second, 5500, 5500, 5500, 5, 6500, 7.5, 3000",
        "an outage that is over for less, 5500, 5500, 5500, 5, 6500, 7.499, 2000",
        "a fault without an effect, 5000, 5000, 5000, 5, 5500, 6.5, 3000",
        "a fault that is undone later, 5000, 5000, 5000, 5.6, 5000, 7, 2000",
        "a pause of deliveries alone with a backlog, 5000, 6000, 6300, 5, 5000, 8, 2000",
        "the same a second later, 5000, 6000, 6300, 5, 7300, 8.3, 3000",
        "a pause of deliveries that is a usual one, 5000, 5099, 5099, 5, 5000, 6.5, 3000",
        "a pause of deliveries that is longer, 5000, 5100, 5100, 5, 5000, 6.5, 2000"})
    void whatBelongsToAFaultIsNotBeforeTheNextOne(String name, int sends, int deliveries, int late, double undone, int more, double next,
            double rate) {
        silent(5_000, sends);
        undelivered(5_000, deliveries);
        Arrays.fill(waits, deliveries, late, SECOND);
        Arrays.fill(confirmed, more, 20_000, 3);
        Scorecard card = score(rates(0, NEVER), 20, false, fault(1, Finding.FaultStep.BEGAN, 5), fault(1, Finding.FaultStep.ENDED, undone),
            fault(2, Finding.FaultStep.BEGAN, next));
        assertThat(card.further()).singleElement().satisfies(second -> assertThat(second.rateBefore()).isCloseTo(rate, EXACT));
    }

    // ---- whether the rate was back ----

    @Test
    void aSecondAfterTheFaultShowsTheRate() {
        assertThat(score(6, 5).first().to95()).isZero();
        assertThat(score(5.999, 5).first().to95()).isNaN();
        silent(5_000, 6_000);
        assertThat(score(7, 5).first().to95()).as("back in the last second").isCloseTo(1, EXACT);
        assertThat(score(6.9, 5).first().to95()).isInfinite();
    }

    /** 2,000/s are due, and 1,000/s from 10 s on; 500/s are confirmed from 8 s to 12 s. */
    @Test
    void aRateIsBackAt95PerCentOfWhatIsDueThen() {
        for (int i = 8_000; i < 20_000; i++) {
            confirmed[i] = i >= 12_000 ? 1 : (i + 1) % 2;
        }
        DueRates due = rates(0, 2_000, 10, 1_000);
        Event[] fault = {fault(1, Finding.FaultStep.BEGAN, 8)};
        assertThat(score(due, 20, false, fault).first().to95()).isCloseTo(3.9, within(0.003));

        // Only the first second of the next step lacks more than 5 %, at its end: 949 of 1,000.
        steady();
        Arrays.fill(confirmed, 10_000, 20_000, 1);
        Arrays.fill(confirmed, 10_949, 11_000, 0);
        assertThat(score(due, 20, false, fault).first().to95()).as("which is not the fault's").isZero();
    }

    @Test
    void whatShowsNothingIsNotJudged() {
        assertThat(score(5, 5).judged()).as("a load that ends with the fault").isFalse();
        silent(5_000, 20_000);
        assertThat(score(5, 5).judged()).isFalse();
        steady();
        DueRates pausing = rates(0, 2_000, 8, 0, 12, 2_000);
        assertThat(score(pausing, 20, false, fault(1, Finding.FaultStep.BEGAN, 7.5)).judged()).as("half a second before a silence")
            .isFalse();
        silent(0, 20_000);
        assertThat(score(20, 5).judged()).as("without any confirmation").isFalse();
        assertThat(score(rates(0, NEVER), 7, true, fault(1, Finding.FaultStep.BEGAN, 5)).first().to95()).isNaN();
    }

    @Test
    void aLoadThatWasCutDidNotComeBack() {
        silent(7_000, 20_000);
        assertThat(score(rates(0, NEVER), 7, true, fault(1, Finding.FaultStep.BEGAN, 5)).first().to95()).isInfinite();
    }

    /** Deliveries stop for good, and in the half second that is left of the load half of the sends are confirmed, or all. */
    @Test
    void whatIsLeftOfTheLoadShowsWhetherSendsFell() {
        undelivered(5_000, 20_000);
        Arrays.fill(confirmed, 5_000, 5_500, 1);
        assertThat(score(5.5, 5).first().to95()).isInfinite();
        Arrays.fill(confirmed, 5_000, 5_500, 2);
        assertThat(score(5.5, 5).first().to95()).isZero();
    }

    /** 95 % of what was due in the half second that is left: 950 of 1,000, or 948. */
    @Test
    void whatIsLeftOfTheLoadMayLackOneInTwenty() {
        undelivered(5_000, 20_000);
        for (int i = 5_000; i < 5_500; i += 20) {
            confirmed[i] = 0;
        }
        assertThat(score(5.5, 5).first().to95()).isZero();
        confirmed[5_001] = 0;
        assertThat(score(5.5, 5).first().to95()).isInfinite();
    }

    /** The load is silent from 8 s to 12 s, and nothing is confirmed from the fault to 12 s. */
    @ParameterizedTest
    @CsvSource({"7.0, 5", "7.001, NaN"})
    void aSecondUpToASilenceShowsTheRate(double fault, double to95) {
        silent((int) (fault * 1e3), 12_000);
        double found = score(rates(0, 2_000, 8, 0, 12, 2_000), 20, false, fault(1, Finding.FaultStep.BEGAN, fault)).first().to95();
        assertThat(Double.isNaN(to95) ? found != 5 : found == to95).isTrue();
    }

    // ---- pauses ----

    @Test
    void aPauseCountsUpToASecondAfterTheRateIsBack() {
        silent(5_000, 5_500);
        silent(6_500, 7_100);
        assertThat(score(20, 5).first().withoutSend()).as("from 6,499 on").isCloseTo(0.601, EXACT);
        confirmed[6_500] = 2;
        delivered[6_500] = 2;
        assertThat(score(20, 5).first().withoutSend()).as("from 6,500 on").isCloseTo(0.501, EXACT);
        silent(6_501, 20_000);
        assertThat(score(20, 5).first().withoutSend()).as("for good").isCloseTo(0.501, EXACT);
        assertThat(score(20, 5).first().withoutDelivery()).isCloseTo(0.501, EXACT);
    }

    @Test
    void aPauseCountsAtAnyTimeWhereTheRateNeverFellOrIsNeverBack() {
        silent(9_000, 9_040);
        assertThat(score(20, 5).first().withoutSend()).as("it never fell").isCloseTo(0.041, EXACT);
        Arrays.fill(confirmed, 5_000, 20_000, 1);
        silent(15_000, 16_000);
        assertThat(score(20, 5).first().withoutSend()).as("it is never back").isCloseTo(1.001, EXACT);
    }

    /** A pause of 100 ms is a usual one. */
    @Test
    void aPauseUpToTheEndOfTheLoadHasNoEndIfItIsLongerThanUsual() {
        silent(19_901, 20_000);
        assertThat(score(20, 15).first().withoutSend()).isCloseTo(0.001, EXACT);
        assertThat(score(20.001, 15).first().withoutSend()).isInfinite();
        silent(19_900, 20_000);
        assertThat(score(20, 15).first().withoutSend()).isInfinite();
        silent(4_500, 20_000);
        assertThat(score(5, 5).judged()).as("a fault at the end of the load shows nothing").isFalse();
    }

    /** The record ends with its last event, 50 ms after the fault, and the load 5 s later. */
    @Test
    void aLoadIsLongerThanItsRecordWhereNothingComesAnyMore() {
        silent(19_950, 20_000);
        assertThat(score(25, 19.95).first().withoutSend()).isInfinite();
    }

    @Test
    void aLoadThatWasCutHasNoEndOfItsLastPause() {
        silent(7_200, 20_000);
        assertThat(score(rates(0, NEVER), 7, true, fault(1, Finding.FaultStep.BEGAN, 5)).first().withoutSend()).isInfinite();
        assertThat(score(7, 5).first().withoutSend()).as("unless it was not cut").isCloseTo(0.001, EXACT);
    }

    @Test
    void aPauseThatEndsWithTheNextFaultBelongsToThatOne() {
        silent(8_950, 9_000);
        waits[9_000] = SECOND;
        Scorecard card = score(20, 5, 9);
        assertThat(card.first().withoutSend()).isCloseTo(0.001, EXACT);
        assertThat(card.first().longestWait()).isCloseTo(0.001, EXACT);
        assertThat(card.further()).singleElement().satisfies(next -> {
            assertThat(next.withoutSend()).isCloseTo(0.051, EXACT);
            assertThat(next.longestWait()).isCloseTo(1, EXACT);
        });
    }

    /** What is confirmed 300 ms after the end of the load was sent before it. */
    @Test
    void aPauseAtTheEndOfTheLoadMayEndInTheDrain() {
        silent(11_950, 12_300);
        silent(12_310, 20_000);
        assertThat(score(rates(0, 2_000, 12, 0), 20, false, fault(1, Finding.FaultStep.BEGAN, 10)).first().withoutSend())
            .isCloseTo(0.351, EXACT);
    }

    /** 2,400 messages at once each 600 ms: a silence that comes no later than two such pauses after the last ones shows nothing. */
    @Test
    void usualPausesAreNone() {
        silent(0, 20_000);
        for (int i = 0; i < 6_000; i += 600) {
            confirmed[i] = 2_400;
            delivered[i] = 2_400;
        }
        FaultTimes times = score(rates(0, 4_000, 6, 0, 10, 4_000), 20, false, fault(1, Finding.FaultStep.BEGAN, 5)).first();
        assertThat(times.withoutSend()).isZero();
        assertThat(times.withoutDelivery()).isZero();
    }

    /** 2,000 messages at once in half a second: a pause twice as long is usual. */
    @Test
    void aSingleMomentWithMessagesTellsNoShorterPause() {
        silent(0, 20_000);
        confirmed[1_200] = 2_000;
        delivered[1_200] = 2_000;
        assertThat(score(2.201, 1.5).first().withoutSend()).isInfinite();
        assertThat(score(2.200, 1.5).first().judged()).isFalse();
    }

    // ---- backlogs ----

    /** Seconds before the fault whose longest waits are 1 to 6 ms: twice the lower median of 3 ms and a millisecond are usual. */
    @ParameterizedTest
    @CsvSource({"6900000, 0", "7100000, 0.5"})
    void theUsualWaitIsTheMedianOfTheLongestOfEachSecond(long wait, double catchUp) {
        for (int second = 1; second <= 6; second++) {
            waits[second * 1_000 + 500] = second * MILLI;
        }
        Arrays.fill(waits, 7_000, 7_500, wait);
        assertThat(score(20, 7).first().catchUp()).isCloseTo(catchUp, within(0.0011));
    }

    @Test
    void aSecondWithoutDeliveriesHasNoUsualWait() {
        undelivered(1_000, 5_000);
        Arrays.fill(waits, 7_000, 7_500, SECOND);
        Arrays.fill(waits, 7_500, 20_000, 2_500_000);
        assertThat(score(20, 7).first().catchUp()).isCloseTo(0.5, within(0.0011));
        assertThat(score(20, 1.5).first().catchUp()).as("after half a second").isNotNaN();
    }

    /** Of what came at once after the outage, and of three late messages 400 ms later that are ten deliveries apart, or eleven. */
    @ParameterizedTest
    @CsvSource({"10, 0.411", "11, 0.015"})
    void lateMessagesNearEachOtherAreABacklog(int apart, double catchUp) {
        silent(5_000, 7_000);
        Arrays.fill(waits, 7_000, 7_015, 2 * SECOND);
        for (int i = 0; i < 3; i++) {
            waits[7_400 + i * apart] = SECOND;
        }
        assertThat(score(20, 5).first().catchUp()).isCloseTo(catchUp, EXACT);
    }

    /** One late message, a number of deliveries after the outage: what came before the first of them was late as well. */
    @ParameterizedTest
    @CsvSource({"0, 0.001", "8, 0.009", "9, 0"})
    void asLateAsTheOutageIsWhatComesRightBehindIt(int deliveries, double catchUp) {
        silent(5_000, 7_000);
        waits[7_000 + deliveries] = SECOND;
        assertThat(score(20, 5).first().catchUp()).isCloseTo(catchUp, EXACT);
    }

    @Test
    void theWaitsOfTheWarmUpAreNotUsual() {
        Arrays.fill(waits, 0, 1_000, SECOND);
        Arrays.fill(waits, 2_500, 3_000, SECOND / 2);
        assertThat(score(20, 2.5).first().catchUp()).isCloseTo(0.5, within(0.0011));
    }

    @Test
    void aBacklogUpToTheEndOfTheRunIsWorkedOffThere() {
        silent(5_000, 6_000);
        Arrays.fill(waits, 6_000, 20_000, SECOND);
        assertThat(score(20, 5).first().catchUp()).isCloseTo(14, EXACT);
    }

    @Test
    void aBacklogIsOverAfterASecondOfUsualWaits() {
        silent(5_000, 7_000);
        Arrays.fill(waits, 7_000, 7_500, 2 * SECOND);
        Arrays.fill(waits, 8_500, 8_600, SECOND);
        assertThat(score(20, 5).first().catchUp()).isCloseTo(0.5, EXACT);
        waits[8_499] = SECOND;
        assertThat(score(20, 5).first().catchUp()).as("less than a second").isCloseTo(1.6, EXACT);
    }

    /** A message each 20 ms, all of them late for a second. */
    @Test
    void deliveriesThatAreFarApartAreNeighbours() {
        silent(5_000, 7_000);
        undelivered(7_000, 8_000);
        for (int i = 7_000; i < 8_000; i += 20) {
            delivered[i] = 1;
            waits[i] = 2 * SECOND;
        }
        assertThat(score(20, 5).first().catchUp()).isCloseTo(0.981, EXACT);
    }

    @Test
    void aBacklogUpToTheNextFaultBelongsToBoth() {
        silent(5_000, 6_000);
        Arrays.fill(waits, 6_000, 10_000, SECOND);
        Scorecard card = score(20, 5, 9);
        assertThat(card.further()).isEmpty();
        assertThat(card.first().catchUp()).isCloseTo(4, EXACT);
    }

    @Test
    void whereNothingIsEverDeliveredThereIsNoBacklog() {
        undelivered(0, 20_000);
        assertThat(score(20, 15).first().catchUp()).isZero();
    }

    // ---- the end of the course ----

    private static double end(Scorecard card) {
        FaultCourse course = requireNonNull(card.course());
        return course.from() + course.cells().size() * course.step();
    }

    /** A chart ends 5 s after the last effect: of the rate, of a backlog, of a lost connection; or with the load. */
    @Test
    void theCourseEndsFiveSecondsAfterTheLastEffect() {
        Event began = fault(1, Finding.FaultStep.BEGAN, 5);
        DueRates any = rates(0, NEVER);
        silent(5_000, 5_500);
        assertThat(end(score(any, 15, false, began))).isCloseTo(10.5, within(0.05));
        assertThat(end(score(any, 15, false, began, event(Event.Kind.RESUMED, 9)))).isCloseTo(14, within(0.05));
        assertThat(end(score(any, 12, false, began, event(Event.Kind.RESUMED, 12)))).isCloseTo(17, within(0.05));
        assertThat(end(score(any, 12, false, began, event(Event.Kind.RESUMED, 12.1)))).isCloseTo(10.5, within(0.05));

        Arrays.fill(confirmed, 5_500, 9_000, 1);
        assertThat(end(score(any, 15, false, began))).as("the rate is back at 8.9 s").isCloseTo(13.9, within(0.05));
        silent(5_500, 20_000);
        assertThat(end(score(any, 15, false, began))).as("never").isCloseTo(20, within(0.05));
    }

    /** @param length of the trace, in milliseconds */
    @ParameterizedTest
    @CsvSource({"20000, 7000, 2.0, 0.02, 500", "20000, 7123, 2.12, 0.02, 501", "20000, 19000, 14.0, 0.01, 600",
        "19995, 19000, 14.0, 0.01, 599"})
    void theCourseHasEqualStepsFromFiveSecondsBefore(int length, int fault, double from, double step, int count) {
        failed[fault] = 3;
        failed[fault + 1] = 4;
        Activity.Trace trace = new Activity.Trace(Arrays.copyOf(confirmed, length), Arrays.copyOf(delivered, length),
            Arrays.copyOf(failed, length), Arrays.copyOf(waits, length));
        FaultCourse course = FaultCourse.of(trace, fault, fault, 2_000, Double.NaN, Double.NaN);
        assertThat(course.from()).isCloseTo(from, EXACT);
        assertThat(course.step()).isCloseTo(step, EXACT);
        assertThat(course.cells()).hasSize(count);
        assertThat(course.cells().get((int) Math.floor((fault / 1e3 - from) / step + 1e-6)).failed()).isEqualTo(7);
    }

    // ---- several faults ----

    private static FaultTimes times(double rateBefore, double withoutSend, double to95) {
        return FaultTimes.of(its -> {
            its.rateBefore = rateBefore;
            its.withoutSend = withoutSend;
            its.to95 = to95;
        });
    }

    @Test
    void aRunIsJudgedByTheFaultsThatShowSomething() {
        FaultTimes recovered = times(2_000, 0.1, 0);
        FaultTimes unjudged = times(2_000, Double.NaN, 0);
        FaultTimes undone = times(2_000, 0.1, NEVER);
        assertThat(recovered.recovered()).isTrue();
        assertThat(undone.recovered()).isFalse();
        assertThat(times(2_000, NEVER, 0).recovered()).isFalse();
        assertThat(times(0, 0.1, 0).judged()).isFalse();
        assertThat(judged(recovered, recovered)).isTrue();
        assertThat(judged(recovered, unjudged)).isFalse();
        assertThat(judged(recovered, unjudged, undone)).isTrue();
        assertThat(judged(undone, unjudged)).isTrue();
        assertThat(new Scorecard.Reconnects(1, 2).and(new Scorecard.Reconnects(3, 5))).isEqualTo(new Scorecard.Reconnects(4, 7));
    }

    @Test
    void aFaultIsOverWhenItIsUndoneAndAWholeSecondWasAsBefore() {
        assertThat(score(20, 5, 6).further()).hasSize(1);
        assertThat(score(20, 5, 5.999).further()).isEmpty();
        Event began = fault(1, Finding.FaultStep.BEGAN, 5);
        Event next = fault(2, Finding.FaultStep.BEGAN, 8);
        assertThat(score(rates(0, NEVER), 20, false, began, fault(1, Finding.FaultStep.ENDED, 8), next).further()).hasSize(1);
        assertThat(score(rates(0, NEVER), 20, false, began, fault(1, Finding.FaultStep.ENDED, 8.001), next).further()).isEmpty();
    }

    private static boolean judged(FaultTimes first, FaultTimes... further) {
        return Scorecard.of(its -> {
            its.first = first;
            its.further = List.of(further);
        }).judged();
    }
}
