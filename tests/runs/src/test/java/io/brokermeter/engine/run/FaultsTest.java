package io.brokermeter.engine.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.parts.OneOfSeveral;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the time line of faults, on a virtual clock and with an actor whose actions take a given time. */
class FaultsTest {

    /** Takes a given time for each action, and records the calls. */
    private static final class Scripted implements FaultActor {

        final List<String> calls = Collections.synchronizedList(new ArrayList<>());
        private final Clock clock;
        private final long begin;
        private final long millis;
        int exitStatus;
        boolean fails;

        Scripted(VirtualClock clock, long millis) {
            this.clock = clock;
            this.begin = clock.nanos();
            this.millis = millis;
        }

        private Effect done(String what, int number, Fault fault, boolean end) {
            calls.add(what + " " + number);
            if (millis > 0) {
                long until = clock.nanos() + millis * 1_000_000;
                while (clock.nanos() < until) {
                    clock.park(until - clock.nanos());
                }
            }
            if (fails) {
                throw new IllegalStateException("It was not to be done.");
            }
            return new Effect(clock.nanos(), "pid 7", end && fault.action() == Fault.Action.RUN ? exitStatus : null);
        }

        @Override
        public Effect begin(int number, Fault fault) {
            return done("begin", number, fault, false);
        }

        @Override
        public Effect end(int number, Fault fault) {
            return done("end", number, fault, true);
        }

        @Override
        public void giveUp() {
            calls.add("give up");
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    private final LoopbackRun run = LoopbackRun.of();
    private final Scripted actor = new Scripted(run.clock(), 0);

    private List<Finding.FaultDone> done() {
        return run.events.stream().map(Event::what).filter(Finding.FaultDone.class::isInstance).map(Finding.FaultDone.class::cast).toList();
    }

    private static String told(Finding.FaultDone one) {
        return String.format(Locale.ROOT, "%d %s %s %s %.3f", one.number(), one.action().word(), one.target(), one.step(),
            one.effectiveSeconds());
    }

    @Test
    void faultsTakeEffectAtTheirMoments() throws Exception {
        RunResult r = run.rate("1000").duration(5_000).faults(actor, "kill node 1 at 1s for 2s", "pause node 2 at 1500ms for 100ms",
            "reset connection at 4s").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(5_000);
        assertThat(done()).extracting(FaultsTest::told).containsExactly("1 kill node 1 BEGAN 1.000", "2 pause node 2 BEGAN 1.500",
            "2 pause node 2 ENDED 1.600", "1 kill node 1 ENDED 3.000", "3 reset connection BEGAN 4.000");
        assertThat(done()).allSatisfy(one -> {
            assertThat(one.effectiveSeconds()).isCloseTo(one.askedSeconds(), within(1e-3));
            assertThat(one.detail()).isEqualTo("pid 7");
        });
        assertThat(run.events).filteredOn(event -> event.what() instanceof Finding.FaultDone)
            .allSatisfy(event -> assertThat(event.kind()).isEqualTo(Event.Kind.FAULT))
            .allSatisfy(event -> assertThat(event.elapsedNanos() / 1e9)
                .isEqualTo(((Finding.FaultDone) event.what()).effectiveSeconds()));
        assertThat(actor.calls).as("who made it closes it").doesNotContain("close", "give up");
    }

    /** The summarizer publishes ten counts per second, which are not part of the load. */
    @Test
    void theCountsOfASummarizerAreNotInTheRateBeforeAFault() throws Exception {
        Groups groups = new Groups();
        groups.duration = Duration.ofSeconds(8);
        groups.actor = new Scripted(groups.clock, 0);
        groups.faults.add(Fault.parse("reset connection at 5s"));
        RunResult r = groups.producers("p", p -> p.load = Load.parse("100", 7))
            .consumers("c", c -> c.summarizer = new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null))
            .execute();

        assertThat(r.failures()).isEmpty();
        assertThat(requireNonNull(r.scorecard()).first().rateBefore()).isEqualTo(100);
    }

    @Test
    void anActionThatTakesLongHoldsUpNeitherSendersNorOtherFaults() throws Exception {
        Scripted slow = new Scripted(run.clock(), 700);
        RunResult r = run.rate("1000").duration(3_000).faults(slow, "restart broker at 1s", "run ./x at 1200ms").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(3_000);
        assertThat(r.measured().get(Metric.RESPONSE).histogram().getMaxValue()).as("longest response time, ns").isLessThan(1_000_000);
        assertThat(done()).extracting(FaultsTest::told).containsExactly("1 restart broker BEGAN 1.700", "2 run ./x BEGAN 1.900",
            "1 restart broker ENDED 2.400", "2 run ./x ENDED 2.600");
        assertThat(done()).extracting(Finding.FaultDone::askedSeconds).containsExactly(1.0, 1.2, 1.0, Double.NaN);
    }

