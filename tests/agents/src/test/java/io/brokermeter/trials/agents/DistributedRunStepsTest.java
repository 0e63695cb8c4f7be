package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.agents.placement.Placement;
import io.brokermeter.trials.worker.LineCoordination;
import io.brokermeter.trials.worker.WorkerLine;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of a coordinator to its agents in response to their progress reports; no worker runs. */
class DistributedRunStepsTest {

    private static final String BOTH = """
        producers: {count: 2}
        consumers: {count: 2}
        load: 100/s
        duration: 100s
        """;

    /** The lines sent to the worker of each agent, by the name of the agent. */
    private final Map<String, BlockingQueue<String>> told = new ConcurrentHashMap<>();
    /** The indices of the joint intervals of all agents. */
    private final BlockingQueue<Integer> joined = new LinkedBlockingQueue<>();
    private final List<String> watched = new CopyOnWriteArrayList<>();
    /** The names of the agents whose run was cancelled. */
    private final List<String> cancelled = new CopyOnWriteArrayList<>();
    private @Nullable DistributedRun distributed;
    private @Nullable FutureTask<RunResult> run;
    private @Nullable Thread own;
    /** Whether the run continues when an agent is lost. */
    private boolean goesOn;
    private @Nullable FaultActor actor;

    @TempDir
    Path directory;

    /** Begins a run in which agents a and b each have one of two producers and one of two consumers. */
    private DistributedRun begin(String yaml) {
        Plan plan = Plan.of(ScenarioFile.read("name: t\nprotocol: LOOPBACK\nurl: loopback://b\ndestinations: queue://Q\n" + yaml, "test",
            directory, Changes.NONE).trials().getFirst().workload()
            .connected("t", "", group -> group.access().endpoint("LOOPBACK", "loopback://b", null)), Drivers.load().all());
        List<AgentInfo> infos = List.of(DistributedRunTest.info("a", true), DistributedRunTest.info("b", true));
        Map<Share, AgentInfo> shares = new LinkedHashMap<>();
        Placement.of(plan, infos.stream().map(info -> Placement.Candidate.of(info.name())).toList(), Map.of()).shares()
            .forEach(share -> shares.put(share, infos.get(share.number())));
        infos.forEach(info -> told.put(info.name(), new LinkedBlockingQueue<>()));
        DistributedRun made = new DistributedRun(new AgentsTask("r", WorkerOrder.of(work -> {
            work.id = "t";
            work.scenario = yaml;
            work.share = Share.whole(plan);
            work.number = RunShare.whole(plan).run();
        }), plan, goesOn, false, directory.resolve("agents")), new DistributedRun.Credentials("1", Map.of(), ""), shares, this::post,
            new RunObserver() {
                @Override
                public void interval(Interval interval) {
                    joined.add(interval.index());
                }

                @Override
                public void event(Event event) {
                    watched.add("event " + event.kind());
                }
            }, watch(), new FaultPlayer(plan.scenario().faults(), actor, Setting::key));
        distributed = made;
        FutureTask<RunResult> task = new FutureTask<>(made::execute);
        run = task;
        own = Thread.ofPlatform().daemon().start(task);
        return made;
    }

    private void post(String to, String text) {
        Message message = Message.read(text);
        if (message instanceof Message.Order) {
            distributed().heard(to, new Message.Accepted("r").text());
        } else if (message instanceof Message.Tell tell) {
            told.get(to).add(tell.line());
        } else if (message instanceof Message.Cancel) {
            cancelled.add(to);
        }
    }

    private DistributedRun distributed() {
        DistributedRun made = distributed;
        if (made == null) {
            throw new IllegalStateException("There is none yet.");
        }
        return made;
    }

    private BrokerWatch watch() {
        return new BrokerWatch() {
            @Override
            public String describe() {
                return "";
            }

            @Override
            public void begin() {}

            @Override
            public @Nullable BrokerSample sample() {
                return null;
            }

            @Override
            public BrokerFigures end() {
                watched.add("end");
                return BrokerFigures.UNKNOWN;
            }

            @Override
            public List<String> notices() {
                return List.of();
            }

            @Override
            public void close() {}
        };
    }

