package io.brokermeter.engine.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Driver;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/**
 * Tests of lost and restored connections, over a loopback broker that dies and restarts by a script, on a virtual clock: every figure of
 * the scorecard has a known answer. Messages are due at whole milliseconds, and the actions of the script lie between them.
 */
class RecoveryTest {

    private static final Offset<Double> MILLI = within(0.0015);

    private final LoopbackRun run = LoopbackRun.of().rate("1000").duration(10_000).maxPending(100_000);

    /** Returns an actor that only reports the time of each fault: the broker has a script of its own. */
    private FaultActor witness() {
        return new FaultActor() {

            @Override
            public Effect begin(int number, Fault fault) {
                return new Effect(run.clock().nanos(), "");
            }

            @Override
            public Effect end(int number, Fault fault) {
                return new Effect(run.clock().nanos(), "");
            }

            @Override
            public void close() {}
        };
    }

    private static Scorecard card(RunResult r) {
        return requireNonNull(r.scorecard());
    }

    private static LedgerReport ledger(RunResult r) {
        return requireNonNull(r.ledger());
    }

    private <T extends Finding> List<T> told(Class<T> kind) {
        return run.events.stream().map(Event::what).filter(kind::isInstance).map(kind::cast).toList();
    }

    /** The broker is dead for the last four of ten seconds: the schedule is not missed because of think time or failed sends. */
    @Test
    void aConnectionThatIsBeingMadeAnewIsNotCalledARestOfTheProducers() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=6000500us&die-for=60m").reconnect(100, 60_000).drain(500).execute();