    @Test
    void theNextFaultMayBeWantedBeforeItsMomentAndLastsAsLong() throws Exception {
        run.rate("1000").duration(20_000).faults(actor, "kill node 1 at 15s for 2s", "pause node 2 at 10s for 1s", "run ./x at 17s");
        List<Object> answers = new CopyOnWriteArrayList<>();
        run.clock().after(4_000, () -> {
            FaultPlayer player = run.started().faults();
            answers.addAll(List.of(requireNonNull(player.next()).number(), player.playNow(1), player.playNow(2), player.playNow(2),
                requireNonNull(player.next()).fault().words(), player.playNow(1)));
        });
        run.clock().after(6_000, () -> answers.add(run.started().faults().playNow(1)));
        RunResult r = run.execute();

        assertThat(r.failures()).isEmpty();
        assertThat(answers).containsExactly(2, FaultPlayer.Played.NO_MORE, FaultPlayer.Played.NOW, FaultPlayer.Played.NO_MORE,
            "kill node 1 for 2s", FaultPlayer.Played.ANOTHER_LASTS, FaultPlayer.Played.NOW);
        assertThat(actor.calls).containsExactly("begin 2", "end 2", "begin 1", "end 1", "begin 3", "end 3");
        List<Double> at = done().stream().map(Finding.FaultDone::effectiveSeconds).toList();
        assertThat(at.get(0)).isCloseTo(4, within(0.5));
        assertThat(at.get(1) - at.get(0)).isCloseTo(1, within(1e-3));
        assertThat(at.get(3) - at.get(2)).isCloseTo(2, within(1e-3));
        assertThat(at.get(4)).as("what nobody wanted keeps its moment").isCloseTo(17, within(1e-3));
        double asked = done().getFirst().askedSeconds();
        assertThat(at.getFirst()).isCloseTo(asked, within(1e-3));
        assertThat(run.events).extracting(Event::what).contains(new Finding.FaultAdvanced(2, Fault.Action.PAUSE, "node 2", asked, 10));
        assertThat(requireNonNull(r.scorecard()).first().faultAt()).isCloseTo(asked, within(1e-3));
        assertThat(run.started().faults().next()).as("the load is over").isNull();
        assertThat(run.started().faults().playNow(3)).isEqualTo(FaultPlayer.Played.NO_MORE);
    }

    @Test
    void whatHasNoLengthIsUndoneWhenTheLoadIsOverAndBeforeTheDrain() throws Exception {
        RunResult r = run.rate("100").duration(2_000).faults(actor, "pause broker at 1s", "cut connection at 1s").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(done()).extracting(FaultsTest::told).contains("1 pause broker ENDED 2.000", "2 cut connection ENDED 2.000");
        assertThat(done()).filteredOn(one -> one.step() == Finding.FaultStep.ENDED)
            .allSatisfy(one -> assertThat(one.askedSeconds()).isNaN());
    }

    /** The command ends 201 s after the start of the run, of which the load takes 3 s. */
    @Test
    void aCommandMayTakeAllOfItsTimeWhenTheLoadIsOver() throws Exception {
        RunResult r = run.rate("100").duration(3_000).faults(new Scripted(run.clock(), 100_000), "run ./x at 1s for 5m").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.part().costSeconds()).as("the load was measured, and not the wait for the command").isCloseTo(3, within(0.1));
        assertThat(done()).extracting(FaultsTest::told).containsExactly("1 run ./x BEGAN 101.000", "1 run ./x ENDED 201.000");
    }

    /** The load is over after 0.3 s, and the command after 200 s. */
    @Test
    void consumersWithADelayTakeTheBacklogBesideACommandAndTheRestOfItsTimeIsInNoFigure() throws Exception {
        RunResult r = run.rate("100").count(30).consumersAfter(2_000).faults(new Scripted(run.clock(), 100_000), "run ./x at 100ms for 5m")
            .execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(30);
        assertThat(r.part().costSeconds()).as("time until the backlog was taken").isCloseTo(2, within(0.2));
        assertThat(done()).extracting(FaultsTest::told).containsExactly("1 run ./x BEGAN 100.100", "1 run ./x ENDED 200.100");
    }

    /** The command itself may stop the broker and start it again. */
    @Test
    void consumersWithADelayWaitBesideACommandUntilTheBrokerIsBack() throws Exception {
        RunResult r = run.knobs("die-at=1s&die-for=5s&die-keeps=true").reconnect(100, 60_000).rate("100").count(30).consumersAfter(2_000)
            .faults(new Scripted(run.clock(), 100_000), "run ./x at 100ms for 5m").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(30);
    }

