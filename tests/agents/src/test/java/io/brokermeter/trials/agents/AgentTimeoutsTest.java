package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.trials.Drivers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Timeouts of agents: until they are ready, and after an order to end a drain of 10 s plus 5 minutes. */
class AgentTimeoutsTest {

    private static final long START = 1_000_000_000_000_000L;

    @TempDir
    Path directory;

    /** Returns the agents that are late after a time, with an order to end at the start and the last delivery of the drain at 200 s. */
    private List<AgentState> late(String consumers, long seconds) {
        Plan plan = plan("load: {rate: 100/s, messages: 100}\nconsumers: " + consumers + "\n");
        AgentTimeouts timeouts = new AgentTimeouts(plan.scenario());
        timeouts.endBy(START);
        timeouts.sent(Duration.ofSeconds(1), true);
        timeouts.drains(at(200));
        return late(timeouts, plan, seconds);
    }

    /** Returns the agents that are late after a time in a run without an order to end. */
    private List<AgentState> untold(String lines, long seconds) {
        Plan plan = plan(lines);
        return late(new AgentTimeouts(plan.scenario()), plan, seconds);
    }

    private Plan plan(String lines) {
        return Plan.of(ScenarioFile.read("""
            name: t
            protocol: LOOPBACK
            url: loopback://b
            destinations: queue://Q
            producers: {count: 1}
            drainTimeout: 10s
            """ + lines, "test", directory, Changes.NONE).trials().getFirst().workload()
            .connected("t", "", group -> group.access().endpoint("LOOPBACK", "loopback://b", null)), Drivers.load().all());
    }

    private List<AgentState> late(AgentTimeouts timeouts, Plan plan, long seconds) {
        return timeouts.late(List.of(new AgentState(DistributedRunTest.info("a", true), Share.whole(plan), directory)), START, at(seconds));
    }

    private static long at(long seconds) {
        return START + Duration.ofSeconds(seconds).toNanos();
    }

    /** Returns agents a, b and so on with the given steps; the step is null for an agent that has not answered its order. */
    private List<AgentState> agents(RunCoordination.@Nullable Step... steps) {
        List<AgentState> agents = new ArrayList<>();
        for (RunCoordination.@Nullable Step step : steps) {
            String name = String.valueOf((char) ('a' + agents.size()));
            AgentState agent =
                new AgentState(DistributedRunTest.info(name, true), new Share(agents.size(), new BitSet(), new BitSet()),
                    directory.resolve(name));
            agent.stage = step == null ? AgentState.Stage.ASKED : AgentState.Stage.RUNNING;
            agent.step = step;
            agents.add(agent);
        }
        return agents;
    }

    /** Returns the names of the agents that are not ready {@code seconds} after all orders, with the reasons. */
    private Map<String, String> notReady(List<AgentState> agents, long seconds, int declaring) {
        Map<String, String> names = new LinkedHashMap<>();
        new AgentTimeouts(plan("duration: 60s\n").scenario()).notReady(agents, Duration.ofSeconds(seconds).toNanos(), declaring, _ -> 0)
            .forEach((agent, why) -> names.put(agent.name(), why));
        return names;
    }

    @Test
    void whoKeepsARunFromBeginningIsNamedAndNobodyWhoIsReady() {
        List<AgentState> agents =
            agents(RunCoordination.Step.READY, RunCoordination.Step.DECLARED, RunCoordination.Step.DECLARED, RunCoordination.Step.DECLARED);
        assertThat(notReady(agents, 299, -1)).isEmpty();
        assertThat(notReady(agents, 301, -1)).isEqualTo(Map.of("b", "it was not ready within 5 minutes; nor were c, d",
            "c", "it was not ready within 5 minutes; nor were b, d", "d", "it was not ready within 5 minutes; nor were b, c"));
        assertThat(notReady(agents(RunCoordination.Step.READY, RunCoordination.Step.DECLARED), 301, -1))
            .isEqualTo(Map.of("b", "it was not ready within 5 minutes"));
    }