    @AfterEach
    void end() {
        if (own != null) {
            own.interrupt();
        }
    }

    private void say(String agent, WorkerLine line) {
        distributed().heard(agent, new Message.Said("r", line.text()).text());
    }

    private void reach(String agent, RunCoordination.Step step) {
        say(agent, new WorkerLine.Reached(step));
    }

    /** Has both agents reach a step, and waits until both are informed that it is passed. */
    private void pass(RunCoordination.Step step) throws InterruptedException {
        reach("a", step);
        reach("b", step);
        awaitNews("a", news -> news.passed() == step);
        awaitNews("b", news -> news.passed() == step);
    }

    /** Waits until an agent receives matching news; fails if it receives anything but news before. */
    private LineCoordination.News awaitNews(String agent, Predicate<LineCoordination.News> which) throws InterruptedException {
        while (true) {
            String line = told.get(agent).take();
            LineCoordination.News news = LineCoordination.news(line);
            assertThat(news).as(line).isNotNull();
            if (which.test(news)) {
                return news;
            }
        }
    }

    @Test
    void anAgentThatItsUserEndsIsNotToldToStopWhatItDrains() throws Exception {
        begin(BOTH);
        pass(RunCoordination.Step.READY);
        distributed().heard("b", new Message.Leaving("r").text());
        awaitNews("a", LineCoordination.News::over);
        awaitNews("b", LineCoordination.News::over);
        assertThat(told.get("b")).isEmpty();
    }

    /** Its worker has ended, and the agent stays until its files are sent. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAgentThatItsUserEndsWhileItsFilesAreSentIsNotLost(boolean without) throws Exception {
        goesOn = without;
        begin(BOTH);
        pass(RunCoordination.Step.CLOSED);
        distributed().heard("a", new Message.Ended("r", null, List.of()).text());
        distributed().heard("a", new Message.Leaving("r").text());
        say("b", new WorkerLine.Happened(new Event(1, Event.Kind.NOTICE, new Finding.Said("later"))));
        while (!watched.contains("event NOTICE")) {
            Thread.sleep(1);
        }
        assertThat(watched).doesNotContain("event ERROR");
        assertThat(cancelled).isEmpty();
    }

    @Test
    void anAgentThatIsLostInTheDrainCutsNoOther() throws Exception {
        begin(BOTH);
        pass(RunCoordination.Step.SENT);
        distributed().left("b", "is gone");
        reach("a", RunCoordination.Step.DRAINED);
        awaitNews("a", news -> news.passed() == RunCoordination.Step.DRAINED);
        assertThat(told.get("a")).isEmpty();
    }

    /**
     * The drain takes longer than the limit that applies after an order to end, here 3 s. A stall of the machine may exceed that limit
     * between two deliveries, so the test is repeated; one whose deliveries do not count is lost each time.
     */
    @Test
    void whoDrainsABacklogIsNotLostForTheTimeThatItTakes() throws Exception {
        boolean drained = drainsABacklog();
        for (int again = 0; again < 4 && !drained; again++) {
            end();
            Objects.requireNonNull(own).join();
            watched.clear();
            drained = drainsABacklog();
        }
        assertThat(drained).as("b alone was lost; " + watched).isTrue();
    }

    /** Returns whether of two agents the one that drains a backlog for 4 s was not lost, and the other one was. */
    private boolean drainsABacklog() throws Exception {
        begin(
            "producers: {count: 2}\nconsumers: {count: 2, start: after-producers}\nload: {rate: 100/s, messages: 100}\ndrainTimeout: 1s\n")
            .within(Duration.ofSeconds(2));
        pass(RunCoordination.Step.SENT);
        distributed().left("b", "is gone");
        for (int i = 0; i < 40; i++) {
            interval(i, 10);
            Thread.sleep(100);
        }
        reach("a", RunCoordination.Step.DRAINED);
        while (Collections.frequency(watched, "event ERROR") < 2) {
            String line = told.get("a").poll(10, TimeUnit.MILLISECONDS);
            LineCoordination.News news = line == null ? null : LineCoordination.news(line);
            if (news != null && news.passed() == RunCoordination.Step.DRAINED) {
                return true;
            }
        }
        return false;
    }

