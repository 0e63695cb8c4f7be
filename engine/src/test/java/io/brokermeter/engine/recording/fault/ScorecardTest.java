package io.brokermeter.engine.recording.fault;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.DueRates;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.scenario.Fault;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Known answers of the scorecard for traces that are given millisecond by millisecond. */
class ScorecardTest {

    private static final Offset<Double> EXACT = within(1e-9);
    private static final MessageFates NOTHING = new MessageFates(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    private static final long SECOND = 1_000_000_000L;

    private final int[] confirmed = new int[20_000];
    private final int[] delivered = new int[20_000];
    private final int[] failed = new int[20_000];
    private final long[] waits = new long[20_000];

    private void set(int[] counts, int from, int to, int count) {
        Arrays.fill(counts, from, to, count);
    }

    private void noDelivery(int from, int to) {
        set(delivered, from, to, 0);
        Arrays.fill(waits, from, to, 0);
    }

    private Scorecard score(long fault, Event... outages) {
        return requireNonNull(Scorecard.of(new Activity.Trace(confirmed, delivered, failed, waits), SECOND, 20 * SECOND, fault,
            List.of(outages), true, NOTHING));
    }

    /** Returns the scorecard of a run whose load ended with the loss of a connection. */
    private Scorecard scoreCut(long to, Event... outages) {
        return score(to, true, outages);
    }

    private Scorecard score(long to, boolean cut, Event... events) {
        return score(DueRates.STEADY, to, cut, events);
    }

    private Scorecard score(DueRates due, long to, boolean cut, Event... events) {
        return requireNonNull(Scorecard.of(new Activity.Trace(confirmed, delivered, failed, waits),
            new Scorecard.Load(due, SECOND, to, true, cut), List.of(events), Scorecard.Reconnects.NONE, NOTHING));
    }

    /**
     * Returns the scorecard of a fault that is not undone, under a load of two rates in messages per second, the second one from
     * {@code change} seconds on.
     */
    private Scorecard scoreChanging(double first, int change, double second, double fault) {
        return score(new DueRates(List.of(new DueRates.Step(0, first), new DueRates.Step(change * SECOND, second))), 20 * SECOND, false,
            fault(1, Finding.FaultStep.BEGAN, fault));
    }

    private static Event interrupted(double at) {
        return new Event((long) (at * SECOND), Event.Kind.INTERRUPTED, new Finding.Reconnecting("gone"));
    }

    /** 2 messages per millisecond, none from 5.200 to 8.000 s, then 10 per millisecond for 0.7 s until the backlog is gone. */
    @Test
    void anOutageWithABacklog() {
        set(confirmed, 0, 20_000, 2);
        set(delivered, 0, 20_000, 2);
        Arrays.fill(waits, 1_500_000);
        for (int[] counts : List.of(confirmed, delivered)) {
            set(counts, 5_200, 8_000, 0);
            set(counts, 8_000, 8_700, 10);
        }
        for (int i = 8_000; i < 8_700; i++) {
            waits[i] = (2_800 - (i - 8_000) * 4L) * 1_000_000;
        }
        Scorecard card = score(5 * SECOND, interrupted(5.25), interrupted(5.3));

        assertThat(card.first().rateBefore()).isCloseTo(2000, EXACT);
        assertThat(card.first().detect()).isCloseTo(0.25, EXACT);
        assertThat(card.first().withoutSend()).as("from 5.199 to 8.000").isCloseTo(2.801, EXACT);
        assertThat(card.first().withoutDelivery()).isCloseTo(2.801, EXACT);
        assertThat(card.first().to95()).isCloseTo(3, EXACT);
        // Waits fall by 4 ms per millisecond, and are usual up to twice 1.5 ms plus a millisecond.
        assertThat(card.first().catchUp()).isCloseTo(0.699, EXACT);
        assertThat(card.first().longestWait()).isCloseTo(2.8, EXACT);
        assertThat(card.recovered()).isTrue();

        // From 5 s before the fault at 5 s to 5 s after the last late message at 8.699 s, which fit into 900 periods of 20 ms each.
        FaultCourse course = requireNonNull(card.course());
        assertThat(course.from()).isZero();
        assertThat(course.step()).isCloseTo(0.02, EXACT);
        assertThat(course.cells()).hasSize(685);
        assertThat(course.cells().get(259)).isEqualTo(new FaultCourse.Cell(40, 40, 0, 0.0015));
        assertThat(course.cells().get(260)).isEqualTo(new FaultCourse.Cell(0, 0, 0, 0.0015));
        assertThat(course.cells().get(400)).isEqualTo(new FaultCourse.Cell(200, 200, 0, 2.8));
        assertThat(course.sendsStopped()).isCloseTo(5.199, EXACT);
        assertThat(course.deliveriesStopped()).isCloseTo(5.199, EXACT);
    }

    /**
     * A pause of 1 s that no client notices, and a broker that is asked to stop at 9 s, closes its connections at 9.1 s and has ended at
     * 11 s.
     */
    @Test
    void whatABrokerDoesWhileItStopsIsNotOfTheFaultBefore() {
        set(confirmed, 0, 20_000, 2);
        set(delivered, 0, 20_000, 2);
        Arrays.fill(waits, 1_500_000);
        for (int[] counts : List.of(confirmed, delivered)) {
            set(counts, 4_000, 5_000, 0);
            set(counts, 9_100, 14_000, 0);
        }
        Scorecard card = score(20 * SECOND, false, fault(1, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 4, 4),
            fault(1, Fault.Action.PAUSE, Finding.FaultStep.ENDED, 5, 5), interrupted(9.1), interrupted(9.15),
            fault(2, Fault.Action.STOP, Finding.FaultStep.BEGAN, 9, 11), fault(2, Fault.Action.STOP, Finding.FaultStep.ENDED, 12, 13.5));

        assertThat(card.first().faultAt()).isCloseTo(4, EXACT);
        assertThat(card.first().detect()).isNaN();
        assertThat(card.first().to95()).isCloseTo(1, EXACT);
        assertThat(card.further()).singleElement().satisfies(stop -> {
            assertThat(stop.faultAt()).isCloseTo(9.1, EXACT);
            assertThat(stop.detect()).isZero();
            assertThat(stop.rateBefore()).isCloseTo(2000, EXACT);
            assertThat(stop.to95()).isCloseTo(4.9, EXACT);
            assertThat(stop.withoutSend()).isCloseTo(4.901, EXACT);
        });
    }

    /** A broker that is killed at 9 s, confirms nothing from 9.003 s on, and has ended at 9.263 s, which clients notice 50 ms later. */
    @Test
    void aKillThatNobodyNoticesBeforeTheProcessIsGoneCountsFromItsLastConfirmation() {
        set(confirmed, 0, 20_000, 2);
        set(delivered, 0, 20_000, 2);
        Arrays.fill(waits, 1_500_000);
        set(confirmed, 9_003, 14_000, 0);
        set(delivered, 9_200, 14_000, 0); // a consumer still delivers the messages that it has prefetched
        Scorecard card = score(20 * SECOND, false, fault(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 9, 9.263), interrupted(9.313));

        assertThat(card.first().faultAt()).isCloseTo(9.003, EXACT);
        assertThat(card.first().detect()).isCloseTo(0.31, EXACT);

        // Other nodes of a cluster still confirm, so the last confirmation of this one is not known.
        set(confirmed, 9_003, 14_000, 1);
        assertThat(score(20 * SECOND, false, fault(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 9, 9.263)).first().faultAt())
            .isCloseTo(9.263, EXACT);
        for (int i = 0; i < 20_000; i++) {
            confirmed[i] = i % 100 == 0 ? 1 : 0;
        }
        assertThat(score(20 * SECOND, false, fault(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 9, 9.263)).first().faultAt())
            .as("at 10/s").isCloseTo(9.263, EXACT);
        set(confirmed, 9_003, 14_000, 1);
        // A broker that stops regularly may serve clients until its end.
        set(confirmed, 9_003, 14_000, 0);
        assertThat(score(20 * SECOND, false, fault(1, Fault.Action.STOP, Finding.FaultStep.BEGAN, 9, 9.263)).first().faultAt())
            .isCloseTo(9.263, EXACT);
    }

    private static Event fault(int number, Fault.Action action, Finding.FaultStep step, double asked, double at) {
        return new Event((long) (at * SECOND), Event.Kind.FAULT,
            new Finding.FaultDone(number, action, "broker", step, asked, at, "", null));
    }

    /** A third of the rate is missing for 4 s without a pause, which shows in the rate and not in the gaps. */
    @Test
    void aPartOfTheRateIsMissing() {
        set(confirmed, 0, 20_000, 3);
        set(delivered, 0, 20_000, 3);
        set(confirmed, 6_000, 10_000, 2);
        Scorecard card = score(6 * SECOND);

        assertThat(card.first().detect()).isNaN();
        assertThat(card.first().withoutSend()).isCloseTo(0.001, EXACT);
        // A window of one second with 150 ms at two thirds of the rate is at 95 %: 4 s - 0.15 s.
        assertThat(card.first().to95()).isCloseTo(3.85, EXACT);
        assertThat(card.first().catchUp()).isZero();
    }

    /** After a slow start, the second in which the backlog is worked off counts neither for the rate nor for the usual waits. */
    @Test
    void oneSecondBeforeTheFaultIsNotTheRule() {
        set(confirmed, 0, 20_000, 2);
        set(delivered, 0, 20_000, 2);
        set(confirmed, 2_000, 3_000, 5);
        Arrays.fill(waits, 1_000_000);
        Arrays.fill(waits, 2_000, 3_000, 900_000_000L);
        set(confirmed, 6_000, 7_000, 0);
        noDelivery(6_000, 7_000);
        Arrays.fill(waits, 7_000, 7_500, 500_000_000L);
        Scorecard card = score(6 * SECOND);

        assertThat(card.first().rateBefore()).isCloseTo(2000, EXACT);
        assertThat(card.first().to95()).isCloseTo(1, EXACT);
        assertThat(card.first().catchUp()).isCloseTo(0.5, EXACT);
    }

    @Test
    void whatNeverComesBackIsInfinite() {
        set(confirmed, 0, 7_000, 1);
        set(delivered, 0, 7_000, 1);
        failed[7_100] = 1;
        Scorecard card = score(7 * SECOND, interrupted(7.2));

        assertThat(card.first().detect()).as("a send failed before the connection did").isCloseTo(0.1, EXACT);
        assertThat(card.first().withoutSend()).isInfinite();
        assertThat(card.first().withoutDelivery()).isInfinite();
        assertThat(card.first().to95()).isInfinite();
        assertThat(card.first().catchUp()).isInfinite();
        assertThat(card.first().longestWait()).as("of nothing").isNaN();
        assertThat(card.recovered()).isFalse();
    }

    @Test
    void whatIsNoticedJustBeforeTheFaultIsSeenIsNoticedAtOnce() {
        set(confirmed, 0, 20_000, 1);
        assertThat(score(7 * SECOND, interrupted(6.99)).first().detect()).isZero();
        assertThat(score(7 * SECOND, interrupted(5.99)).first().detect()).isNaN();
    }

    /** A send that the broker refused half a second before it was paused. */
    @Test
    void whatWasNoticedBeforeTheFaultWasAskedForIsNotOfTheFault() {
        steady();
        failed[6_500] = 1;
        assertThat(scoreAll(fault(1, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 7, 7.004)).first().detect()).isNaN();

        failed[7_002] = 1;
        assertThat(scoreAll(fault(1, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 7, 7.004)).first().detect()).isZero();
    }

    @Test
    void aFaultWithoutAnEffectScoresNothing() {
        set(confirmed, 0, 20_000, 1);
        set(delivered, 0, 20_000, 1);
        Arrays.fill(waits, 900_000);
        Scorecard card = score(7 * SECOND);

        assertThat(card.first().detect()).isNaN();
        assertThat(card.first().withoutSend()).isCloseTo(0.001, EXACT);
        assertThat(card.first().to95()).isZero();
        assertThat(card.first().catchUp()).isZero();
        assertThat(card.first().longestWait()).isCloseTo(0.0009, EXACT);
    }

    private static Event fault(int number, Finding.FaultStep step, double at) {
        return fault(number, Fault.Action.KILL, step, at, at);
    }

    private Scorecard scoreAll(Event... events) {
        return score(20 * SECOND, false, events);
    }

    private void steady(int... silent) {
        set(confirmed, 0, 20_000, 2);
        set(delivered, 0, 20_000, 2);
        Arrays.fill(waits, 1_000_000);
        for (int i = 0; i < silent.length; i += 2) {
            set(confirmed, silent[i], silent[i + 1], 0);
            set(delivered, silent[i], silent[i + 1], 0);
        }
    }

    /** An outage of half a second, and long after it the broker pauses for two seconds. */
    @Test
    void whatStandsStillLongAfterTheRecoveryIsNotOfTheFault() {
        steady(5_000, 5_500, 12_000, 14_000);
        Scorecard card = score(5 * SECOND, interrupted(5.01));

        assertThat(card.first().withoutSend()).isCloseTo(0.501, EXACT);
        assertThat(card.first().withoutDelivery()).isCloseTo(0.501, EXACT);
        assertThat(card.first().to95()).isCloseTo(0.5, EXACT);
        assertThat(card.recovered()).isTrue();
    }

    /** The process that restarts interrupts the load again, just before the fault is undone. */
    @Test
    void whatTheEndOfAFaultDoesIsOfTheFault() {
        steady(5_000, 5_500, 11_900, 13_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 5), fault(1, Finding.FaultStep.ENDED, 12));

        assertThat(card.first().withoutSend()).isCloseTo(1.101, EXACT);
        assertThat(card.further()).isEmpty();
    }

