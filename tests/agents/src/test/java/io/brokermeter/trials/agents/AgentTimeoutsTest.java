package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.trials.Drivers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long agents are waited for that were told to end: a drain of 10 s and 5 minutes. */
class AgentTimeoutsTest {

    private static final long START = 1_000_000_000_000_000L;

    @TempDir
    Path directory;

    /** Who is late so many seconds after the start, where all were told to end with it, and messages came in the drain 200 s later. */
    private List<AgentInRun> late(String consumers, long seconds) {
        Plan plan = Plan.of(ScenarioFile.read("""
            name: t
            protocol: LOOPBACK
            url: loopback://b
            destinations: queue://Q
            producers: {count: 1}
            load: {rate: 100/s, messages: 100}
            drainTimeout: 10s
            consumers:\s""" + consumers + "\n", "test", directory, Changes.NONE).trials().getFirst().workload()
            .connected("t", "", group -> group.access().endpoint("LOOPBACK", "loopback://b", null)), Drivers.load().all());
        AgentTimeouts timeouts = new AgentTimeouts(plan.scenario());
        timeouts.endBy(START);
        timeouts.drains(at(200));
        return timeouts.late(List.of(new AgentInRun(ConductorTest.info("a", true), Share.whole(plan), directory)), START, at(seconds));
    }

    private static long at(long seconds) {
        return START + Duration.ofSeconds(seconds).toNanos();
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
}
