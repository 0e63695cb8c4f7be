package io.brokermeter.engine.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.confidence.Sections;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.run.judge.EndingThresholds;
import io.brokermeter.engine.run.parts.IntervalMerger;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.run.parts.ShareResult;
import io.brokermeter.engine.run.parts.StepBarrier;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Setting;
import org.HdrHistogram.Histogram;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of several processes that run the shares of a plan, here as runs that share only a broker and their {@link StepBarrier}. Where all
 * sent messages are counted, the load has a number of messages: a load that ends by time leaves messages unsent if the machine stalls
 * until half a second after its end.
 */
@Tag("slow")
class SeveralProcessesTest {

    /** The results of the runs of all shares. */
    private record Outcomes(Plan plan, long run, List<Share> shares, Map<Integer, ShareResult> parts, Map<Integer, byte[]> ledgers,
            Map<Integer, List<Interval>> intervals) {

        RunResult result() throws IOException {
            return joined(Set.of(), ResultMerger.ClockBound.NONE).result();
        }

        /** @param lost numbers of the shares of which only the intervals are known */
        ResultMerger.Merged joined(Set<Integer> lost, ResultMerger.ClockBound clocks) throws IOException {
            List<Interval> told = intervals.values().stream().flatMap(List::stream).toList();
            ResultMerger joint = new ResultMerger(plan, run, told.stream().mapToLong(Interval::startEpochNanos).min().orElse(0),
                told.stream().mapToLong(Interval::endEpochNanos).max().orElse(0), new Sections());
            for (Share share : shares) {
                int number = share.number();
                if (lost.contains(number)) {
                    IntervalMerger reported = new IntervalMerger(1_000_000_000);
                    intervals.get(number).forEach(interval -> reported.add(number, interval));
                    joint.lost(share, reported.known(number), "process " + number + " was lost", "process " + number + " said no cause");
                } else {
                    joint.add(share, "process " + number, parts.get(number), new ByteArrayInputStream(ledgers.get(number)));
                }
            }
            return joint.result(0, List.of(), clocks, -1, null);
        }
    }