    @Test
    void whatAnAgentMadeThatLeavesBeforeTheOthersCloseGoesToOneOfThem() throws Exception {
        begin(BOTH);
        say("a", new WorkerLine.Declared(Set.of(0), Set.of(0)));
        say("b", new WorkerLine.Declared(Set.of(0), Set.of()));
        pass(RunCoordination.Step.SENT);
        reach("a", RunCoordination.Step.CLOSED);
        distributed().heard("a", new Message.Ended("r", null, List.of()).text());
        assertThat(awaitNews("b", news -> !news.cleanupOwners().isEmpty()).cleanupOwners()).isEqualTo(Map.of(0, 1));
    }

    /** The end of the agent's process becomes known only after the other agent has closed. */
    @Test
    void whatAnAgentLeavesToTheOthersIsTheirsAsSoonAsItSaysSo() throws Exception {
        begin(BOTH);
        say("a", new WorkerLine.Declared(Set.of(0), Set.of(0)));
        say("b", new WorkerLine.Declared(Set.of(0), Set.of()));
        pass(RunCoordination.Step.SENT);
        reach("a", RunCoordination.Step.CLOSED);
        new LineCoordination(0, false, line -> say("a", line)).leaves();
        reach("b", RunCoordination.Step.CLOSED);
        distributed().heard("a", new Message.Ended("r", null, List.of()).text());
        assertThat(awaitNews("b", news -> news.passed() == RunCoordination.Step.CLOSED).cleanupOwners()).isEqualTo(Map.of(0, 1));
    }

    private void interval(int index, long received) {
        long begin = index * 1_000_000_000L;
        Interval interval = Interval.of(its -> {
            its.index = index;
            its.startEpochNanos = begin;
            its.endEpochNanos = begin + 1_000_000_000;
            its.elapsedNanos = begin + 1_000_000_000;
            its.set(Count.COMPLETED, 100);
            its.set(Count.RECEIVED, received);
        });
        say("a", new WorkerLine.Progress(interval));
        say("b", new WorkerLine.Progress(interval));
    }

    /** Nothing is received in the first five seconds, in which there is no consumer; later there is one. */
    @Test
    void aRateOfDeliveriesEndsNoRunBeforeItsFirstConsumerIsThere() throws Exception {
        begin(BOTH + "thresholds: [{check: 'received.rate >= 100/s', abort: true}]\n");
        pass(RunCoordination.Step.READY);
        for (int i = 0; i < 5; i++) {
            interval(i, 0);
        }
        say("b", new WorkerLine.Opened(5_000_000_000L));
        for (int i = 5; i < 9; i++) {
            interval(i, 50);
        }
        for (int i = 0; i < 9; i++) {
            assertThat(joined.take()).isEqualTo(i);
        }
        assertThat(watched).isEmpty();
        for (int i = 9; i < 12; i++) {
            interval(i, 0);
        }
        awaitNews("a", LineCoordination.News::over);
        assertThat(watched).containsExactly("event WARNING");
    }

    /** Nobody else would end this load. */
    @Test
    void aMinuteInWhichNothingOfWhatWasSentComesEndsALoadThatIsToEndWithDeliveries() throws Exception {
        begin("""
            producers: {count: 2}
            consumers: [{name: y, count: 2}, {name: x, count: 1, messages: 100}]
            load: 100/s
            """);
        pass(RunCoordination.Step.READY);
        for (int i = 0; i < 62; i++) {
            interval(i, 0);
        }
        awaitNews("a", LineCoordination.News::over);
        awaitNews("b", LineCoordination.News::over);
    }

    @Test
    void theBrokerIsMeasuredUntilAllIsSent() throws Exception {
        begin(BOTH);
        pass(RunCoordination.Step.READY);
        pass(RunCoordination.Step.SENT);
        assertThat(watched).containsExactly("end");
    }

    /** Installs an actor whose command runs until the returned latch is released. */
    private CountDownLatch command() {
        CountDownLatch ends = new CountDownLatch(1);
        actor = new FaultActor() {
            @Override
            public Effect begin(int number, Fault fault) {
                return new Effect(EpochClock.nanos(), "");
            }

            @Override
            public Effect end(int number, Fault fault) throws InterruptedException {
                ends.await();
                return new Effect(EpochClock.nanos(), "", 0);
            }

            @Override
            public void close() {}
        };
        return ends;
    }

