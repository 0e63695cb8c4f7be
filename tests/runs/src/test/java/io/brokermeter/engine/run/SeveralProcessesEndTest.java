package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.confidence.Sections;
import io.brokermeter.engine.run.parts.IntervalMerger;
import io.brokermeter.engine.run.parts.OneOfSeveral;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.run.receive.Quotas;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the end of the load, of the drain and of the use of destinations where several processes run the shares of a plan, on a
 * {@link VirtualClock}.
 */
@Tag("slow")
class SeveralProcessesEndTest {

    /** The backlog takes six times the drain timeout. */
    @Test
    void whoHasNoLateConsumersStaysUntilThoseOfOthersAreThroughWithTheBacklog() throws Exception {
        Groups groups = new Groups();
        groups.drain = Duration.ofMillis(500);
        RunPair pair = new RunPair(groups.producers("p", p -> p.messages = 30).consumers("c", c -> {
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
            c.processing = new TimeLaw.Constant(Duration.ofMillis(100));
        }));
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
            assertThat(groups.clock.elapsed()).isBetween(3_000_000_000L, 4_000_000_000L);
        }
        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(30);
        assertThat(pair.meeting.moments.get("0 CLOSED")).as("when the last of 30 messages came, one in 100 ms")
            .isGreaterThanOrEqualTo(2_900_000_000L);
        assertThat(pair.runs).as("both measure until then").extracting(run -> run.part().result().part().costSeconds())
            .allSatisfy(seconds -> assertThat(seconds).isBetween(2.9, 4.0));
    }

    /** Every other message is lost, so the backlog is never complete. */
    @Test
    void aBacklogOfWhichSomethingIsMissingHoldsUpNobodyForEver() throws Exception {
        Groups groups = new Groups("lose-every=2");
        groups.drain = Duration.ofSeconds(1);
        RunPair pair = new RunPair(groups.producers("p", p -> p.messages = 20).consumers("c", c -> {
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
            c.processing = new TimeLaw.Constant(Duration.ofMillis(500));
        }));
        try (groups.clock) {
            assertThat(pair.execute().result().received()).isEqualTo(10);
            assertThat(groups.clock.elapsed()).isBetween(5_000_000_000L, 9_000_000_000L);
        }
        assertThat(pair.meeting.reached.indexOf("0 CLOSED")).isGreaterThan(pair.meeting.reached.indexOf("1 DRAINED"));
    }

    /** Every 100 ms a count is sent, which comes 2 s later, and to the other process. */
    @Test
    void theCountsOfAllProcessesAreWaitedForWhenEverythingElseHasCome() throws Exception {
        Groups groups = new Groups("linger=2s");
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("100"));
            p.messages = 100;
        }).consumers("c", c -> c.summarizer = new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null))
            .consumers("reader", c -> c.from = new String[] {"topic://COUNTS"}));
        int reader = pair.plan.consumers().getLast().consumers().getFirst().index();
        pair.shares.getFirst().consumers().set(reader);
        pair.shares.getLast().consumers().clear(reader);
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
        }
        assertThat(r.failures()).isEmpty();
        assertThat(Groups.group(r, "reader").received()).isEqualTo(Groups.group(r, "c counts").sent()).isGreaterThan(20);
        assertThat(pair.meeting.moments.get("0 DRAINED")).as("counts that are under way do not hold up the drain")
            .isLessThan(4_000_000_000L);
    }

    /** A report of one process reaches the other one a moment later. */
    @Test
    void whatARunMadeIsRemovedAlsoWhereItsDrainIsCut() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> p.messages = 30).consumers("c", c -> {
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
            c.processing = new TimeLaw.Constant(Duration.ofMillis(100));
        }));
        AtomicLong stopped = new AtomicLong(Long.MAX_VALUE);
        pair.meeting.held = step -> step == RunCoordination.Step.CLOSED && groups.clock.elapsed() - stopped.get() < 150_000_000;
        pair.after(1_000, () -> {
            stopped.set(groups.clock.elapsed());
            pair.runs.forEach(run -> run.stop(2));
        });
        try (groups.clock;
                Connection broker = groups.driver().connect(pair.plan.groups().getFirst().endpoint().settings(), LoopbackRun.DEAF)) {
            assertThat(pair.execute().result().drained()).isFalse();
            assertThat(groups.clock.elapsed() - stopped.get()).isBetween(150_000_000L, 1_000_000_000L);
            assertThat(broker.declare(pair.plan.destinations().getFirst())).as("it was removed").isTrue();
        }
    }

    /**
     * The load ends early, for example because a threshold is missed: consumers that were to start a minute later are not opened, and the
     * messages for them count as possibly late and not as missing.
     */
    @Test
    void aLoadThatIsOverForAllMissesNothingThatConsumersWereToGetLater() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("100"));
            p.messages = 10_000;
        }).consumers("c", c -> c.start = new Start(Duration.ofSeconds(60), false, Duration.ZERO)));
        pair.after(1_000, () -> pair.meeting.tell(() -> pair.meeting.over = true));
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
        }
        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isBetween(90L, 101L);
        assertThat(r.drained()).isFalse();
        assertThat(pair.meeting.moments).doesNotContainKey("1 OPENED");
    }

    @Test
    void aLoadThatIsOverForAllCutsNoDrain() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> p.messages = 30).consumers("c", c -> {
            c.start = new Start(Duration.ofMillis(500), true, Duration.ZERO);
            c.processing = new TimeLaw.Constant(Duration.ofMillis(100));
        }));
        pair.after(1_500, () -> pair.meeting.tell(() -> pair.meeting.over = true));
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
        }
        assertThat(r.drained()).isTrue();
        assertThat(r.received()).isEqualTo(30);
        assertThat(pair.meeting.moments).containsKey("1 OPENED");
    }

    /** One of two processes that share the quota of a group is lost, so the number of messages that it took is unknown. */
    @Test
    void whatALostProcessTookOfANumberIsNotMissed() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> p.messages = 20).consumers("c", c -> {
            c.count = 2;
            c.messages = 20;
        }));
        int first = pair.plan.consumers().getFirst().consumers().getFirst().index();
        pair.shares.getFirst().consumers().set(first);
        pair.shares.getLast().consumers().clear(first);
        try (groups.clock) {
            pair.execute();
        }
        assertThat(pair.result().failures()).isEmpty();
        ResultMerger left = new ResultMerger(pair.plan, pair.number, 0, 0, new Sections());
        pair.add(left, 0);
        left.lost(pair.shares.getLast(), new IntervalMerger(1_000_000_000).known(1), "lost", "lost");
        assertThat(left.result(0, List.of(), ResultMerger.ClockBound.NONE, -1, null).result().failures())
            .doesNotHaveAnyElementsOfTypes(Finding.TooFewTaken.class);
        assertThat(pair.runs.getFirst().part().verdictCounts().taken()).containsOnlyKeys(pair.plan.consumers().getFirst().index());
    }

    /** The process waits for the others, and made the queue for all. Who only leaves does not know whether the others begin. */
    @ParameterizedTest
    @EnumSource(names = {"CONNECTED", "DECLARED"})
    void whatWasMadeForAllIsRemovedWhereTheRunIsGivenUpBeforeItBegins(RunCoordination.Step last) throws Exception {
        assertThat(isRemoved(last, Run::abort)).isTrue();
        assertThat(isRemoved(last, Run::leave)).isEqualTo(last == RunCoordination.Step.CONNECTED);
    }

    /** Returns whether nothing is left of a process whose run is ended when it waits to pass a step. */
    private static boolean isRemoved(RunCoordination.Step last, Consumer<Run> end) throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> p.messages = 10).consumers("c", c -> {}));
        AtomicReference<Run> run = new AtomicReference<>();
        run.set(new Run(pair.plan, new RunShare(pair.shares.getFirst(), pair.number, new OneOfSeveral() {
            @Override
            public void reached(Step step) {
                if (step == last) {
                    end.accept(run.get());
                }
            }

            @Override
            public boolean mayPass(Step step) {
                return step.compareTo(last) < 0;
            }
        }), new RunObserver() {}, null, null, Setting::key, groups.clock, null));
        try (groups.clock;
                Connection broker = groups.driver().connect(pair.plan.groups().getFirst().endpoint().settings(), LoopbackRun.DEAF)) {
            assertThatThrownBy(run.get()::execute).isInstanceOfSatisfying(RunFailure.class,
                e -> assertThat(e.finding()).isEqualTo(new Finding.StoppedConnecting()));
            return broker.declare(pair.plan.destinations().getFirst());
        }
    }

    /** The other processes have not closed their consumers when the time limit for that is over. */
    @Test
    void whatOthersStillUseIsNotRemoved() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> p.messages = 10).consumers("c", c -> {}));
        AtomicLong left = new AtomicLong();
        Run run = new Run(pair.plan, new RunShare(pair.shares.getFirst(), pair.number, new OneOfSeveral() {
            @Override
            public void leaves() {
                left.incrementAndGet();
            }

            @Override
            public boolean mayPass(Step step) {
                return step != Step.CLOSED;
            }
        }), new RunObserver() {}, null, null, Setting::key, groups.clock, null);
        try (groups.clock;
                Connection broker = groups.driver().connect(pair.plan.groups().getFirst().endpoint().settings(), LoopbackRun.DEAF)) {
            run.execute();
            assertThat(left).as("it told the others").hasValue(1);
            assertThat(broker.declare(pair.plan.destinations().getFirst())).as("it was removed").isFalse();
        }
    }

    /** Messages beyond these numbers stay in the queues, and the run does not wait for them. */
    @Test
    void theLoadOfAllEndsWhenAllGroupsWithANumberOfMessagesTookThem() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.to = new String[] {"queue://A", "queue://B"};
            p.load = new Load.Constant(Rate.parse("200"));
        }).consumers("a", c -> {
            c.from = new String[] {"queue://A"};
            c.messages = 20;
        }).consumers("b", c -> {
            c.from = new String[] {"queue://B"};
            c.messages = 100;
        }));
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
            assertThat(groups.clock.elapsed()).isBetween(1_000_000_000L, 2_000_000_000L);
        }
        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(120);
        assertThat(r.sent()).isBetween(199L, 210L);
        assertThat(Objects.requireNonNull(r.ledger()).closes()).isTrue();
        assertThat(r.ledger().lost()).isZero();
    }

    /** The number is reached after half a second, within the first report, which takes a second. */
    @Test
    void aNumberThatIsReachedDuringAReportEndsTheLoadOfAll() throws Exception {
        Groups groups = new Groups();
        RunPair pair =
            new RunPair(groups.producers("p", p -> p.load = new Load.Constant(Rate.parse("200"))).consumers("c", c -> c.messages = 100));
        pair.meeting.reporting = () -> groups.clock.park(1_000_000_000);
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
            assertThat(groups.clock.elapsed()).isBetween(1_000_000_000L, 5_000_000_000L);
        }
        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(100);
    }

    /** The load ends after a second, and the first delivery comes after two; what was sent beyond the 20 is not due. */
    @Test
    void aNumberThatIsReachedInTheDrainEndsTheDrainOfAll() throws Exception {
        Groups groups = new Groups("consumer-rtt=4s");
        groups.duration = Duration.ofSeconds(1);
        groups.drain = Duration.ofSeconds(30);
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.to = new String[] {"topic://T"};
            p.load = new Load.Constant(Rate.parse("200"));
        }).consumers("c", c -> {
            c.from = new String[] {"topic://T"};
            c.messages = 20;
        }));
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
            assertThat(groups.clock.elapsed()).isBetween(2_000_000_000L, 5_000_000_000L);
        }
        assertThat(r.failures()).isEmpty();
        assertThat(r.drained()).isTrue();
        assertThat(r.received()).isEqualTo(20);
        assertThat(Objects.requireNonNull(r.ledger()).lost()).isZero();
    }

    @Test
    void whatProcessesTookOfANumberAddsUp() {
        Quotas quotas = new Quotas(new Groups().producers("p", p -> {}).consumers("c", c -> c.messages = 10)
            .consumers("free", c -> {}).plan());
        quotas.took(0, Map.of(1, 4L));
        assertThat(quotas.usedUp()).isEmpty();
        quotas.took(2, Map.of(1, 5L));
        quotas.took(0, Map.of(1, 5L));
        assertThat(quotas.usedUp()).containsExactly(1);
    }

    @Test
    void aGroupThatIsGoneHoldsUpNoEnd() {
        Plan plan = new Groups().producers("p", p -> {}).consumers("c", c -> {
            c.count = 2;
            c.messages = 10;
        }).consumers("d", c -> c.messages = 10).plan();
        List<Integer> consumers = plan.consumers().stream().flatMap(group -> group.consumers().stream()).map(c -> c.index()).toList();
        Quotas quotas = new Quotas(plan);
        quotas.left(List.of(with(0, consumers.get(0)), with(1, consumers.get(1)), with(2, consumers.get(2))));
        quotas.left(List.of(with(1, consumers.get(1)), with(2, consumers.get(2))));
        assertThat(quotas.usedUp()).as("half of the first group is left").isEmpty();
        quotas.left(List.of(with(2, consumers.get(2))));
        assertThat(quotas.usedUp()).containsExactly(1);
        assertThat(quotas.areUsedUp()).isFalse();
        quotas.took(2, Map.of(2, 10L));
        assertThat(quotas.areUsedUp()).isTrue();
    }

    private static Share with(int number, int consumer) {
        Share share = new Share(number, new BitSet(), new BitSet());
        share.consumers().set(consumer);
        return share;
    }

    /** As with a coordinator, faults that are in effect are undone first, here until 3 s after the end of the load. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendingEndsWithTheLastProducerHoweverLongOthersWait(boolean summarizer) throws Exception {
        Groups groups = new Groups();
        for (String name : List.of("first", "second")) {
            groups.phase(new Phase(name, Duration.ofSeconds(1), Map.of("", new Load.Constant(Rate.parse("100")))));
        }
        RunPair pair = new RunPair(groups.producers("p", p -> p.load = new Load.Constant(Rate.parse("100"))).consumers("c",
            c -> c.summarizer = summarizer ? new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null) : null));
        pair.meeting.held = step -> step == RunCoordination.Step.SENT && groups.clock.elapsed() < 5_000_000_000L;
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
        }
        assertThat(r.failures()).isEmpty();
        assertThat(r.sending()).isCloseTo(Duration.ofSeconds(2), Duration.ofMillis(1));
        assertThat(r.phases()).extracting(PhaseResult::name).containsExactly("first", "second");
        assertThat(r.phases()).allSatisfy(phase -> {
            assertThat(phase.seconds()).isCloseTo(1, within(0.001));
            assertThat(phase.receivingSeconds()).isCloseTo(1, within(0.001));
            assertThat(phase.received()).isEqualTo(100);
        });
        assertThat(r.part().seconds()).isCloseTo(2, within(0.001));
        assertThat(r.groups()).filteredOn(GroupResult::publishesCounts).hasSize(summarizer ? 1 : 0);
    }

    /** The load takes 2 s, and a command of a fault ends after 100 s. */
    @Test
    void theWaitForACommandIsInNoFigureOfAnyProcess() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("100"));
            p.messages = 200;
        }).consumers("c", c -> {}));
        pair.meeting.runClock = groups.clock::nanos;
        pair.meeting.held = step -> step == RunCoordination.Step.SENT && groups.clock.elapsed() < 100_000_000_000L;
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
            assertThat(groups.clock.elapsed()).isGreaterThanOrEqualTo(100_000_000_000L);
        }
        assertThat(r.failures()).isEmpty();
        assertThat(pair.runs).extracting(run -> run.part().result().part().costSeconds())
            .allSatisfy(seconds -> assertThat(seconds).isCloseTo(2, within(0.2)));
    }

    /** The load is over after 0.4 s, the command after 100 s, and the consumers process messages from 60 s to 104 s. */
    @Test
    void aBacklogIsOneHoweverLongACommandIsWaitedFor() throws Exception {
        Groups groups = new Groups();
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("100"));
            p.messages = 40;
        }).consumers("c", c -> {
            c.start = Start.after(Duration.ofSeconds(60));
            c.processing = new TimeLaw.Constant(Duration.ofMillis(1_100));
        }));
        pair.meeting.runClock = groups.clock::nanos;
        pair.meeting.held = step -> step == RunCoordination.Step.SENT && groups.clock.elapsed() < 100_000_000_000L;
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
        }
        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(40);
        assertThat(pair.runs).extracting(run -> run.part().result().part().costSeconds())
            .allSatisfy(seconds -> assertThat(seconds).isBetween(102.0, 110.0));
    }

    /** The first agent has nothing to do, so no process runs its share. */
    @Test
    void howManyMessagesWaitedIsAskedByOneProcessAndKnownOfAll() throws Exception {
        Groups groups = new Groups();
        groups.threshold("broker.depthMax < 1000");
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("100"));
            p.messages = 220;
            p.maxPending = 0;
        }).consumers("c", c -> c.start = new Start(Duration.ZERO, true, Duration.ZERO)), 1);
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
        }
        BrokerFigures broker = Objects.requireNonNull(r.broker());
        assertThat(broker.depthMax()).isBetween(100L, 220L);
        assertThat(broker).isEqualTo(BrokerFigures.UNKNOWN.withDepthMax(broker.depthMax()));
        assertThat(r.thresholds()).singleElement().satisfies(threshold -> assertThat(threshold.passed()).isTrue());
        assertThat(pair.runs).filteredOn(run -> run.part().result().broker() != null).hasSize(1);
    }
}
