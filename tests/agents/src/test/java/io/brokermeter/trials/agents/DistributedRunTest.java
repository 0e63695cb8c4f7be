package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.AgentResult;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.portable.PortableScenario;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.agents.placement.Placement;
import io.brokermeter.trials.network.NetworkEntry;
import io.brokermeter.trials.worker.EndpointSpec;
import io.brokermeter.trials.worker.WorkerLauncher;
import io.brokermeter.trials.worker.WorkerLine;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents and a coordinator in one process, with workers in processes of their own, on brokers in memory. */
public class DistributedRunTest {

    private static final String VERSION = "1";

    /** The counts of an interval. */
    private record Counted(long sent, long received) {}

    /** The receivers of messages by member; messages are passed between threads of this process. */
    private final Map<String, Consumer<String>> members = new ConcurrentHashMap<>();
    private final Map<String, Agent> agents = new LinkedHashMap<>();
    private final Map<String, List<String>> said = new ConcurrentHashMap<>();
    private final List<Process> workers = new CopyOnWriteArrayList<>();
    private final List<Counted> intervals = new CopyOnWriteArrayList<>();
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private volatile boolean eventful;
    private @Nullable FaultActor actor;

    @TempDir
    Path directory;

    private void agent(String name, String version) {
        List<String> own = said.computeIfAbsent(name, _ -> new CopyOnWriteArrayList<>());
        Agent agent = new Agent(new Agent.Identity(name, version, Map.of(), false, ""),
            (_, text) -> members.get("coordinator").accept(text(name, text)),
            log -> {
                Process process = WorkerLauncher.following(WorkerMain.class).start(log);
                workers.add(process);
                return process;
            }, _ -> List.of(), own::add);
        agents.put(name, agent);
        members.put(name, text -> agent.heard("coordinator", text));
        Thread.ofPlatform().daemon().start(() -> {
            try {
                agent.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns an agent whose name is also that of its host and of its cluster member. */
    public static AgentInfo info(String name, boolean sameClock) {
        return new AgentInfo(name, name, name, Map.of(), sameClock, 2);
    }

    /** Returns a message that is prefixed with the name of its sender, which a cluster would provide. */
    private static String text(String from, String text) {
        return from + " " + text;
    }

    @AfterEach
    void end() {
        agents.values().forEach(Agent::kill);
        workers.forEach(Process::destroyForcibly);
    }

    private DistributedRun run(String yaml, boolean goesOn) {
        return run(yaml, goesOn, "loopback://b");
    }

    private DistributedRun run(String yaml, boolean goesOn, String url) {
        return run(yaml, goesOn, "LOOPBACK", url, NetworkEntry.FREE);
    }

    private DistributedRun run(String yaml, boolean goesOn, String protocol, String url, NetworkEntry entry) {
        String whole = "name: t\nprotocol: " + protocol + "\nurl: " + url + "\ndestinations: queue://Q\n" + yaml;
        Workload workload = ScenarioFile.read(whole, "test", directory, Changes.NONE).trials().getFirst().workload();
        Plan plan = Plan.of(workload.connected("t", "", group -> group.access().endpoint(protocol, url, null)), Drivers.load().all());
        Map<String, EndpointSpec> endpoints = new LinkedHashMap<>();
        workload.groups()
            .forEach(group -> endpoints.put(group.key(), new EndpointSpec(protocol, url, null, null, group.access().properties())));
        List<AgentInfo> infos = agents.keySet().stream().map(name -> info(name, true)).toList();
        Placement placement = Placement.of(plan, infos.stream().map(info -> Placement.Candidate.of(info.name())).toList(), Map.of());
        Map<Share, AgentInfo> shares = new LinkedHashMap<>();
        placement.shares().forEach(share -> shares.put(share, infos.get(share.number())));
        DistributedRun run = new DistributedRun(
            new AgentsTask("r", WorkerOrder.of(work -> {
                work.id = "t";
                work.scenario = PortableScenario.parcel(workload, "t").text();
                work.endpoints = endpoints;
                work.share = Share.whole(plan);
                work.number = RunShare.whole(plan).run();
                work.entry = entry;
            }), plan, goesOn, false, directory.resolve("agents")),
            new DistributedRun.Credentials(VERSION, Map.of(), ""), shares, (to, text) -> members.get(to).accept(text), new RunObserver() {
                @Override
                public void interval(Interval interval) {
                    intervals.add(new Counted(interval.sent(), interval.received()));
                    // A worker that has not been scheduled yet has intervals in which nothing was sent.
                    eventful |= interval.sent() > 0 && interval.received() > 0;
                }

                @Override
                public void event(Event event) {
                    events.add(event);
                }
            }, null, new FaultPlayer(plan.scenario().faults(), actor, Setting::key));
        members.put("coordinator", text -> {
            String message = text.substring(text.indexOf(' ') + 1);
            run.heard(text.substring(0, text.indexOf(' ')), message);
        });
        return run;
    }

    /** The connections belong to the process of a worker, which the coordinator cannot inspect. */
    @Test
    void connectionsThatLeadAroundAProxyAreToldByTheAgentThatHasThem() throws Exception {
        agent("a", VERSION);
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            run("""
                producers: {count: 1}
                consumers: {count: 2}
                load: {rate: 100/s, messages: 50}
                """, false, AroundDriver.PROTOCOL, "around://localhost:" + server.getLocalPort(),
                new NetworkEntry("", List.of(server.getLocalPort()))).execute();
        }
        assertThat(events).extracting(Event::what)
            .filteredOn(what -> what instanceof Finding.OfAgent(_, Finding.Said(String said)) && said.contains("around the proxy"))
            .extracting(what -> ((Finding.OfAgent) what).agent()).containsExactly("a");
    }

    /** Returns the failures except the missed rate: a machine may stall for longer than a short load takes. */
    private static List<Finding.Failure> failuresButTheRate(RunResult result) {
        return result.failures().stream().filter(failure -> !(failure instanceof Finding.RateMissed)).toList();
    }

    /** Two of the names are converted to the same file name. */
    @Test
    void sharesAddUpExactlyAndFilesComeHome() throws Exception {
        for (String name : List.of("a", "b\u00fc", "b\u00f6")) {
            agent(name, VERSION);
        }
        RunResult result = run("""
            producers: {count: 7}
            consumers: {count: 6}
            load: {rate: 3000/s, messages: 1407}
            interval: 200ms
            """, false).execute();
        assertThat(failuresButTheRate(result)).isEmpty();
        assertThat(result.sent()).isEqualTo(1_407);
        assertThat(result.received()).isEqualTo(1_407);
        assertThat(result.ledger().lost() + result.ledger().duplicates()).isZero();
        assertThat(result.groups().getFirst().endpoints()).extracting(one -> one.messages())
            .containsExactlyInAnyOrder(201L, 201L, 201L, 201L, 201L, 201L, 201L);
        assertThat(intervals.stream().mapToLong(Counted::sent).sum()).isEqualTo(1_407);
        assertThat(intervals.stream().mapToLong(Counted::received).sum()).isEqualTo(1_407);
        assertThat(directory.resolve("agents").toFile().list()).containsExactlyInAnyOrder("a", "b", "b-2");
        for (String name : List.of("a", "b", "b-2")) {
            assertThat(directory.resolve("agents").resolve(name)).isDirectoryContaining("glob:**result.json")
                .isDirectoryContaining("glob:**latency.hlog").isDirectoryContaining("glob:**worker.log");
            assertThat(directory.resolve("agents").resolve(name)).isDirectoryNotContaining("glob:**{part.json,ledger.sets}");
        }
        awaitSaid("a", "is over");
        assertThat(workers).hasSize(3).noneMatch(Process::isAlive);
    }

    /** One agent has the consumer with the limit; the producers of both continue until they are informed that it is reached. */
    @Test
    void theLoadOfAllEndsWithTheNumberOfMessagesThatAGroupMayTake() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        RunResult result = run("""
            producers: {count: 2}
            consumers: [{name: x, count: 1, messages: 100}, {name: y, count: 2}]
            load: 500/s
            """, false).execute();
        assertThat(failuresButTheRate(result)).isEmpty();
        assertThat(result.groups()).filteredOn(group -> group.name().equals("x")).singleElement()
            .satisfies(group -> assertThat(group.received()).isEqualTo(100));
        assertThat(result.agents()).extracting(AgentResult::sent).hasSize(2).allSatisfy(sent -> assertThat(sent).isPositive());
    }

    private static final String STEADY = """
        producers: {count: 3}
        consumers: {count: 3}
        load: 300/s
        duration: 100s
        interval: 100ms
        """;

    private RunResult whileItRuns(DistributedRun distributed, ThrowingRunnable act) throws Exception {
        FutureTask<RunResult> run = new FutureTask<>(distributed::execute);
        Thread.ofPlatform().daemon().start(run);
        awaitLoad(run);
        act.run();
        return run.get();
    }

    private interface ThrowingRunnable {
        void run() throws Exception;
    }

    /** The run has no duration, so only the signal determines when it must end. */
    @Test
    void anAgentThatDoesNotEndWhenItIsToldToIsNotWaitedForForEver() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        DistributedRun run = run(STEADY.replace("duration: 100s", "drainTimeout: 1s").replace("load: 300/s",
            "load: {rate: 300/s, messages: 1000000}"), false);
        run.within(Duration.ofSeconds(8));
        RunResult result = whileItRuns(run, () -> {
            assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(workers.getLast().pid())).start().waitFor()).isZero();
            run.stop(2);
        });
        // On a busy machine the other agent may take as long.
        assertThat(result.failures()).filteredOn(Finding.AgentLost.class::isInstance).isNotEmpty()
            .allSatisfy(lost -> assertThat(((Finding.AgentLost) lost).how()).isEqualTo("did not end in the time that the run may take"));
        assertThat(result.signal()).isEqualTo(2);
    }

    @Test
    void aKilledWorkerIsNamedAndTheOthersEndCleanly() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        RunResult result = whileItRuns(run(STEADY, false), () -> workers.getFirst().destroyForcibly());
        assertThat(result.failures()).hasAtLeastOneElementOfType(Finding.AgentLost.class);
        assertThat(result.sent()).isPositive();
        assertThat(events).extracting(Event::what).hasAtLeastOneElementOfType(Finding.AgentLost.class);
        assertThat(result.ledger().closes()).isTrue();
    }

    @Test
    void whatIsKnownIsTheResultWhenAllAreKilled() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        RunResult result = whileItRuns(run(STEADY, true), () -> workers.forEach(Process::destroyForcibly));
        assertThat(result.failures().stream().filter(Finding.AgentLost.class::isInstance)).hasSize(2);
        assertThat(result.sent()).isPositive();
        assertThat(result.measured().get(Metric.RESPONSE).count()).isPositive();
        assertThat(result.ledger()).isNull();
        assertThat(result.health().verdict().reasons()).containsExactly(new Finding.NotJudged());
    }

    @Test
    void theOthersGoOnWhereThatIsWanted() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        DistributedRun run = run(STEADY, true);
        RunResult result = whileItRuns(run, () -> {
            workers.getFirst().destroyForcibly();
            while (events.stream().noneMatch(event -> event.what() instanceof Finding.AgentLost)) {
                Thread.sleep(5);
            }
            int known = intervals.size();
            while (intervals.size() < known + 5) {
                Thread.sleep(5);
            }
            run.stop(15);
        });
        assertThat(result.signal()).isEqualTo(15);
        assertThat(result.failures()).hasAtLeastOneElementOfType(Finding.AgentLost.class);
    }

    /** The event is the one that a worker reports for a lost connection; the load would take 100 s. */
    @Test
    void theLoadOfAllEndsWhenOneCannotGoOn() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        DistributedRun run = run(STEADY, false);
        Event gone = new Event(1, Event.Kind.ERROR, new Finding.Broken(Finding.Step.CONNECTION, "", "it is gone"));
        RunResult result = whileItRuns(run, () -> run.heard("a",
            new Message.Said("r", new WorkerLine.Happened(gone).text()).text()));
        assertThat(events).extracting(Event::what).contains(new Finding.OfAgent("a", gone.what()));
        assertThat(result.elapsed()).isLessThan(Duration.ofSeconds(90));
        assertThat(result.signal()).isZero();
        assertThat(result.drained()).isTrue();
        assertThat(failuresButTheRate(result)).isEmpty();
        assertThat(result.received()).isEqualTo(result.sent()).isPositive();
    }

    @Test
    void anAgentThatIsToEndEndsItsWorkerAndTheRunCleanly() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        // Half a second of the load is in transit, so the drain takes half a second.
        RunResult result = whileItRuns(run("""
            producers: {count: 2, maxPending: 1000}
            consumers: {count: 2}
            load: 200/s
            duration: 100s
            interval: 100ms
            """, false, "loopback://b?delay=500ms"), () -> agents.get("b").stop(2));
        assertThat(failuresButTheRate(result)).containsExactly(new Finding.AgentLost("b", "was ended by its user"));
        assertThat(result.drained()).as("nobody cut the drain of b's worker").isTrue();
        assertThat(result.received()).isEqualTo(result.sent()).isPositive();
        assertThat(said.get("b")).anyMatch(line -> line.contains("is being ended"));
    }

    @Test
    void theLoadEndsWithItsCoordinatorAndTheAgentWaitsForTheNextRun() throws Exception {
        agent("a", VERSION);
        DistributedRun distributed = run(STEADY, false);
        FutureTask<RunResult> run = new FutureTask<>(distributed::execute);
        Thread.ofPlatform().daemon().start(run);
        awaitLoad(run);
        agents.get("a").left("coordinator", false);
        awaitSaid("a", "is gone");
        awaitSaid("a", "is over");
        assertThat(workers).noneMatch(Process::isAlive);
        distributed.left("a", "is gone");
        assertThat(run.get().failures()).hasAtLeastOneElementOfType(Finding.AgentLost.class);
        assertThat(run("producers: {count: 1}\nload: {rate: 1000/s, messages: 100}\n", false).execute().sent()).isEqualTo(100);
    }

    @Test
    void anotherVersionIsRefused() throws Exception {
        agent("a", VERSION);
        agent("b", "2");
        assertThatThrownBy(() -> run(STEADY, false).execute()).isInstanceOfSatisfying(RunFailure.class,
            e -> assertThat(e.finding()).isEqualTo(new Finding.AgentFailed("b", "it has version 2 of the tool, and the coordinator 1")));
        awaitSaid("a", "is over");
        assertThat(workers).noneMatch(Process::isAlive);
    }

    @Test
    void whatAWorkerCannotDoIsSaidWithItsAgentsName() throws Exception {
        agent("a", VERSION);
        assertThatThrownBy(() -> run(STEADY, false, "loopback://nobody").execute())
            .isInstanceOfSatisfying(RunFailure.class, e -> assertThat(e.finding()).isInstanceOfSatisfying(Finding.AgentFailed.class,
                failed -> assertThat(failed.cause()).contains("connection refused")));
    }

    /** Returns an actor that only records its calls, and reports the time of the coordinator's clock. */
    private FaultActor witness(List<String> asked) {
        return new FaultActor() {
            @Override
            public Effect begin(int number, Fault fault) {
                asked.add("begin " + number);
                return new Effect(EpochClock.nanos(), "");
            }

            @Override
            public Effect end(int number, Fault fault) {
                asked.add("end " + number);
                return new Effect(EpochClock.nanos(), "");
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void faultsAreMadeAtMomentsOfTheCommonClockAndUndoneBeforeTheDrain() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        List<String> asked = new CopyOnWriteArrayList<>();
        actor = witness(asked);
        RunResult result = run("""
            producers: {count: 2}
            consumers: {count: 2}
            load: {rate: 500/s, messages: 1500}
            interval: 100ms
            faults: ['kill broker at 1s for 200ms', 'pause broker at 2s for 200ms']
            """, false).execute();
        assertThat(failuresButTheRate(result)).isEmpty();
        assertThat(result.received()).isEqualTo(result.sent()).isEqualTo(1500);
        // Each fault has a thread of its own, and a stall of the machine may exceed the time between the two faults.
        assertThat(asked).containsExactlyInAnyOrder("begin 1", "end 1", "begin 2", "end 2").containsSubsequence("begin 1", "end 1")
            .containsSubsequence("begin 2", "end 2");
        long begun = elapsed(1, Finding.FaultStep.BEGAN);
        assertThat(begun).isBetween(1_000_000_000L, elapsed(1, Finding.FaultStep.ENDED));
        assertThat(elapsed(2, Finding.FaultStep.BEGAN)).isBetween(2_000_000_000L, elapsed(2, Finding.FaultStep.ENDED));
        assertThat(result.scorecard()).isNotNull();
        assertThat(result.scorecard().faultKnown()).isTrue();
        // Nothing was killed: only a stall of a busy machine at that time could be taken for the end of a process.
        assertThat(result.scorecard().first().faultAt()).isBetween(1.0, begun / 1e9);
        assertThat(result.scorecard().first().rateBefore()).isPositive();
    }

    /** Returns the time of a step of a fault in nanoseconds since the start of the run; fails unless there is exactly one such event. */
    private long elapsed(int number, Finding.FaultStep step) {
        List<Event> told = events.stream()
            .filter(event -> event.what() instanceof Finding.FaultDone done && done.number() == number && done.step() == step).toList();
        assertThat(told).hasSize(1);
        return told.getFirst().elapsedNanos();
    }

    @Test
    void aSignalEndsItCleanlyAndGivesUpFaultsThatAreNotDue() throws Exception {
        agent("a", VERSION);
        agent("b", VERSION);
        List<String> asked = new CopyOnWriteArrayList<>();
        actor = witness(asked);
        DistributedRun run = run(STEADY + "faults: ['kill broker at 90s']\n", false);
        RunResult result = whileItRuns(run, () -> run.stop(2));
        assertThat(failuresButTheRate(result)).isEmpty();
        assertThat(result.signal()).isEqualTo(2);
        assertThat(result.received()).isEqualTo(result.sent()).isPositive();
        assertThat(asked).isEmpty();
        assertThat(events).extracting(Event::what).hasAtLeastOneElementOfType(Finding.FaultNotDue.class);
    }

    private void awaitSaid(String agent, String part) throws InterruptedException {
        while (said.get(agent).stream().noneMatch(line -> line.contains(part))) {
            Thread.sleep(5);
        }
    }

    private void awaitLoad(FutureTask<RunResult> run) throws Exception {
        while (!eventful) {
            if (run.isDone()) {
                run.get();
            }
            Thread.sleep(5);
        }
    }
}