    /** The command runs longer than the load. */
    @Test
    void aWaitForACommandIsInNoFigureAndTheAgentsKnowWhenTheLoadWasOver() throws Exception {
        CountDownLatch ends = command();
        begin(BOTH + "faults: [{run: ./restore.sh, at: 1ms, for: 10m}]\n");
        pass(RunCoordination.Step.READY);
        while (!watched.contains("event FAULT")) {
            Thread.sleep(1);
        }
        reach("a", RunCoordination.Step.SENT);
        reach("b", RunCoordination.Step.SENT);
        LineCoordination.News news = awaitNews("a", one -> one.loadEnded() != 0);
        assertThat(news.passed()).as("step that was passed").isEqualTo(RunCoordination.Step.READY);
        assertThat(news.loadEnded()).isGreaterThan(news.start());
        assertThat(watched).containsExactly("event FAULT", "end");
        ends.countDown();
        assertThat(awaitNews("a", one -> one.passed() == RunCoordination.Step.SENT).loadEnded()).isEqualTo(news.loadEnded());
    }

    @Test
    void theBrokerIsMeasuredWhileConsumersThatComeAfterTheProducersWork() throws Exception {
        begin("producers: {count: 2}\nconsumers: {count: 2, start: after-producers}\nload: {rate: 100/s, messages: 100}\n");
        pass(RunCoordination.Step.READY);
        pass(RunCoordination.Step.SENT);
        assertThat(watched).isEmpty();
        pass(RunCoordination.Step.DRAINED);
        assertThat(watched).containsExactly("end");
    }

    /** Each agent with such consumers reports it. */
    @Test
    void thatConsumersStartAfterTheProducersIsToldOnce() throws Exception {
        begin("producers: {count: 2}\nconsumers: {count: 2, start: after-producers}\nload: {rate: 100/s, messages: 100}\n");
        pass(RunCoordination.Step.READY);
        pass(RunCoordination.Step.SENT);
        for (String agent : List.of("a", "b")) {
            say(agent, new WorkerLine.Happened(new Event(1, Event.Kind.NOTICE, new Finding.ConsumersStart())));
        }
        pass(RunCoordination.Step.DRAINED);
        assertThat(watched).containsExactly("event NOTICE", "end");
    }

    @Test
    void thatAPhaseBeginsIsToldOnce() throws Exception {
        begin("producers: {count: 2}\nconsumers: {count: 2}\nphases: [{name: one, duration: 1s, load: 100/s}]\n");
        pass(RunCoordination.Step.READY);
        for (String agent : List.of("a", "b")) {
            say(agent, new WorkerLine.Happened(new Event(0, Event.Kind.PHASE, new Finding.PhaseBegins("one"))));
        }
        pass(RunCoordination.Step.SENT);
        pass(RunCoordination.Step.DRAINED);
        assertThat(watched).containsOnlyOnce("event PHASE");
    }

    @Test
    void theBrokerIsMeasuredWhileConsumersWhoseDelayOutlastsTheLoadWork() throws Exception {
        begin("producers: {count: 2}\nconsumers: {count: 2, start: 60s}\nload: {rate: 100/s, messages: 100}\n");
        pass(RunCoordination.Step.READY);
        pass(RunCoordination.Step.SENT);
        assertThat(watched).isEmpty();
        pass(RunCoordination.Step.DRAINED);
        assertThat(watched).containsExactly("end");
    }

    @Test
    void consumersWhoseDelayOutlastsALoadThatWasCutAreNotMeasured() throws Exception {
        begin("producers: {count: 2}\nconsumers: {count: 2, start: 60s}\nload: {rate: 100/s, messages: 100}\n");
        pass(RunCoordination.Step.READY);
        distributed().stop(0);
        assertThat(told.get("a").take()).isEqualTo("stop 0");
        assertThat(told.get("b").take()).isEqualTo("stop 0");
        pass(RunCoordination.Step.SENT);
        assertThat(watched).containsExactly("end");
    }