        assertThat(r.health().verdict().reasons()).filteredOn(Finding.NotSentInTime.class::isInstance).singleElement().satisfies(doubt -> {
            Finding.Reason reason = ((Finding.NotSentInTime) doubt).reason();
            assertThat(reason).matches(its -> LoopbackRun.blames(Finding.Blame.CONNECTIONS_LOST, its));
            if (reason.blame() == Finding.Blame.CONNECTIONS_LOST) {
                assertThat(reason.share()).isCloseTo(0.4, within(0.05));
            }
        });
    }

    /** The broker is dead from 2.0005 s to 4.0005 s; five messages are always in flight, and a connection is attempted every 300 ms. */
    @Test
    void aBrokerThatDiesAndLivesAgainIsScoredToTheMillisecond() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=2000500us&die-for=2s").reconnect(300, 60_000)
            .faults(witness(), "kill broker at 2000500us for 2s").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).as("late, but sent").isEqualTo(10_000);
        Scorecard card = card(r);
        assertThat(card.faultKnown()).isTrue();
        assertThat(card.first().faultAt()).isCloseTo(2.0005, MILLI);
        assertThat(card.first().detect()).isCloseTo(0, MILLI);
        assertThat(card.first().rateBefore()).isCloseTo(1000, within(5.0));
        // An attempt is made at once and every 300 ms, and the eighth one, after 2.1 s, succeeds. The last confirmation came 0.5 ms before
        // the death of the broker, and the next one comes 5 ms after the first send.
        assertThat(card.first().withoutSend()).isCloseTo(2.1 + 0.005, within(0.004));
        assertThat(card.first().withoutDelivery()).isCloseTo(2.1 + 0.005, within(0.004));
        assertThat(card.first().to95()).isCloseTo(2.1 + 0.005, within(0.004));
        assertThat(card.first().catchUp()).as("what waited is sent at once").isCloseTo(0, within(0.004));
        assertThat(card.first().longestWait()).isCloseTo(2.1 + 0.005, within(0.004));
        assertThat(card.recovered()).isTrue();
        assertThat(card.fates().unknown()).as("what was in flight").isBetween(4L, 6L).isEqualTo(r.unconfirmed());
        assertThat(card.fates().unknownDelivered()).isZero();
        assertThat(card.fates().lost() + card.fates().unaccounted() + card.fates().duplicatesFlagged() + card.fates().duplicatesUnflagged()
            + card.fates().duplicatesResent()
            + card.fates().outOfOrder() + card.fates().retried()).isZero();
        assertThat(ledger(r).closes()).isTrue();
        assertThat(ledger(r).lostUnconfirmed()).isEqualTo(card.fates().unknown());
        assertThat(told(Finding.Permitted.class)).extracting(Finding.Permitted::failure).containsExactly(
            new Finding.Unconfirmed(card.fates().unknown(), 0,
                Map.of(told(Finding.ConnectionLost.class).getFirst().cause(), card.fates().unknown())));
        assertThat(r.completed() + r.failed() + r.unconfirmed()).isEqualTo(r.sent());
        assertThat(requireNonNull(r.measured().get(Metric.RESPONSE)).histogram().getMaxValue() / 1e9)
            .as("the response time shows the outage").isCloseTo(card.first().longestWait(), within(0.01));
        assertThat(told(Finding.ConnectionLost.class)).extracting(Finding.ConnectionLost::connection)
            .containsExactlyInAnyOrder("producers 1", "consumers 1");
        assertThat(told(Finding.ConnectionRestored.class)).hasSize(2).allSatisfy(one -> {
            assertThat(one.attempt()).isEqualTo(8);
            assertThat(one.afterMillis()).isBetween(2_099L, 2_103L);
        });
        assertThat(told(Finding.ConnectionRestored.class)).extracting(Finding.ConnectionRestored::unknown)
            .containsExactlyInAnyOrder(0L, card.fates().unknown());
        assertThat(told(Finding.ReconnectFailed.class)).hasSize(14);
        assertThat(card.attempts()).isEqualTo(16);
        assertThat(card.restored()).isEqualTo(2).isEqualTo(r.reconnects());
    }

    /**
     * Confirmed messages are delivered 50 ms later, so some 50 are in the broker when it dies. It loses 7 of them, and delivers 9 again.
     */
    @Test
    void whatTheBrokerLosesAndDeliversAgainIsCounted() throws Exception {
        RunResult r = run.knobs("delay=5ms&linger=50ms&die-at=2000500us&die-for=1s&die-loses=7&die-repeats=9&die-keeps=true")
            .reconnect(100, 60_000).drain(500).execute();

        Scorecard card = card(r);
        assertThat(card.faultKnown()).isFalse();
        assertThat(card.first().detect()).isZero();
        assertThat(card.fates().lost()).isEqualTo(7);
        assertThat(r.failures()).singleElement().isInstanceOf(Finding.Lost.class);
        assertThat(card.fates().duplicatesUnflagged()).isEqualTo(9);
        assertThat(card.fates().duplicatesFlagged() + card.fates().duplicatesResent()).isZero();
        assertThat(card.fates().unknown()).isBetween(4L, 6L);
        assertThat(card.fates().unknownDelivered()).as("the broker had kept them").isEqualTo(card.fates().unknown());
        assertThat(ledger(r).closes()).isTrue();
        assertThat(ledger(r).received()).isEqualTo(r.sent() - r.failed() - 7 + 9);
    }

    /** The broker is dead from 2.0005 s to 5.0005 s, and the consumers are due after 3 s. */
    @Test
    void consumersThatAreDueDuringAnOutageOpenOnceItIsOver() throws Exception {
        RunResult r = LoopbackRun.of().rate("100").duration(20_000).consumersAfter(3_000)
            .knobs("delay=5ms&die-at=2000500us&die-for=3s&die-keeps=true").reconnect(100, 60_000).execute();

        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(r.received()).isGreaterThanOrEqualTo(r.sent() - r.unconfirmed());
    }

    /** The load is over after 2.8 s, the broker is dead from 3 s to 10 s, and the consumers are due after 3.5 s. */
    @Test
    void consumersThatAreDueAfterTheLoadInAnOutageOpenOnceItIsOver() throws Exception {
        RunResult r = LoopbackRun.of().rate("100").count(280).consumersAfter(3_500)
            .knobs("delay=5ms&die-at=3s&die-for=7s&die-keeps=true").reconnect(100, 60_000).execute();

        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(r.received()).isEqualTo(280);
    }

    /** A run that does not reconnect ends with the messages that it has sent, and reports why their fate is unknown. */
    @Test
    void sendsThatALostConnectionLeavesHaveItsCause() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=2000500us&die-for=60s").faults(witness(), "kill broker at 2000500us").execute();

        Finding.Broken lost = r.failures().stream().filter(Finding.Broken.class::isInstance).map(Finding.Broken.class::cast).findFirst()
            .orElseThrow();
        assertThat(lost.step()).isEqualTo(Finding.Step.CONNECTION);
        assertThat(r.unconfirmed()).isPositive();
        assertThat(r.failures()).contains(new Finding.Unconfirmed(r.unconfirmed(), 0, Map.of(lost.cause(), r.unconfirmed())));
        assertThat(card(r).recovered()).as("nothing came back").isFalse();
        assertThat(card(r).first().withoutSend()).isInfinite();
    }

    @Test
    void flaggedDuplicatesAreToldApart() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=2000500us&die-for=1s&die-repeats=9&redelivered=true").reconnect(100, 60_000).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(card(r).fates().duplicatesFlagged()).isEqualTo(9);
        assertThat(card(r).fates().duplicatesUnflagged() + card(r).fates().duplicatesResent()).isZero();
    }

    /** The client restores its connection and resends the messages that were in flight, whose first copies the broker has kept. */
    @Test
    void whatAClientSendsAgainIsNoDuplicateOfTheBroker() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=2000500us&die-for=1s&die-keeps=true&die-repeats=3&restores=true")
            .faults(witness(), "kill broker at 2000500us for 1s").execute();

        assertThat(r.failures()).isEmpty();
        Scorecard card = card(r);
        assertThat(card.fates().unknown()).isZero();
        assertThat(card.fates().retried()).isBetween(4L, 7L);
        assertThat(card.fates().duplicatesResent()).isBetween(4L, 6L);
        assertThat(card.fates().duplicatesUnflagged()).as("of the broker").isEqualTo(3);
        assertThat(card.attempts()).isZero();
        assertThat(card.restored()).isEqualTo(2);
        assertThat(card.first().withoutSend()).isCloseTo(1.0, within(0.01));
    }

    /** The connection stays open, and the broker is frozen from 3 s to 5 s. It then works off 2,000 messages at 4,000/s. */
    @Test
    void aFreezeIsScoredWithoutALossOfConnections() throws Exception {
        RunResult r = run.knobs("service-rate=4000&freeze-at=3s&freeze-for=2s").reconnect(300, 60_000)
            .faults(witness(), "pause broker at 3s for 2s").execute();

        assertThat(r.failures()).isEmpty();
        Scorecard card = card(r);
        assertThat(card.first().detect()).isNaN();
        assertThat(card.first().withoutSend()).isCloseTo(2, within(0.004));
        assertThat(card.first().withoutDelivery()).isCloseTo(2, within(0.004));
        assertThat(card.first().to95()).isCloseTo(2, within(0.004));
        // A backlog of 2,000 messages at 4,000/s out and 1,000/s in: 2/3 s.
        assertThat(card.first().catchUp()).isCloseTo(2.0 / 3, within(0.01));
        assertThat(card.first().longestWait()).isCloseTo(2, within(0.004));
        assertThat(card.fates().unknown() + card.fates().failed() + card.fates().lost() + card.attempts() + card.restored()).isZero();
    }

    @Test
    void aConnectionThatDoesNotComeBackWithinItsLimitEndsTheRun() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=2000500us&die-for=60m").reconnect(100, 1_000).drain(500).execute();

        assertThat(r.failures()).anySatisfy(failure -> assertThat(failure).isInstanceOfSatisfying(Finding.Broken.class, broken -> {
            assertThat(broken.step()).isEqualTo(Finding.Step.CONNECTION);
            assertThat(broken.cause()).isEqualTo(told(Finding.ConnectionLost.class).getFirst().cause()
                + "; not restored within 1s, where the last attempt failed: " + told(Finding.ReconnectFailed.class).getLast().cause());
        }));
        assertThat(r.elapsed().toMillis()).isBetween(3_000L, 5_000L);
        assertThat(card(r).recovered()).isFalse();
        assertThat(card(r).first().withoutSend()).isInfinite();
    }

    /** A run ends after a minute without a send for an unknown reason, but not if it has two minutes to restore its connections. */
    @Test
    void aConnectionHasAllOfItsLimitToComeBack() throws Exception {
        RunResult r = run.rate("100").duration(90_000).knobs("delay=5ms&die-at=2000500us&die-for=70s").reconnect(500, 120_000).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(9_000);
        assertThat(card(r).recovered()).isTrue();
        assertThat(card(r).first().withoutSend()).isCloseTo(70.0, within(1.0));
    }

    private interface Before {
        void call(String method);
    }

    private static <T> T proxy(Class<T> type, T whole, Before before) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, args) -> {
            before.call(method.getName());
            try {
                return method.invoke(whole, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /** The client blocks for a long time when its lost connection is closed, so that no attempt is made in time. */
    @Test
    void aClientThatHangsInItsRecoveryIsNotWaitedForWithoutEnd() throws Exception {
        Before hang = method -> {
            if (method.equals("close") && run.clock().elapsed() > 2_000_000_000L) {
                run.clock().park(150_000_000_000L);
            }
        };
        Driver whole = run.driver();
        Driver hanging =
            (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
                Object result;
                try {
                    result = method.invoke(whole, args);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
                return result instanceof Connection open ? proxy(Connection.class, open, hang) : result;
            });
        RunResult r = run.over(hanging).rate("100").duration(600_000).knobs("delay=5ms&die-at=2000500us&die-for=1s")
            .reconnect(100, 20_000).drain(500).execute();

        assertThat(r.failures()).hasAtLeastOneElementOfType(Finding.Stuck.class);
        assertThat(r.elapsed().toSeconds()).isBetween(60L, 95L);
    }

    /** A class of the client is missing, which shows when it reconnects: the run reports that and does not wait. */
    @Test
    void whatNobodyExpectsOfAnAttemptEndsTheRun() throws Exception {
        Driver damaged = proxy(Driver.class, run.driver(), method -> {
            if (method.equals("connect") && run.clock().elapsed() > 2_000_000_000L) {
                throw new NoClassDefFoundError("client/Missing");
            }
        });
        RunResult r = run.over(damaged).rate("100").duration(90_000).knobs("delay=5ms&die-at=2000500us&die-for=1s")
            .reconnect(100, 600_000).drain(500).execute();

        assertThat(r.failures()).anySatisfy(failure -> assertThat(failure).isInstanceOfSatisfying(Finding.Broken.class, broken -> {
            assertThat(broken.step()).isEqualTo(Finding.Step.CONNECTION);
            assertThat(broken.cause()).contains("client/Missing");
        }));
        assertThat(r.elapsed().toMillis()).isLessThan(10_000);
    }

    @Test
    void aRunThatEndsBeforeItsConnectionIsBackSaysSo() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=9000500us&die-for=60m").reconnect(100, 60_000).drain(500).execute();

        assertThat(r.failures()).anySatisfy(failure -> assertThat(failure).isInstanceOf(Finding.NotRestored.class));
        assertThat(card(r).recovered()).isFalse();
    }

    /**
     * The run is stopped as soon as the loss is reported. That ends the load, so it is unknown whether the connection would have been
     * restored.
     */
    @Test
    void aRunThatIsStoppedAtItsFaultIsNotJudged() throws Exception {
        RunResult r;
        try (VirtualClock clock = run.clock()) {
            r = run.knobs("delay=5ms&die-at=2000500us&die-for=60s").reconnect(300, 60_000).faults(witness(), "kill broker at 2000500us")
                .drain(500).prepare(new RunObserver() {
                    @Override
                    public void event(Event event) {
                        if (event.what() instanceof Finding.ConnectionLost) {
                            run.started().stop(2);
                        }
                    }
                }).execute();
        }

        assertThat(r.failures()).hasAtLeastOneElementOfType(Finding.NotRestored.class);
        assertThat(card(r).first().rateBefore()).isCloseTo(1000, within(5.0));
        assertThat(card(r).judged()).isFalse();
        assertThat(card(r).recovered()).isFalse();
        assertThat(card(r).first().withoutSend()).isNaN();
    }

    @Test
    void withoutRecoveryALossEndsTheRunAsItDid() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=2000500us&die-for=1s").drain(500).execute();

        assertThat(r.failures()).isNotEmpty();
        assertThat(r.scorecard()).isNull();
        assertThat(r.elapsed().toMillis()).isLessThan(4_000);
    }

    @Test
    void severalProducersAndConsumersOfTransactionsComeBack() throws Exception {
        RunResult r = run.producers(4).threads(2).consumers(3).on("queue://A", "queue://B").transactionsOf(10)
            .knobs("delay=5ms&die-at=2000500us&die-for=1s&die-keeps=true").reconnect(100, 60_000).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(10_000);
        assertThat(ledger(r).closes()).isTrue();
        assertThat(ledger(r).lost()).isZero();
        assertThat(card(r).restored()).isEqualTo(14);
    }

    /**
     * Two producers send in turn, one message each 10 s, and the first message of the second one is never confirmed. So their common
     * thread waits for the window of the second producer from 30 s to 40 s, while the first one owes nothing.
     */
    @Test
    void aProducerThatOwesNothingLeavesItsLostConnectionAtOnce() throws Exception {
        LoopbackRun slow = LoopbackRun.of().producers(2).maxPending(1).rate("0.1").duration(60_000);
        slow.knobs("silent-every=2&die-at=35s&die-for=1ms").reconnect(100, 60_000).execute();

        assertThat(slow.events).extracting(Event::what).filteredOn(Finding.ConnectionRestored.class::isInstance)
            .extracting(Finding.ConnectionRestored.class::cast).filteredOn(one -> one.connection().startsWith("producers")).hasSize(2)
            .allSatisfy(one -> assertThat(one.afterMillis()).isLessThan(500));
    }

    /** The end of the load is noticed a quarter of a second later. */
    @Test
    void aReportThatTakesItsTimeIsNoSilence() throws Exception {
        RunResult r = run.knobs("delay=5ms&die-at=2000500us&die-for=1s").reconnect(100, 60_000).interval(1990)
            .afterInterval(_ -> run.clock().park(300_000_000)).execute();

        assertThat(card(r).recovered()).isTrue();
        assertThat(card(r).first().withoutDelivery()).isCloseTo(1.0, within(0.11));
    }

    /** The broker dies at 2.0005 s, and the third query of the depth, half a second later, fails. */
    @Test
    void theDepthIsKnownAgainSoonAfterTheBrokerIsBack() throws Exception {
        List<Interval> intervals = new ArrayList<>();
        try (VirtualClock clock = run.clock()) {
            run.knobs("delay=5ms&die-at=2000500us&die-for=3s").reconnect(100, 60_000).interval(250).prepare(new RunObserver() {
                @Override
                public void interval(Interval interval) {
                    intervals.add(interval);
                }

                @Override
                public void event(Event event) {}
            }).execute();
        }

        assertThat(intervals).as("while it is dead").filteredOn(i -> i.elapsedNanos() > 2_700_000_000L && i.elapsedNanos() < 5_000_000_000L)
            .isNotEmpty().allSatisfy(i -> assertThat(i.broker()).isNull());
        assertThat(intervals).as("at most a second after that, and an interval")
            .filteredOn(i -> i.elapsedNanos() > 6_300_000_000L && i.elapsedNanos() < 10_000_000_000L).isNotEmpty()
            .allSatisfy(i -> assertThat(requireNonNull(i.broker()).depth()).isNotNegative());
    }

    @Test
    void aRunWithoutALossHasNoScorecard() throws Exception {
        RunResult r = run.reconnect(100, 60_000).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.scorecard()).isNull();
    }
}