    @Test
    void consumersWithADelayAreNotOpenedBesideACommandWhenTheRunIsLost() throws Exception {
        RunResult r = run.knobs("die-at=1s").rate("100").count(30).consumersAfter(2_000)
            .faults(new Scripted(run.clock(), 100_000), "run ./x at 100ms for 5m").execute();

        assertThat(r.failures()).filteredOn(Finding.Broken.class::isInstance)
            .allSatisfy(failure -> assertThat(((Finding.Broken) failure).step()).isEqualTo(Finding.Step.CONNECTION)).isNotEmpty();
    }

    /** The action is not a command, and the scenario has no limit for it. */
    @Test
    void whatDoesNotEndIsGivenUpAfterTwoMinutes() throws Exception {
        RunResult r = run.rate("100").duration(3_000).faults(new Scripted(run.clock(), 100_000), "restart broker at 1s").execute();

        assertThat(r.failures()).singleElement().isEqualTo(new Finding.FaultFailed(1, Fault.Action.RESTART, "broker",
            Finding.FaultStep.ENDED, "it was not done within 120 s"));
    }

    @Test
    void whatWasKilledForGoodIsNotStarted() throws Exception {
        run.rate("100").duration(2_000).faults(actor, "kill broker at 1s").execute();

        assertThat(actor.calls).containsExactly("begin 1");
    }

    @Test
    void aLoadThatEndsEarlierSaysWhatWasNotDone() throws Exception {
        RunResult r = run.rate("1000").count(1_500).faults(actor, "kill broker at 1s for 10s", "pause broker at 20s").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(actor.calls).containsExactly("begin 1");
        assertThat(run.events).extracting(Event::what).contains(new Finding.FaultNotUndone(1, Fault.Action.KILL, "broker", 11),
            new Finding.FaultNotDue(2, Fault.Action.PAUSE, "broker", 20));
    }

    @Test
    void aFaultThatIsNotMadeFailsTheRunWhichGoesOn() throws Exception {
        actor.fails = true;
        RunResult r = run.rate("1000").duration(2_000).faults(actor, "pause broker at 1s for 500ms").execute();

        assertThat(r.sent()).isEqualTo(2_000);
        assertThat(r.success()).isFalse();
        assertThat(r.failures()).containsExactly(
            new Finding.FaultFailed(1, Fault.Action.PAUSE, "broker", Finding.FaultStep.BEGAN, "It was not to be done."));
        assertThat(actor.calls).containsExactly("begin 1");
        assertThat(run.events).anyMatch(event -> event.kind() == Event.Kind.ERROR && event.what() instanceof Finding.FaultFailed);
    }

    @Test
    void aCommandThatFailsFailsTheRunAndItsExitStatusIsInTheEvent() throws Exception {
        actor.exitStatus = 3;
        RunResult r = run.rate("1000").duration(1_000).faults(actor, "run ./x at 500ms").execute();

        assertThat(done().getLast().exitStatus()).isEqualTo(3);
        assertThat(r.failures()).hasSize(1).first().isInstanceOfSatisfying(Finding.FaultFailed.class,
            failed -> assertThat(failed.cause()).isEqualTo("its exit status is 3, pid 7"));
    }

    @Test
    void aRunThatIsStoppedUndoesAndGivesUp() throws Exception {
        run.rate("1000").duration(60_000).interval(500).afterInterval(r -> r.stop(2)).faults(actor, "pause broker at 100ms for 30s",
            "kill broker at 40s");
        run.execute();

        assertThat(actor.calls).contains("begin 1", "end 1", "give up").doesNotContain("begin 2");
    }