    /** The start time is fixed once the destinations exist, but workers can end cleanly only once their consumers are open. */
    @Test
    void aRunThatOnlyReceivesHasBegunWhenAllAreReady() throws Exception {
        begin("consumers: {count: 2}\nduration: 100s\n");
        reach("a", RunCoordination.Step.DECLARED);
        reach("b", RunCoordination.Step.DECLARED);
        assertThat(awaitNews("a", news -> news.passed() == RunCoordination.Step.DECLARED).start()).isPositive();
        assertThat(distributed().hasBegun()).isFalse();
        pass(RunCoordination.Step.READY);
        assertThat(distributed().hasBegun()).isTrue();
    }

    /** The start time is fixed, and no other agent depends on the lost one. */
    @Test
    void anAgentThatIsLostWhileConsumersOpenEndsNoRunThatGoesOnWithoutIt() throws Exception {
        goesOn = true;
        begin("consumers: {count: 2}\nduration: 100s\n");
        reach("a", RunCoordination.Step.DECLARED);
        reach("b", RunCoordination.Step.DECLARED);
        awaitNews("a", news -> news.start() != 0);
        distributed().left("b", "is gone");
        reach("a", RunCoordination.Step.READY);
        assertThat(awaitNews("a", news -> news.passed() == RunCoordination.Step.READY).over()).isFalse();
        assertThat(watched).containsExactly("event ERROR");
    }

    /** Begins a run whose load only the consumer of agent a, one of several, would end. */
    private void beginWhatAEnds() throws InterruptedException {
        goesOn = true;
        begin("""
            producers: {count: 2}
            consumers: [{name: y, count: 2}, {name: x, count: 1, messages: 100}]
            load: 100/s
            """);
        pass(RunCoordination.Step.READY);
    }

    /** The consumer of the lost agent, one of several, was to end the load. */
    @Test
    void theLoadEndsWhereNobodyIsLeftWhoWouldEndIt() throws Exception {
        beginWhatAEnds();
        distributed().left("a", "is gone");
        assertThat(awaitNews("b", news -> !news.usedUp().isEmpty()).usedUp()).hasSize(1);
    }

    /** The worker of the agent failed, and reported its result, as after an error of the broker. */
    @Test
    void theLoadEndsWhereWhoWouldEndItHasEnded() throws Exception {
        beginWhatAEnds();
        distributed().heard("a", new Message.Ended("r", null, List.of()).text());
        assertThat(awaitNews("b", news -> !news.usedUp().isEmpty()).usedUp()).hasSize(1);
    }

    @Test
    void theLoadEndsWhereWhoWouldEndItLeavesTheOthers() throws Exception {
        beginWhatAEnds();
        say("a", new WorkerLine.Leaves());
        assertThat(awaitNews("b", news -> !news.usedUp().isEmpty()).usedUp()).hasSize(1);
    }

    /** Otherwise deliveries that are missing would count as not due. */
    @Test
    void whoEndsAfterTheLoadLeavesWhatItWasToTakeDue() throws Exception {
        beginWhatAEnds();
        pass(RunCoordination.Step.SENT);
        distributed().heard("a", new Message.Ended("r", null, List.of()).text());
        reach("b", RunCoordination.Step.CLOSED);
        reach("a", RunCoordination.Step.CLOSED);
        assertThat(awaitNews("b", news -> news.passed() == RunCoordination.Step.CLOSED).usedUp()).isEmpty();
    }

    @Test
    void whoeverStopsOneThatOnlyReceivesWhileItOpensBlamesNobody() throws Exception {
        begin("consumers: {count: 2}\nduration: 100s\n");
        reach("a", RunCoordination.Step.DECLARED);
        reach("b", RunCoordination.Step.DECLARED);
        awaitNews("b", news -> news.start() != 0);
        distributed().stop(2);
        distributed().heard("a", new Message.Ended("r", "its worker ended with status 1 and without a result", List.of()).text());
        FutureTask<RunResult> running = run;
        assertThat(running).isNotNull();
        assertThatThrownBy(running::get).cause()
            .isInstanceOfSatisfying(RunFailure.class, e -> assertThat(e.finding()).isEqualTo(new Finding.StoppedConnecting()));
    }
}