    /** Only one agent declares destinations at a time. */
    @Test
    void whoDeclaresKeepsThoseWhoseTurnComesLater() {
        assertThat(notReady(agents(RunCoordination.Step.DECLARED, RunCoordination.Step.CONNECTED, RunCoordination.Step.CONNECTED), 301, 1))
            .containsOnlyKeys("b");
    }

    /** With orders of 22 MB for each of 20 agents, the last one needs 36 s to leave over an uplink of 100 Mbit/s. */
    @Test
    void theTimeForAnAnswerCountsFromWhenTheOrderHasLeft() {
        AgentTimeouts timeouts = new AgentTimeouts(plan("duration: 60s\n").scenario());
        List<AgentState> agents = agents(RunCoordination.Step.CONNECTED, null);
        for (int second = 0; second <= 36; second++) {
            assertThat(timeouts.notReady(agents, Duration.ofSeconds(second).toNanos(), -1, _ -> 1_000_000)).isEmpty();
        }
        assertThat(timeouts.notReady(agents, Duration.ofSeconds(65).toNanos(), -1, _ -> 0)).isEmpty();
        assertThat(timeouts.notReady(agents, Duration.ofSeconds(67).toNanos(), -1, _ -> 0)).containsOnly(
            Map.entry(agents.getLast(), "it did not answer within 30 s"));
        assertThat(timeouts.notReady(agents, Duration.ofSeconds(301).toNanos(), -1, _ -> 1_000_000)).containsOnly(
            Map.entry(agents.getLast(), "it was not ready within 5 minutes, since its order could not be sent in that time"));
    }

    @Test
    void aBacklogIsWaitedForFromItsLastDeliveryOn() {
        assertThat(late("{count: 1, start: after-producers}", 509)).isEmpty();
        assertThat(late("{count: 1, start: after-producers}", 511)).hasSize(1);
    }

    @Test
    void consumersThatComeLongAfterTheProducersAreWaitedFor() {
        assertThat(late("{count: 1, start: after-producers:10m}", 1_109)).isEmpty();
        assertThat(late("{count: 1, start: after-producers:10m}", 1_111)).hasSize(1);
    }

    @Test
    void aDrainThatHasALimitIsNotWaitedForLonger() {
        assertThat(late("{count: 1}", 309)).isEmpty();
        assertThat(late("{count: 1}", 311)).hasSize(1);
    }

    /** The limit is 370 s without the command, which may run until 650 s. */
    @Test
    void aCommandThatMayOutlastTheLoadIsWaitedFor() {
        String load = "load: {rate: 100/s}\nduration: 60s\n";
        assertThat(untold(load, 369)).isEmpty();
        assertThat(untold(load, 371)).hasSize(1);
        String faults = "faults:\n- run: ./restore.sh\n  at: 50s\n  for: 10m\n- pause: broker\n  at: 1s\n";
        assertThat(untold(load + faults, 959)).isEmpty();
        assertThat(untold(load + faults, 961)).hasSize(1);
    }

    /** The load takes 1 s of at most 60 s. The last delivery at 300 s extends the limit of 370 s, unless the load was cut. */
    @Test
    void aBacklogOfConsumersWhoseDelayOutlastsTheLoadIsWaitedFor() {
        String group = "load: {rate: 100/s, messages: 100}\nduration: 60s\nconsumers: {count: 1, start: 30s}\n";
        for (boolean cut : List.of(true, false)) {
            Plan plan = plan(group);
            AgentTimeouts timeouts = new AgentTimeouts(plan.scenario());
            timeouts.sent(Duration.ofSeconds(1), cut);
            timeouts.drains(at(300));
            assertThat(late(timeouts, plan, 371)).hasSize(cut ? 1 : 0);
            assertThat(late(timeouts, plan, 611)).hasSize(cut ? 0 : 1);
        }
    }
}