    @Test
    void eachFaultOfATimeLineIsScored() {
        steady(5_000, 5_500, 12_000, 14_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 5), fault(1, Finding.FaultStep.ENDED, 5.4), interrupted(12.01),
            fault(2, Finding.FaultStep.BEGAN, 12));

        assertThat(card.first().faultAt()).isCloseTo(5, EXACT);
        assertThat(card.first().withoutSend()).isCloseTo(0.501, EXACT);
        assertThat(card.first().detect()).as("noticed of the second alone").isNaN();
        FaultTimes second = card.further().getFirst();
        assertThat(card.further()).hasSize(1);
        assertThat(card.first().fault()).isEqualTo(1);
        assertThat(second.fault()).isEqualTo(2);
        assertThat(second.faultAt()).isCloseTo(12, EXACT);
        assertThat(second.withoutSend()).isCloseTo(2.001, EXACT);
        assertThat(second.detect()).isCloseTo(0.01, EXACT);
        assertThat(second.to95()).isCloseTo(2, EXACT);
        assertThat(second.rateBefore()).isCloseTo(2_000, EXACT);
        assertThat(second.sendsStopped()).isCloseTo(11.999, EXACT);
        assertThat(second.recovered()).isTrue();
        assertThat(card.recovered()).isTrue();
        FaultCourse course = requireNonNull(card.course());
        assertThat(course.from()).isLessThanOrEqualTo(0.1);
        assertThat(course.from() + course.cells().size() * course.step()).as("until the last is over").isGreaterThan(14);
    }

    /** The second fault comes before the run has recovered from the first one, so both are one outage. */
    @Test
    void aFaultInTheMiddleOfAnOutageBelongsToIt() {
        steady(5_000, 9_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 5), fault(2, Finding.FaultStep.BEGAN, 7));

        assertThat(card.further()).isEmpty();
        assertThat(card.first().withoutSend()).isCloseTo(4.001, EXACT);
        assertThat(card.first().to95()).isCloseTo(4, EXACT);
    }

    /** The third fault of the time line is the second one that has times of its own. */
    @Test
    void aFaultKeepsItsNumberWhenOneBeforeItHasNoTimesOfItsOwn() {
        steady(5_000, 6_000, 12_000, 13_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 5), fault(2, Finding.FaultStep.BEGAN, 5.5),
            fault(3, Finding.FaultStep.BEGAN, 12));

        assertThat(card.first().fault()).isEqualTo(1);
        assertThat(card.further()).extracting(FaultTimes::fault).containsExactly(3);
    }

    /** A fault before the first confirmation: later confirmations show nothing about the fault. */
    @Test
    void whereNothingWasConfirmedBeforeTheFaultNothingIsJudged() {
        set(confirmed, 8_000, 20_000, 2);
        set(delivered, 8_000, 20_000, 2);
        Arrays.fill(waits, 8_000, 9_000, 900_000_000L);
        Scorecard card = score(6 * SECOND, interrupted(6.1));

        assertThat(card.first().rateBefore()).isZero();
        assertThat(card.judged()).isFalse();
        assertThat(card.recovered()).isFalse();
        assertThat(List.of(card.first().withoutSend(), card.first().withoutDelivery(), card.first().to95(), card.first().catchUp()))
            .containsOnly(Double.NaN);
        assertThat(card.first().detect()).isCloseTo(0.1, EXACT);
        assertThat(card.first().longestWait()).isCloseTo(0.9, EXACT);
        FaultCourse course = requireNonNull(card.course());
        assertThat(course.sendsStopped()).isNaN();
        assertThat(course.deliveriesStopped()).isNaN();
    }

    /** No rate is measured in the warm-up. A burst in one of six seconds is no rate either, but it is not a rate of 0. */
    @Test
    void withoutAUsualSecondBeforeTheFaultNoRateIsKnown() {
        steady();
        Scorecard warming = score(SECOND / 2);
        assertThat(warming.first().rateBefore()).isNaN();
        assertThat(warming.judged()).isFalse();

        steady(0, 5_900);
        Scorecard burst = score(6 * SECOND);
        assertThat(burst.first().rateBefore()).isNaN();
        assertThat(burst.judged()).isFalse();
        assertThat(burst.recovered()).isFalse();
        assertThat(burst.first().withoutSend()).isNaN();
    }

    /**
     * The run recovers from the first fault, and then sends nothing until the second one, so that its recovery from the second one cannot
     * be judged.
     */
    @Test
    void aLaterFaultMayBeTheOneThatCannotBeJudged() {
        steady(5_000, 5_500, 6_700, 13_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 5), fault(2, Finding.FaultStep.BEGAN, 12));

        assertThat(card.first().to95()).isCloseTo(0.5, EXACT);
        assertThat(card.further()).hasSize(1);
        assertThat(card.further().getFirst().judged()).isFalse();
        assertThat(card.judged()).isFalse();
        assertThat(card.recovered()).isFalse();
    }

    /** The client gives up at once, which ends the run: there is no long pause, and no recovery. */
    @Test
    void aRunThatALossEndsAtItsFaultDidNotRecover() {
        steady(5_003, 20_000);
        Scorecard card = scoreCut(5 * SECOND + 4_000_000, fault(1, Finding.FaultStep.BEGAN, 5), interrupted(5.002));

        assertThat(List.of(card.first().withoutSend(), card.first().withoutDelivery(), card.first().to95(), card.first().catchUp()))
            .containsOnly(Double.POSITIVE_INFINITY);
        assertThat(card.judged()).isTrue();
        assertThat(card.recovered()).isFalse();
    }

    private void assertNotJudged(Scorecard card) {
        assertThat(card.first().rateBefore()).isCloseTo(2_000, EXACT);
        assertThat(card.judged()).isFalse();
        assertThat(card.recovered()).isFalse();
        assertThat(List.of(card.first().withoutSend(), card.first().withoutDelivery(), card.first().to95(), card.first().catchUp()))
            .containsOnly(Double.NaN);
        assertThat(requireNonNull(card.course()).sendsStopped()).isNaN();
    }

    /** The run is stopped 60 ms after the broker died: a pause of this length shows nothing, and there is no sign of a recovery. */
    @Test
    void aLoadThatEndsRightBehindTheFaultIsNotJudged() {
        steady(5_000, 20_000);
        assertNotJudged(score(5_060_000_000L, false, fault(1, Finding.FaultStep.BEGAN, 5)));

        // Messages in flight are confirmed in the drain.
        steady(5_000, 5_090, 5_100, 20_000);
        assertNotJudged(score(5_060_000_000L, false, fault(1, Finding.FaultStep.BEGAN, 5)));

        // The load continues as before, but for less than a second.
        steady(5_900, 20_000);
        assertNotJudged(score(5_900_000_000L, false, fault(1, Finding.FaultStep.BEGAN, 5)));
    }

    /** The pause is requested 10 ms before the end of the load, and takes effect only when no message is due any more. */
    @Test
    void aFaultThatTakesEffectAfterTheLoadIsNotJudged() {
        steady(4_990, 20_000);
        assertNotJudged(score(5 * SECOND, false, fault(1, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 4.99, 5.4)));
    }

    /** There is no message in the last half second of the load, and none in the drain. */
    @Test
    void whatStandsStillToTheEndDidNotRecoverHoweverSoonThatCame() {
        steady(5_000, 20_000);
        Scorecard card = score(5_500_000_000L, false, fault(1, Finding.FaultStep.BEGAN, 5));

        assertThat(card.judged()).isTrue();
        assertThat(card.recovered()).isFalse();
        assertThat(List.of(card.first().withoutSend(), card.first().withoutDelivery(), card.first().to95()))
            .containsOnly(Double.POSITIVE_INFINITY);

        set(confirmed, 5_000, 5_500, 2);
        Scorecard sending = score(5_500_000_000L, false, fault(1, Finding.FaultStep.BEGAN, 5));
        assertThat(sending.recovered()).isFalse();
        assertThat(sending.first().withoutDelivery()).isInfinite();
        assertThat(sending.first().to95()).as("in what there was of it none was missing").isZero();
    }

    /** The second fault of a time line comes at the very end, after the run has recovered from the first one. */
    @Test
    void aLaterFaultRightBeforeTheEndIsNotJudged() {
        steady(5_000, 5_500, 19_960, 20_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 5), fault(2, Finding.FaultStep.BEGAN, 19.96));

        assertThat(card.first().to95()).isCloseTo(0.5, EXACT);
        assertThat(card.further()).singleElement().satisfies(last -> {
            assertThat(last.rateBefore()).isCloseTo(2_000, EXACT);
            assertThat(last.judged()).isFalse();
            assertThat(last.withoutSend()).isNaN();
        });
        assertThat(card.judged()).isFalse();
        assertThat(card.recovered()).isFalse();
    }

    /** Producers send for 8 s, and the broker is killed at 12 s, when no message is due. */
    @Test
    void aFaultInASilenceOfTheLoadIsNotJudged() {
        steady(8_000, 20_000);
        Scorecard card = scoreChanging(2_000, 8, 0, 12);

        assertThat(card.judged()).isFalse();
        assertThat(card.recovered()).isFalse();
        assertThat(List.of(card.first().rateBefore(), card.first().withoutSend(), card.first().to95())).containsOnly(Double.NaN);
    }

    /** 100/s for 10 s, then 2,000/s, which a fault 2 s later halves for good. */
    @Test
    void theRateBeforeAFaultIsThatOfItsOwnStepOfTheLoad() {
        steady();
        for (int i = 0; i < 10_000; i++) {
            confirmed[i] = i % 10 == 0 ? 1 : 0;
        }
        set(confirmed, 12_000, 20_000, 1);
        Scorecard card = scoreChanging(100, 10, 2_000, 12);

        assertThat(card.first().rateBefore()).isCloseTo(2_000, EXACT);
        assertThat(card.first().to95()).isInfinite();
        assertThat(card.recovered()).isFalse();

        assertThat(scoreChanging(100, 10, 2_000, 10.5).first().rateBefore()).as("after half a second of its step").isNaN();
        assertThat(scoreChanging(2_000, 10, Double.NaN, 12).judged()).as("while the rate changes").isFalse();
    }

    /** 2,000/s are due, and half of that from 10 s on. */
    @Test
    void whatIsNotDueAnyMoreIsNotMissing() {
        steady();
        set(confirmed, 10_000, 20_000, 1);
        set(confirmed, 8_000, 9_000, 0);
        assertThat(scoreChanging(2_000, 10, 1_000, 8).first().to95()).isCloseTo(1, EXACT);
        assertThat(scoreChanging(2_000, 10, 1_000, 9.5).first().to95()).as("nothing is missing").isZero();

        set(confirmed, 8_000, 12_000, 0);
        Scorecard longer = scoreChanging(2_000, 10, 1_000, 8);
        assertThat(longer.first().to95()).isCloseTo(4, EXACT);
        assertThat(longer.first().withoutSend()).isCloseTo(4.001, EXACT);
        assertThat(longer.recovered()).isTrue();
    }

    /** The outage is over half a second before the load pauses for 4 s. */
    @Test
    void aSilenceOfTheLoadIsNoOutage() {
        steady(5_000, 7_500, 8_000, 12_000);
        Scorecard card = score(new DueRates(List.of(new DueRates.Step(0, 2_000), new DueRates.Step(8 * SECOND, 0),
            new DueRates.Step(12 * SECOND, 2_000))), 20 * SECOND, false, fault(1, Finding.FaultStep.BEGAN, 5));

        assertThat(card.first().withoutSend()).isCloseTo(2.501, EXACT);
        assertThat(card.first().withoutDelivery()).isCloseTo(2.501, EXACT);
        assertThat(card.recovered()).isTrue();
    }

    /** The load ends 8 s before the run does. */
    @Test
    void theSilenceAtTheEndIsTheEndOfTheLoad() {
        steady(10_500, 11_500, 12_000, 20_000);
        Scorecard card = scoreChanging(2_000, 12, 0, 10.5);

        assertThat(card.first().withoutSend()).isCloseTo(1.001, EXACT);
        assertThat(card.first().withoutDelivery()).isCloseTo(1.001, EXACT);
    }

    /** A loss that ends the run long after its recovery does not belong to the fault. */
    @Test
    void aRunThatALossEndsLaterMayHaveRecovered() {
        steady(5_000, 5_500, 14_000, 20_000);
        Scorecard card = scoreCut(14 * SECOND, fault(1, Finding.FaultStep.BEGAN, 5), fault(1, Finding.FaultStep.ENDED, 5.4));

        assertThat(card.first().withoutSend()).isCloseTo(0.501, EXACT);
        assertThat(card.recovered()).isTrue();
    }

    @Test
    void oneThatIsNotGotOverSpoilsAll() {
        steady(5_000, 5_500, 12_000, 20_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 5), fault(2, Finding.FaultStep.BEGAN, 12));

        assertThat(card.first().to95()).isCloseTo(0.5, EXACT);
        assertThat(card.further().getFirst().withoutSend()).isInfinite();
        assertThat(card.recovered()).isFalse();
    }

    /**
     * An outage of 6 s with a recovery, and one of 8 s up to the end, which is longer than any usual pause although it is shorter than
     * twice the first outage.
     */
    @Test
    void anOutageBeforeIsNoUsualPauseOfALaterFault() {
        steady(2_000, 8_000, 12_000, 20_000);
        Scorecard card = scoreAll(fault(1, Finding.FaultStep.BEGAN, 2), fault(2, Finding.FaultStep.BEGAN, 12));

        assertThat(card.first().withoutSend()).isCloseTo(6.001, EXACT);
        FaultTimes second = card.further().getFirst();
        assertThat(List.of(second.withoutSend(), second.withoutDelivery())).containsOnly(Double.POSITIVE_INFINITY);
        assertThat(second.recovered()).isFalse();
    }

    /** Consumers are cut off for 6 of the 10 s before a second fault, which affects deliveries but not sends. */
    @Test
    void anOutageOfDeliveriesAloneIsNotUsualBeforeALaterFault() {
        steady();
        noDelivery(2_000, 8_000);
        Arrays.fill(waits, 8_000, 8_500, 6 * SECOND);
        Arrays.fill(waits, 12_000, 12_500, 500_000_000);
        Arrays.fill(waits, 12_500, 20_000, 2_500_000);
        Event[] faults =
            {fault(1, Finding.FaultStep.BEGAN, 2), fault(1, Finding.FaultStep.ENDED, 8), fault(2, Finding.FaultStep.BEGAN, 12)};

        Scorecard card = scoreAll(faults);
        assertThat(card.first().to95()).isZero();
        assertThat(card.further()).singleElement()
            .satisfies(second -> assertThat(second.catchUp()).as("twice 1 ms and a millisecond are usual").isCloseTo(0.5, EXACT));

        set(delivered, 12_000, 20_000, 0);
        assertThat(scoreAll(faults).further()).singleElement().satisfies(second -> {
            assertThat(second.withoutDelivery()).as("8 s, less than twice the 6 s of the fault before").isInfinite();
            assertThat(second.recovered()).isFalse();
        });
    }

    /** A pause of the machine makes a message wait long now and then; that says nothing of a backlog. */
    @Test
    void singleMessagesThatWaitLongAreNoBacklog() {
        steady(5_000, 7_000);
        Arrays.fill(waits, 7_000, 7_015, 2 * SECOND);
        for (int at : new int[] {7_400, 8_200, 8_202, 9_100, 9_900, 10_640}) {
            waits[at] = 5_000_000;
        }
        assertThat(score(5 * SECOND, interrupted(5)).first().catchUp()).isCloseTo(0.015, EXACT);

        Arrays.fill(waits, 7_800, 7_803, 5_000_000);
        assertThat(score(5 * SECOND, interrupted(5)).first().catchUp()).as("three together").isCloseTo(0.803, EXACT);
    }

    /** Every fifth message comes from a queue whose consumers are not back before 7.5 s. */
    @Test
    void aBacklogBesideMessagesThatDoNotWaitIsOne() {
        steady(5_000, 7_000);
        for (int at = 7_000; at < 7_500; at += 5) {
            waits[at] = 2 * SECOND;
        }
        assertThat(score(5 * SECOND, interrupted(5)).first().catchUp()).isCloseTo(0.496, EXACT);
    }

    /** Most of the seconds before the fault have no delivery. */
    @Test
    void aSecondWithoutADeliveryHasNoUsualWait() {
        steady();
        noDelivery(1_000, 5_000);
        Arrays.fill(waits, 7_000, 7_500, 500_000_000);
        assertThat(score(7 * SECOND).first().catchUp()).isCloseTo(0.5, EXACT);
    }

    /** A pause in the warm-up, for example until the broker is ready, is not usual either. */
    @Test
    void thePausesOfTheWarmUpAreNotUsual() {
        steady(100, 900, 19_000, 20_000);
        assertThat(score(18 * SECOND, interrupted(19)).first().withoutSend()).isInfinite();
    }

    /**
     * 50 remaining messages are delivered at 7 s, the producers are reconnected at 10 s, and the messages that were due meanwhile are
     * delivered until 12 s.
     */
    @Test
    void aSecondWithoutADeliveryIsNotTheEndOfTheBacklog() {
        steady(4_000, 10_000);
        set(delivered, 7_000, 7_050, 1);
        Arrays.fill(waits, 4_000, 20_000, 0);
        Arrays.fill(waits, 7_000, 7_050, 3 * SECOND);
        Arrays.fill(waits, 10_000, 12_000, 6 * SECOND);
        Arrays.fill(waits, 12_000, 20_000, 1_000_000);
        Scorecard card = score(4 * SECOND, interrupted(4));

        assertThat(card.first().withoutDelivery()).as("from 3.999 to 7.000").isCloseTo(3.001, EXACT);
        assertThat(card.first().catchUp()).as("from 7.000 to 12.000").isCloseTo(5, EXACT);

        noDelivery(7_050, 20_000);
        assertThat(score(4 * SECOND, interrupted(4)).first().catchUp()).isInfinite();
    }

    @Test
    void withoutAFaultThereIsNothingToScoreUnlessSomethingWasNoticed() {
        set(confirmed, 0, 20_000, 1);
        Activity.Trace trace = new Activity.Trace(confirmed, delivered, failed, waits);
        assertThat(Scorecard.of(trace, 0, 20 * SECOND, -1, List.of(), false, NOTHING)).isNull();

        set(confirmed, 4_000, 4_500, 0);
        Scorecard card = score(-1, interrupted(4));
        assertThat(card.faultKnown()).isFalse();
        assertThat(card.first().faultAt()).isCloseTo(4, EXACT);
        assertThat(card.first().withoutSend()).isCloseTo(0.501, EXACT);
    }
}