    private static List<Share> shares(Plan plan, int count) {
        List<Share> shares = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            shares.add(new Share(i, new BitSet(), new BitSet()));
        }
        plan.producers().stream().flatMap(group -> group.producers().stream()).map(ProducerPlan::index)
            .forEach(p -> shares.get(p % count).producers().set(p));
        plan.consumers().stream().flatMap(group -> group.consumers().stream()).map(ConsumerPlan::index)
            .forEach(c -> shares.get((c + 1) % count).consumers().set(c));
        return shares;
    }

    private static Outcomes run(LoopbackRun scenario, int count) throws Exception {
        return run(scenario, count, (_, _) -> {});
    }

    /** @param starting called by each process before it knows the start, with its number and the intervals that all have reported */
    private static Outcomes run(LoopbackRun scenario, int count,
            BiConsumer<Integer, Map<Integer, List<Interval>>> starting) throws Exception {
        Plan plan = scenario.wallClock().plan();
        long number = RunShare.whole(plan).run();
        Meeting meeting = new Meeting(IntStream.range(0, count).boxed().collect(Collectors.toSet()), System::nanoTime);
        List<Share> shares = shares(plan, count);
        Map<Integer, Run> runs = new HashMap<>();
        Map<Integer, List<Interval>> intervals = new ConcurrentHashMap<>();
        meeting.starting = share -> starting.accept(share, intervals);
        Map<Integer, Exception> failures = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        for (Share share : shares) {
            List<Interval> own = intervals.computeIfAbsent(share.number(), _ -> new CopyOnWriteArrayList<>());
            Run run = new Run(plan, new RunShare(share, number, meeting.of(share.number())), new RunObserver() {
                @Override
                public void interval(Interval i) {
                    own.add(i);
                }
            }, null, null, Setting::key);
            runs.put(share.number(), run);
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    run.execute();
                } catch (Exception e) {
                    failures.put(share.number(), e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        Map<Integer, ShareResult> parts = new HashMap<>();
        Map<Integer, byte[]> ledgers = new HashMap<>();
        for (Map.Entry<Integer, Run> run : runs.entrySet()) {
            ByteArrayOutputStream sets = new ByteArrayOutputStream();
            run.getValue().writeLedger(sets);
            parts.put(run.getKey(), run.getValue().part());
            ledgers.put(run.getKey(), sets.toByteArray());
        }
        return new Outcomes(plan, number, shares, parts, ledgers, intervals);
    }

    /** Returns a loopback driver that records which subscriptions were removed. */
    private static Driver recording(List<String> removed) {
        return LoopbackRun.with(new LoopbackDriver(), (own, _, method, args) -> {
            if (method.getName().equals("unsubscribe")) {
                removed.add(String.valueOf(args[1]));
            }
            return LoopbackRun.unwrapped(() -> method.invoke(own, args));
        });
    }

    /**
     * The process that has the first consumer of a shared durable subscription removes it; if that process is gone, no other one does so
     * by itself.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSubscriptionWhoseRemoverIsGoneIsRemovedByItsHeirAlone(boolean inherits) throws Exception {
        List<String> removed = new CopyOnWriteArrayList<>();
        Plan plan = LoopbackRun.of().wallClock().over(recording(removed)).on("topic://T").durable(1).consumers(2).rate("1000").count(20)
            .plan();
        List<ConsumerPlan> both = plan.consumers().getFirst().consumers();
        assertThat(both).extracting(ConsumerPlan::subscription).containsOnly(both.getFirst().subscription());
        Share second = new Share(1, new BitSet(), new BitSet());
        plan.producers().getFirst().producers().forEach(producer -> second.producers().set(producer.index()));
        second.consumers().set(both.getLast().index());
        RunCoordination coordination = new RunCoordination() {
            @Override
            public Set<Integer> takenOverSubscriptions() {
                return inherits ? Set.of(both.getLast().subscription()) : Set.of();
            }
        };
        new Run(plan, new RunShare(second, RunShare.whole(plan).run(), coordination), new RunObserver() {}, null, null, Setting::key)
            .execute();
        assertThat(removed).isEqualTo(inherits ? List.of(requireNonNull(both.getLast().settings().subscription())) : List.of());
    }

    /**
     * No process has both ends of a queue, so this class of the ledger is computed from sets that another process than the sender's has
     * written.
     */
    @Test
    void whatCameFromOtherDestinationsIsCountedOverAllProcesses() throws Exception {
        RunResult r = run(LoopbackRun.of().wallClock().over(
            Diverting.over(new LoopbackDriver(), Destination.parse("queue://A"), Destination.parse("queue://B")))
            .on("queue://A", "queue://B").consumers(2).rate("1000").count(1_000), 2).result();

        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(r.received()).isEqualTo(1_500);
        assertThat(requireNonNull(r.ledger()).expected()).isEqualTo(1_000);
        assertThat(r.ledger().otherDestination()).isEqualTo(500);
        assertThat(r.ledger().closes()).isTrue();
    }

    private static long open(RunResult r) {
        return r.sent() - r.completed() - r.failed() - r.unconfirmed();
    }

    /**
     * The broker is down for half a second in the third second, and each process restores its own connections. There are whole seconds
     * before and after it even if the machine is slow.
     */
    @Test
    void connectionsOfAllAreMadeAnewAndTheLedgerIsExact() throws Exception {
        Outcomes all;
        RunResult r;
        int tries = 0;
        do {
            all = run(LoopbackRun.of().on("queue://A").producers(4).consumers(4).rate("1000").count(6_000)
                .knobs("delay=5ms&die-at=2500500us&die-for=500ms").reconnect(50, 60_000), 3);
            r = all.result();
            // In a stall that is as long as the outage, no client misses the broker, and one until it leaves no second to judge by.
        } while ((r.reconnects() == 0 || !requireNonNull(r.scorecard()).first().judged()) && ++tries < 3);
        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(r.sent()).isEqualTo(6_000);
        assertThat(open(r)).isZero();
        assertThat(requireNonNull(r.ledger()).closes()).isTrue();
        assertThat(r.ledger().lost() + r.ledger().duplicates()).isZero();
        assertThat(r.ledger().lostUnconfirmed()).as("what was in flight").isEqualTo(r.unconfirmed());
        Scorecard card = requireNonNull(r.scorecard());
        assertThat(card.faultKnown()).isFalse();
        // A machine that stalls after the outage may not reach the rate again before the end.
        assertThat(card.first().withoutSend()).isBetween(0.4, 60.0);
        assertThat(card.restored()).isEqualTo(r.reconnects()).isEqualTo(all.parts.values().stream().mapToLong(part -> part.result()
            .reconnects()).sum()).isPositive();
        assertThat(all.parts.values()).allSatisfy(part -> assertThat(part.result().scorecard()).as("of one it says nothing").isNull());
    }

    @Test
    void aRedeliveryToAnotherProcessHasItsMark() throws Exception {
        RunResult r;
        int tries = 0;
        do {
            r = run(LoopbackRun.of().on("queue://A").producers(1).consumers(4).rate("1000").count(2_000)
                .knobs("delay=5ms&die-at=1000500us&die-for=200ms&die-repeats=40&redelivered=true").reconnect(50, 60_000).drain(5_000), 4)
                .result();
            // After a stall the broker may die before it has delivered 40 messages.
        } while (requireNonNull(r.ledger()).duplicates() < 40 && ++tries < 3);
        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(requireNonNull(r.ledger()).duplicates()).isEqualTo(40);
        assertThat(r.ledger().redeliveredDuplicates()).isEqualTo(40);
        assertThat(requireNonNull(r.scorecard()).fates().duplicatesFlagged()).isEqualTo(40);
    }

    /** The client of one process resends some 500 messages that were in flight, and another process receives both copies. */
    @Test
    void whatAClientSendsAgainToAnotherProcessIsNoDuplicateOfTheBroker() throws Exception {
        RunResult r;
        Scorecard card;
        int tries = 0;
        do {
            r = run(LoopbackRun.of().on("queue://A").producers(1).consumers(3).rate("1000").count(2_500)
                .knobs("delay=500ms&die-at=1500500us&die-for=200ms&die-keeps=true&die-repeats=3&restores=true").reconnect(50, 60_000)
                .drain(5_000), 4)
                .result();
            card = requireNonNull(r.scorecard());
            // After a stall the broker may die while nothing is in flight, or before it has delivered three messages.
        } while ((card.fates().retried() == 0 || card.fates().duplicatesUnflagged() < 3) && ++tries < 3);
        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(card.fates().retried()).isPositive();
        assertThat(card.fates().duplicatesResent()).isEqualTo(requireNonNull(r.ledger()).duplicates() - 3);
        assertThat(card.fates().duplicatesUnflagged()).isEqualTo(3);
        assertThat(r.ledger().closes()).isTrue();
    }

    @Test
    void withoutAnAgentOrACommonClockThereIsNoScorecard() throws Exception {
        Outcomes all;
        int tries = 0;
        do {
            all = run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).rate("1000").count(3_000)
                .knobs("die-at=700500us&die-for=500ms").reconnect(50, 60_000), 2);
            // In a stall that is as long as the outage, no client misses the broker.
        } while (all.result().reconnects() == 0 && ++tries < 3);
        ResultMerger.Merged apart = all.joined(Set.of(), new ResultMerger.ClockBound(0, 2e6));
        assertThat(apart.result().scorecard()).isNull();
        assertThat(apart.notices()).contains(new Finding.ScorecardLeftOut(0, 2_000));
        ResultMerger.Merged lost = all.joined(Set.of(1), ResultMerger.ClockBound.NONE);
        assertThat(lost.result().scorecard()).isNull();
        assertThat(lost.notices()).contains(new Finding.ScorecardLeftOut(1, 0));
    }

    /** Each process can send one message in 20 ms, and its schedule asks for ten. */
    @Test
    void aDoubtAboutTheOnlyProcessThatIsLeftOfSeveralIsNotOneAboutTheRun() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).rate("1000").duration(1_000).maxPending(1)
            .knobs("delay=20ms"), 2);
        assertThat(all.joined(Set.of(1), ResultMerger.ClockBound.NONE).result().health().verdict().reasons()).isNotEmpty()
            .allSatisfy(doubt -> assertThat(doubt).isInstanceOf(Finding.DoubtOfAgent.class));
    }

    @Test
    void whatALostAgentSentInTheWarmUpIsNotInTheMeasuredPart() throws Exception {
        Outcomes all;
        long own;
        long whole;
        int tries = 0;
        do {
            all = run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).rate("1000").count(2_000).warmup(1_000).interval(100), 2);
            own = all.intervals.get(1).stream().filter(interval -> !interval.warmup()).mapToLong(Interval::sent).sum();
            whole = all.intervals.get(1).stream().mapToLong(Interval::sent).sum();
            // If the machine stalls in the warm-up, all messages of the warm-up are sent after it, or those after it are in its last interval.
        } while ((own == whole || own == 0) && ++tries < 5);
        assertThat(own).isPositive().isLessThan(whole);
        MeasuredPart part = all.joined(Set.of(1), ResultMerger.ClockBound.NONE).result().part();
        assertThat(part.sent()).isEqualTo(requireNonNull(all.parts.get(0)).result().part().sent() + own);
        assertThat(part.received()).isEqualTo(requireNonNull(all.parts.get(0)).result().part().received()
            + all.intervals.get(1).stream().filter(interval -> !interval.warmup()).mapToLong(Interval::received).sum());
    }

    /** An unknown number is not reported as 0, which is the number of a producer or consumer without messages. */
    @Test
    void whatALostAgentHadIsWhatItReportedOrNotKnown() throws Exception {
        Outcomes all;
        int tries = 0;
        do {
            all = run(LoopbackRun.of().on("queue://A").producers(4).consumers(4).rate("500")
                .phase("slow", 1_000, "500").phase("fast", 1_000, "1000").interval(100), 2);
            // A producer whose process stands still until the phases have ended sends nothing.
        } while (all.parts.values().stream().flatMap(part -> part.result().groups().getFirst().endpoints().stream())
            .anyMatch(producer -> producer.messages() == 0) && ++tries < 3);
        RunResult whole = all.result();
        RunResult there = all.parts.get(0).result();
        RunResult r = all.joined(Set.of(1), ResultMerger.ClockBound.NONE).result();
        GroupResult senders = r.groups().getFirst();
        GroupResult receivers = r.groups().getLast();
        // Phases end by time: how many of the 1,500 messages were sent by then depends on the machine.
        List<Long> known = new ArrayList<>(there.groups().getFirst().endpoints().stream().map(GroupResult.EndpointResult::messages)
            .toList());
        assertThat(known).hasSize(2).allSatisfy(messages -> assertThat(messages).isPositive());
        known.addAll(List.of(Counts.UNKNOWN, Counts.UNKNOWN));
        assertThat(senders.endpoints()).extracting(GroupResult.EndpointResult::messages).containsExactlyInAnyOrderElementsOf(known);
        assertThat(receivers.endpoints()).filteredOn(one -> one.messages() == Counts.UNKNOWN).hasSize(2);
        // The intervals of the lost process reach to the end here, so that none of its messages is missing.
        assertThat(senders.sent()).isEqualTo(whole.sent()).isGreaterThan(there.sent());
        assertThat(senders.completed()).isEqualTo(whole.completed()).isEqualTo(whole.sent());
        assertThat(receivers.received()).isEqualTo(whole.received());
        assertThat(senders.messagesPerSecond()).isNaN();
        assertThat(r.phases().stream().mapToLong(PhaseResult::sent).sum()).isEqualTo(whole.sent());
        assertThat(r.phases()).hasSize(2).zipSatisfy(there.phases(),
            (phase, own) -> assertThat(phase.sent()).isGreaterThanOrEqualTo(own.sent()));
        assertThat(r.phases().stream().mapToLong(PhaseResult::received).sum()).isEqualTo(whole.received());
        all.intervals.get(1).clear();
        RunResult silent = all.joined(Set.of(1), ResultMerger.ClockBound.NONE).result();
        assertThat(silent.groups()).extracting(GroupResult::sent, GroupResult::received).containsExactly(
            Tuple.tuple(Counts.UNKNOWN, 0L), Tuple.tuple(0L, Counts.UNKNOWN));
        assertThat(silent.phases()).hasSize(2).allSatisfy(phase -> {
            assertThat(phase.sent()).isEqualTo(Counts.UNKNOWN);
            assertThat(phase.received()).isEqualTo(Counts.UNKNOWN);
            assertThat(phase.sentPerSecond()).isNaN();
        });
    }

    @Test
    void sharesOfARateAddUpExactly() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(7).consumers(5).rate("3000").count(3_001), 3);
        assertThat(LoopbackRun.failuresButTheRate(all.result())).isEmpty();
        assertThat(all.result().sent()).isEqualTo(3_001);
        assertThat(all.result().completed()).isEqualTo(3_001);
        assertThat(all.result().received()).isEqualTo(3_001);
        assertThat(all.result().ledger().expected()).isEqualTo(3_001);
        assertThat(all.result().ledger().closes()).isTrue();
        assertThat(all.result().ledger().lost() + all.result().ledger().duplicates()).isZero();
        assertThat(all.result().measured().get(Metric.RESPONSE).count()).isEqualTo(3_001);
        // Events are assigned to the producers in turn, so the first of the seven have one more.
        assertThat(all.result().groups().getFirst().endpoints()).extracting(endpoint -> endpoint.messages())
            .containsExactly(429L, 429L, 429L, 429L, 429L, 428L, 428L);
        assertThat(all.result().groups().getLast().endpoints()).hasSize(5);
        assertThat(all.parts().values()).allSatisfy(part -> assertThat(part.result().sent()).isPositive());
        assertThat(all.result().health().schedule().due()).isEqualTo(3_001);
        assertThat(all.result().health().schedule().askedPerSecond()).isBetween(2_999.0, 3_001.0);
        assertThat(all.result().health().schedule().reachedPerSecond())
            .isCloseTo(3_001 / (all.result().sending().toNanos() / 1e9), within(0.001));
    }

    @Test
    void aProcessThatOnlyReceivesStaysUntilAllHasCome() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(1).consumers(1).count(20_000), 2);
        assertThat(LoopbackRun.failuresButTheRate(all.result())).isEmpty();
        assertThat(all.parts().get(0).result().sent()).isEqualTo(20_000);
        assertThat(all.parts().get(0).result().received()).isZero();
        assertThat(all.parts().get(1).result().received()).isEqualTo(20_000);
        assertThat(all.result().ledger().lost()).isZero();
        assertThat(all.result().ledger().expected()).isEqualTo(20_000);
    }

    @Test
    void everySubscriptionOfATopicGetsAll() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("topic://T").producers(3).consumers(4).count(900), 3);
        assertThat(LoopbackRun.failuresButTheRate(all.result())).isEmpty();
        assertThat(all.result().ledger().expected()).isEqualTo(3_600);
        assertThat(all.result().received()).isEqualTo(3_600);
    }

    @Test
    void whereEveryAgentIsLostTheSummaryIsWhatTheyHadReported() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).rate("2000").count(600).interval(100), 2);
        RunResult left = all.joined(Set.of(0, 1), ResultMerger.ClockBound.NONE).result();
        assertThat(left.sent()).isEqualTo(600);
        assertThat(left.received()).isEqualTo(600);
        assertThat(left.completed() + left.unconfirmed() + left.failed()).isEqualTo(600);
        assertThat(left.ledger()).isNull();
        assertThat(left.drained()).isFalse();
        assertThat(left.elapsed().toMillis()).isBetween(200L, 200_000L);
        assertThat(left.meanSent()).isBetween(1.0, 2_500.0);
        assertThat(left.measured()).containsOnlyKeys(Metric.values());
        assertThat(left.health().verdict().reasons()).containsExactly(new Finding.NotJudged());
    }

    @Test
    void whatTheBrokerLosesIsLostForAllTogether() throws Exception {
        Outcomes all = run(LoopbackRun.of().knobs("lose-every=100").on("queue://A").producers(4).consumers(2).count(2_000).drain(5_000), 2);
        assertThat(all.result().ledger().lost() + all.result().ledger().undelivered()).isEqualTo(20);
        assertThat(all.result().ledger().closes()).isTrue();
        assertThat(all.result().failures()).hasSize(1);
    }

    @Test
    void whatTheBrokerDeliversTwiceIsCountedOnceMore() throws Exception {
        Outcomes all =
            run(LoopbackRun.of().knobs("duplicate-every=50").on("queue://A").producers(2).consumers(4).count(1_000).drain(10_000), 4);
        assertThat(all.result().ledger().duplicates()).isEqualTo(20);
        assertThat(all.result().ledger().expected()).isEqualTo(1_000);
        assertThat(all.result().ledger().closes()).isTrue();
    }

    @Test
    void intervalsOfAllAddUp() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(3).consumers(3).rate("2000").count(1_400).interval(100), 3);
        IntervalMerger joint = new IntervalMerger(100_000_000);
        List<Interval> made = new ArrayList<>();
        int most = all.intervals().values().stream().mapToInt(List::size).max().orElseThrow();
        for (int i = 0; i < most; i++) {
            int number = i;
            all.intervals().forEach((share, own) -> {
                if (number < own.size()) {
                    joint.add(share, own.get(number));
                }
            });
            for (Interval one = joint.next(List.of(0, 1, 2), null); one != null; one = joint.next(List.of(0, 1, 2), null)) {
                made.add(one);
            }
        }
        for (Interval one = joint.next(List.of(), null); one != null; one = joint.next(List.of(), null)) {
            made.add(one);
        }
        assertThat(made.stream().mapToLong(Interval::sent).sum()).isEqualTo(1_400);
        assertThat(made.stream().mapToLong(Interval::received).sum()).isEqualTo(1_400);
        assertThat(made).extracting(Interval::index).isSorted();
        for (int i = 1; i < made.size(); i++) {
            assertThat(made.get(i).startEpochNanos()).isEqualTo(made.get(i - 1).endEpochNanos());
        }
    }

    /** The second process, whose consumer takes all messages, learns the start when the first one has been sending for a while. */
    @Test
    void whatComesBeforeAProcessKnowsTheStartIsOfTheRun() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(1).consumers(1).rate("1000").count(600).interval(100), 2,
            (share, intervals) -> {
                while (share == 1 && intervals.get(0).stream().mapToLong(Interval::sent).sum() < 100) {
                    LockSupport.parkNanos(1_000_000);
                }
            });
        assertThat(all.intervals().get(1).stream().mapToLong(Interval::received).sum()).isEqualTo(600);
        assertThat(requireNonNull(all.parts().get(1)).result().part().received()).isEqualTo(600);
        assertThat(requireNonNull(all.parts().get(1)).result().part().count(Count.RECEIVED_BYTES)).isEqualTo(600 * 64);
    }

    /** Each of the three producers sends the sizes in turn, 100 or 300 bytes first. */
    @Test
    void theBytesOfAllProcessesAddUpAndThoseOfALostOneAreWhatItReported() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A", "queue://B", "queue://C").producers(1).consumers(1).sizes("list:100,300")
            .count(1_200).rate("2000").interval(100), 3);
        RunResult r = all.result();
        for (Count count : List.of(Count.SENT_BYTES, Count.COMPLETED_BYTES, Count.RECEIVED_BYTES)) {
            assertThat(r.count(count)).as(count.key()).isEqualTo(1_200 * 200);
            assertThat(all.parts().values().stream().mapToLong(part -> part.result().count(count)).sum()).isEqualTo(1_200 * 200);
            assertThat(r.groups().stream().mapToLong(group -> group.count(count)).sum()).isEqualTo(1_200 * 200);
        }
        assertThat(r.part().count(Count.SENT_BYTES)).isEqualTo(1_200 * 200);

        RunResult without = all.joined(Set.of(1), ResultMerger.ClockBound.NONE).result();
        assertThat(without.count(Count.SENT_BYTES)).as("all was reported in intervals").isEqualTo(1_200 * 200);
        assertThat(without.groups().getFirst().count(Count.SENT_BYTES)).isEqualTo(1_200 * 200);
    }

    private static Interval between(long beginMillis, long endMillis, long sent) {
        return Interval.of(its -> {
            its.startEpochNanos = beginMillis * 1_000_000;
            its.endEpochNanos = endMillis * 1_000_000;
            its.elapsedNanos = endMillis * 1_000_000;
            its.set(Count.SENT, sent);
        });
    }

    /**
     * Guards against a division by a nanosecond: the second process reports its last messages after an interval was made from those of the
     * first one.
     */
    @Test
    void whatComesAfterAnIntervalWasMadeIsOfTheNext() {
        IntervalMerger joint = new IntervalMerger(1_000_000_000);
        joint.add(0, between(0, 1_000, 10));
        joint.add(1, between(0, 1_000, 10));
        assertThat(requireNonNull(joint.next(List.of(0, 1), null)).sent()).isEqualTo(20);
        joint.add(0, between(1_000, 1_200, 3));
        assertThat(joint.next(List.of(0, 1), null)).isNull();
        joint.add(1, between(1_000, 1_150, 4));
        Interval rest = requireNonNull(joint.next(List.of(), null));
        assertThat(rest.sent()).isEqualTo(7);
        assertThat(rest.seconds()).isCloseTo(0.2, within(1e-9));
    }

    /** By its own clock, the second process ended before the last interval of the others did. */
    @Test
    void whatNothingFollowsHasTheTimeInWhichItWasCounted() {
        IntervalMerger joint = new IntervalMerger(1_000_000_000);
        joint.add(0, between(0, 1_010, 10));
        joint.add(1, between(0, 950, 10));
        assertThat(requireNonNull(joint.next(List.of(0, 1), null)).sent()).isEqualTo(20);
        joint.add(1, between(950, 990, 4));
        Interval rest = requireNonNull(joint.next(List.of(), null));
        assertThat(rest.sent()).isEqualTo(4);
        assertThat(rest.startEpochNanos()).isEqualTo(1_010_000_000);
        assertThat(rest.seconds()).isCloseTo(0.04, within(1e-9));
        assertThat(rest.elapsedNanos()).as("end of the interval").isEqualTo(1_050_000_000);
    }

    @Test
    void ofAProcessThatIsGoneTheFateOfItsMessagesIsUnknown() throws Exception {
        // The first process has the first producer and the second consumer.
        Outcomes all;
        RunResult left;
        long ofTheLost;
        int tries = 0;
        do {
            all = run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).rate("2000").count(600).interval(100), 2);
            left = all.joined(Set.of(0), ResultMerger.ClockBound.NONE).result();
            // Messages of the other producer that the remaining consumer did not receive may have been received by the lost process.
            ofTheLost = left.ledger().undelivered() + left.ledger().received() - 300;
            // On a busy machine one consumer may receive all of a producer's messages.
        } while (ofTheLost == 0 && ++tries < 20);
        long received = all.parts().get(1).result().received();
        assertThat(left.sent()).isEqualTo(600);
        assertThat(left.received()).isEqualTo(600);
        assertThat(left.ledger().received()).isEqualTo(received);
        assertThat(left.ledger().lost()).isZero();
        assertThat(left.ledger().closes()).isTrue();
        assertThat(ofTheLost).as("what came of the lost process").isPositive();
        assertThat(left.ledger().unconfirmedDelivered()).as("it reported all as confirmed").isZero();
    }

    /** The first process created the destinations of both, and has both ends of one of them. */
    @Test
    void aProcessThatLeavesRemovesNothingThatOthersUseAndTheyRemoveItInTheEnd() throws Exception {
        LoopbackRun scenario = LoopbackRun.of().on("queue://A", "queue://B").rate("1000").count(1_000).interval(50).wallClock();
        Plan plan = scenario.plan();
        long number = RunShare.whole(plan).run();
        Meeting meeting = new Meeting(Set.of(0, 1), System::nanoTime);
        List<Run> runs = new ArrayList<>();
        for (Share share : shares(plan, 2)) {
            share.consumers().clear();
            plan.consumers().getFirst().consumers().stream().filter(c -> c.destinationIndex() == share.number())
                .forEach(c -> share.consumers().set(c.index()));
            runs.add(new Run(plan, new RunShare(share, number, meeting.of(share.number())), new RunObserver() {
                @Override
                public void interval(Interval i) {
                    if (share.number() == 0 && i.sent() > 0) {
                        runs.getFirst().leave();
                    }
                }
            }, null, null, Setting::key));
        }
        // The other process must not end before the state that the first one leaves is checked.
        meeting.held = step -> step == RunCoordination.Step.SENT;
        try (Connection broker = scenario.driver().connect(plan.groups().getFirst().endpoint().settings(), LoopbackRun.DEAF)) {
            FutureTask<RunResult> other = new FutureTask<>(runs.get(1)::execute);
            Thread.ofPlatform().start(other);
            runs.getFirst().execute();
            assertThat(other.isDone()).isFalse();
            for (Destination destination : plan.destinations()) {
                assertThat(broker.declare(destination)).as("%s was removed", destination).isFalse();
            }
            meeting.tell(() -> {
                meeting.held = _ -> false;
                meeting.barrier.lost(0);
            });
            RunResult result = other.get();
            assertThat(LoopbackRun.failuresButTheRate(result)).isEmpty();
            assertThat(result.sent()).isEqualTo(500);
            assertThat(result.received()).isEqualTo(500);
            for (Destination destination : plan.destinations()) {
                assertThat(broker.declare(destination)).as("%s was removed", destination).isTrue();
            }
        }
    }

    @Test
    void sendsOfAProcessThatIsGoneHaveACause() throws Exception {
        // The broker refuses every fifth send and does not confirm every seventh one, so both processes end with sends of both kinds.
        Outcomes all = run(LoopbackRun.of().knobs("refuse-every=5&silent-every=7").on("queue://A").producers(2).consumers(2).rate("2000")
            .count(600).interval(100).drain(300), 2);
        long refused = all.parts().get(0).result().failed();
        long unanswered = all.parts().get(0).result().unconfirmed();
        RunResult left = all.joined(Set.of(0), ResultMerger.ClockBound.NONE).result();

        assertThat(refused).isPositive();
        assertThat(left.failureCauses()).containsEntry("process 0 said no cause", refused);
        assertThat(sum(left.failureCauses())).isEqualTo(left.failed());
        assertThat(unanswered).isPositive();
        assertThat(left.failures()).filteredOn(Finding.Unconfirmed.class::isInstance).singleElement()
            .satisfies(finding -> assertThat(((Finding.Unconfirmed) finding).byCause()).containsEntry("process 0 was lost", unanswered));
    }

    /** The fate of messages that were rolled back is known. */
    @Test
    void whatAProcessThatIsGoneRolledBackOnPurposeIsNotUnconfirmed() throws Exception {
        Outcomes all =
            run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).rate("1000").transactionsOf(10).rollback(0.5).count(600)
                .interval(100), 2);
        RunResult whole = all.result();
        RunResult left = all.joined(Set.of(1), ResultMerger.ClockBound.NONE).result();
        assertThat(requireNonNull(all.parts.get(1)).result().rolledBack()).isPositive();
        assertThat(left.rolledBack()).isEqualTo(whole.rolledBack());
        assertThat(left.unconfirmed()).isEqualTo(whole.unconfirmed()).isZero();
    }

    @Test
    void whatAProcessReportedBeforeItWasGoneIsInAllTotals() throws Exception {
        Plan plan = LoopbackRun.of().on("queue://A").producers(1).consumers(1).count(10).plan();
        IntervalMerger reported = new IntervalMerger(1_000_000_000);
        for (int i = 0; i < 2; i++) {
            long end = (i + 1) * 1_000_000_000L;
            reported.add(0, Interval.of(its -> {
                its.startEpochNanos = end - 1_000_000_000;
                its.endEpochNanos = end;
                its.elapsedNanos = end;
                its.set(Count.SENT, 50);
                its.set(Count.COMPLETED, 20);
                its.set(Count.FAILED, 4);
                its.set(Count.ROLLED_BACK, 25);
                its.set(Count.REQUEUED, 3);
                its.set(Count.REJECTED, 5);
                its.set(Count.UNANSWERED, 7);
                its.set(Count.RECONNECTS, 11);
            }));
        }
        ResultMerger joint = new ResultMerger(plan, 1, 0, 2_000_000_000, new Sections());
        joint.lost(Share.whole(plan), reported.known(0), "gone", "gone");
        RunResult r = joint.result(0, List.of(), ResultMerger.ClockBound.NONE, -1, null).result();
        assertThat(List.of(r.unconfirmed(), r.rolledBack(), r.requeued(), r.rejected(), r.unanswered(), r.reconnects()))
            .containsExactly(2L, 50L, 6L, 10L, 14L, 22L);
        Interval both = requireNonNull(reported.next(List.of(), null));
        assertThat(List.of(both.rolledBack(), both.requeued(), both.rejected(), both.unanswered(), both.reconnects()))
            .containsExactly(25L, 3L, 5L, 7L, 11L);
    }

    private static long sum(Map<String, Long> causes) {
        return causes.values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void ofASenderThatIsGoneAllThatCameIsAccountedFor() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(1).consumers(1).count(500), 2);
        RunResult left = all.joined(Set.of(0), ResultMerger.ClockBound.NONE).result();
        assertThat(left.ledger().received()).isEqualTo(500);
        assertThat(left.ledger().expected()).isEqualTo(500);
        assertThat(left.ledger().unconfirmedDelivered()).as("how many of them were unconfirmed is not known").isZero();
        assertThat(left.ledger().duplicates() + left.ledger().lost() + left.ledger().undelivered()).isZero();
        assertThat(left.ledger().closes()).isTrue();
    }

    @Test
    void timesBetweenClocksAreLeftOutWhereTheClocksSayMore() throws Exception {
        Outcomes all = run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).count(400), 2);
        ResultMerger.Merged left = all.joined(Set.of(), new ResultMerger.ClockBound(1e12, 1e12));
        assertThat(left.result().measured().get(Metric.TRANSFER).count()).isZero();
        assertThat(left.result().measured().get(Metric.SEND).count()).isEqualTo(400);
        assertThat(left.notices()).anyMatch(notice -> notice instanceof Finding.OneWayLeftOut);
        ResultMerger.Merged kept = all.joined(Set.of(), new ResultMerger.ClockBound(1, 1));
        assertThat(kept.result().measured().get(Metric.TRANSFER).count()).isEqualTo(400);
        assertThat(kept.notices()).anyMatch(notice -> notice instanceof Finding.OneWayBound);
    }

    /** Each producer can send one message in 20 ms, so what is sent after the warm-up was due in it. */
    @Test
    void overdueTimesBetweenClocksAreJudgedIfThereAreNoOthers() throws Exception {
        Outcomes all =
            run(LoopbackRun.of().on("queue://A").producers(2).consumers(2).rate("1000").warmup(1_000).duration(2_000).maxPending(1)
                .knobs("delay=20ms"), 2);
        ResultMerger.Merged left = all.joined(Set.of(), new ResultMerger.ClockBound(1e12, 1e12));
        assertThat(left.result().measured().get(Metric.TRANSFER).count()).as("none was due after the warm-up").isZero();
        assertThat(left.result().part().times().get(Metric.TRANSFER).count()).isZero();
        assertThat(left.result().part().times().get(Metric.SEND).count()).isPositive();
        assertThat(left.notices()).anyMatch(notice -> notice instanceof Finding.OneWayLeftOut);
        ResultMerger.Merged kept = all.joined(Set.of(), new ResultMerger.ClockBound(1, 1));
        assertThat(kept.result().part().times().get(Metric.TRANSFER).count()).isPositive();
        assertThat(kept.notices()).anyMatch(notice -> notice instanceof Finding.OneWayBound);
    }

    @Test
    void aThresholdMayEndTheRunOfAll() {
        Plan plan = LoopbackRun.of().count(1).thresholds("sent < 500, abort", "response.max < 5 ms, abort", "duplicates = 0, abort").plan();
        assertThat(plan.scenario().thresholds()).extracting(EndingThresholds::isWatched).containsExactly(true, true, false);
        EndingThresholds watch = new EndingThresholds(plan.scenario());
        assertThat(watch.look(interval(0, 400, 1_000_000), ResultMerger.ClockBound.NONE)).isNull();
        Finding.ThresholdMissed missed = watch.look(interval(1, 10, 6_000_000), ResultMerger.ClockBound.NONE);
        assertThat(missed).isNotNull();
        assertThat(missed.threshold()).isEqualTo("response.max < 5 ms");
        assertThat(watch.missed()).isEqualTo(1);
        assertThat(watch.look(interval(2, 1_000, 1), ResultMerger.ClockBound.NONE)).isNull();
    }

    /** The first consumer is open in the middle of the eleventh second, and 1,000 messages are received in each second after that. */
    @Test
    void aRateOfDeliveriesThatMayEndTheRunCountsFromTheFirstConsumer() {
        EndingThresholds watch =
            new EndingThresholds(LoopbackRun.of().count(1).thresholds("received.rate >= 900/s, abort").plan().scenario());
        for (int i = 0; i < 10; i++) {
            assertThat(watch.look(interval(i, 0, 1), ResultMerger.ClockBound.NONE)).as("interval %d", i).isNull();
        }
        watch.opened(10_500_000_000L);
        watch.opened(12_000_000_000L);
        assertThat(watch.look(interval(10, 500, 1), ResultMerger.ClockBound.NONE)).isNull();
        for (int i = 11; i < 14; i++) {
            assertThat(watch.look(interval(i, 1_000, 1), ResultMerger.ClockBound.NONE)).as("interval %d", i).isNull();
        }
        Finding.ThresholdMissed missed = requireNonNull(watch.look(interval(14, 0, 1), ResultMerger.ClockBound.NONE));
        assertThat(missed.value()).isCloseTo(3_500 / 4.5, within(0.001));
    }

    @Test
    void aOneWayTimeEndsNothingUntilClocksAreKnownToATenthOfIt() {
        Plan plan = LoopbackRun.of().count(1).thresholds("sent < 5000, abort", "response.max < 5 ms, abort").plan();
        EndingThresholds watch = new EndingThresholds(plan.scenario());
        assertThat(watch.look(interval(0, 10, 6_000_000), new ResultMerger.ClockBound(Double.POSITIVE_INFINITY, 0))).isNull();
        assertThat(watch.look(interval(1, 10, 6_000_000), new ResultMerger.ClockBound(700_000, 0))).as("more than a tenth").isNull();
        assertThat(watch.unwatched()).containsExactly(new Finding.ThresholdUnwatched("response.max < 5 ms"));
        Finding.ThresholdMissed missed = watch.look(interval(2, 10, 6_000_000), new ResultMerger.ClockBound(500_000, 0));
        assertThat(missed).isNotNull();
        assertThat(missed.threshold()).isEqualTo("response.max < 5 ms");
        assertThat(watch.unwatched()).isEmpty();
        assertThat(watch.missed()).isEqualTo(1);
    }

    private static Interval interval(int index, long sent, long responseNanos) {
        Histogram response = new Histogram(3);
        response.recordValue(responseNanos);
        long begin = index * 1_000_000_000L;
        return Interval.of(its -> {
            its.index = index;
            its.startEpochNanos = begin;
            its.endEpochNanos = begin + 1_000_000_000;
            its.elapsedNanos = begin + 1_000_000_000;
            its.set(Count.SENT, sent);
            its.set(Count.COMPLETED, sent);
            its.set(Count.RECEIVED, sent);
            its.measured = Map.of(Metric.RESPONSE, new Distribution(response, 0, 0), Metric.TRANSFER, new Distribution(response, 0, 0));
        });
    }
}