    @Test
    void aScenarioWithFaultsNeedsAnActor() {
        run.duration(5_000).faults(actor, "pause broker at 1s");

        assertThatThrownBy(() -> new Run(run.plan(), new RunObserver() {})).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "kill broker at 20s for 10s | kill broker at 20s for 10s",
        "  Pause   Node=2 at 5  | pause node 2 at 5s",
        "stop Master at 250ms | stop master at 250ms",
        "kill port=61616 at 1m | kill port 61616 at 60s",
        "run ./x.sh meet at noon at 3s for 1500ms | run ./x.sh meet at noon at 3s for 1500ms",
        "run ./x.sh by 5 at 3s | run ./x.sh by 5 at 3s",
        "delay producers by 50ms at 2s for 3s | delay producers by 50ms at 2s for 3s",
        "delay consumers by 50 at 2s | delay consumers by 50ms at 2s",
        "kill name server at 1s | kill name server at 1s",
        "blackhole connection at 1s for 1s | blackhole connection at 1s for 1s"})
    void aFaultIsReadAndWritten(String text, String written) {
        Fault fault = Fault.parse(text);

        assertThat(fault).hasToString(written);
        assertThat(Fault.parse(fault.toString())).isEqualTo(fault);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kill", "kill broker", "kill at 20s", "broker at 20s", "explode broker at 20s", "kill broker at noon",
        "kill broker at 20s for ever", "kill broker at 20s for 0s", "restart broker at 1s for 2s", "reset connection at 1s for 2s",
        "cut broker at 1s", "delay connection at 1s", "cut connection by 5ms at 1s", ""})
    void whatCannotBeMeantIsRefused(String text) {
        assertThatThrownBy(() -> Fault.parse(text)).isInstanceOf(UsageException.class).hasMessageEndingWith(".");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-5ms", "soon", "5 apples ms"})
    void aDelayThatIsNoTimeIsNamed(String by) {
        assertThatThrownBy(() -> Fault.parse("delay connection by " + by + " at 1s")).isInstanceOf(UsageException.class)
            .hasMessageContaining(by).hasMessageNotContaining("must be about");
    }

    @Test
    void aDelayBelowZeroIsRefusedWithWhatIsRight() {
        assertThatThrownBy(() -> Fault.parse("delay connection by -5ms at 1s"))
            .hasMessage("Fault 'delay' delays by a time above 0 and up to 30s, like 50ms, not by '-5ms'.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "kill broker at 10s | | comes after the end of the run",
        "delay connection by 500us at 70s | | Fault 'delay connection by 500us at 70s' comes after the end of the run, which takes 10s.",
        "delay connection by 1.5ms at 9s for 1001ms | | Fault 'delay connection by 1500us at 9s for 1001ms' lasts until 10001ms",
        "kill broker at 9s for 2s | | lasts until 11s",
        "kill broker at 1s | pause broker at 5s | without 'for' it is not started again",
        "kill broker at 1s for 5s | pause node 2 at 5s | contradicts",
        "pause node 1 at 3s for 2s | kill broker at 4s | contradicts",
        "pause node 1 at 3s | stop node 1 at 3s | contradicts",
        "cut connection at 1s for 2s | delay producers by 5ms at 2s | contradicts"})
    void faultsThatCannotGoTogetherAreRefused(String first, String second, String why) {
        run.duration(10_000).faults(actor, second == null ? new String[] {first} : new String[] {first, second});

        assertThatThrownBy(run::plan).isInstanceOf(UsageException.class).hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pause node 1 at 3s for 2s | kill node 2 at 4s for 1s",
        "kill broker at 1s for 2s | kill broker at 3s for 2s",
        "restart broker at 1s | restart broker at 2s",
        "reset connection at 1s | cut connection at 2s",
        "kill broker at 1s for 5s | run ./x at 2s",
        "kill broker at 1s for 5s | cut connection at 2s for 1s"})
    void othersCan(String first, String second) {
        assertThat(run.duration(10_000).faults(actor, first, second).plan().scenario().faults()).hasSize(2);
    }

    /** A run ends after a minute without a send for an unknown reason; here the scenario has the reason, and the time of its end. */
    @Test
    void aFaultMayLastForLongerThanARunMayStandStill() throws Exception {
        RunResult r = run.rate("100").duration(90_000).maxPending(10).knobs("freeze-at=2s&freeze-for=70s")
            .faults(actor, "pause broker at 2s for 70s").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(9_000);
    }

    /** In a run of several processes, another process makes the faults. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFaultOfWhichOthersTellMayLastAsLong(boolean told) throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("100").maxPending(10).duration(100_000).knobs("freeze-at=1s&freeze-for=90s");
        RunResult r = run.among(new OneOfSeveral() {
            @Override
            public boolean isFaulted() {
                return told;
            }
        }).execute();

        assertThat(r.failures().stream().anyMatch(Finding.Stuck.class::isInstance)).isEqualTo(!told);
    }

    /** The run may be stopped just when a fault is due: the broker must not be killed while messages in flight are confirmed. */
    @Test
    void aFaultWhoseMomentComesWithTheEndOfTheLoadIsNotMade() {
        try (VirtualClock clock = run.clock()) {
            RunState state = new RunState();
            Failures failures = new Failures(Setting::key);
            EventLog events = new EventLog(state, failures, clock, () -> {});
            FaultPlayer player = new FaultPlayer(List.of(Fault.parse("kill broker at 1s")), actor, events, state, clock, failures::text);
            assertThat(player.end(() -> {}, () -> {})).isEmpty();
            player.begin(clock.nanos() - 1_000_000_000L, clock.nanos() - 1_000_000_000L);
            assertThat(player.end(() -> {}, () -> {})).isEmpty();

            assertThat(actor.calls).isEmpty();
            assertThat(requireNonNull(events.poll()).what()).isEqualTo(new Finding.FaultNotDue(1, Fault.Action.KILL, "broker", 1));
        }
    }
}
