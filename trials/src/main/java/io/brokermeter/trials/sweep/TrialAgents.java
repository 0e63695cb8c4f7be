package io.brokermeter.trials.sweep;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.trials.AgentsRun;
import io.brokermeter.trials.agents.AgentPool;
import io.brokermeter.trials.agents.placement.Placement;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.jspecify.annotations.Nullable;

/**
 * The agents of the current trial: those of the last trial if it asked for the same agents and all are still there. Any thread may close
 * this object.
 */
final class TrialAgents implements AutoCloseable {

    private Agents wanted = Agents.NONE;
    private volatile @Nullable AgentPool pool;

    /**
     * Returns the agents that a trial asks for.
     *
     * @param place where agents of this machine are started
     * @throws UsageException when the agents are not there in time, or the thread was interrupted
     */
    AgentPool of(Workload workload, WorkerLauncher place, Consumer<String> progress) {
        AgentPool last = pool;
        if (last != null && wanted.equals(workload.agents()) && last.lost().isEmpty()) {
            return last;
        }
        close();
        AgentPool fresh = AgentsRun.open(workload, place, progress);
        pool = fresh;
        wanted = workload.agents();
        return fresh;
    }

    /**
     * Refuses trials of which a group can run on none of their agents, or cannot be divided in this way. Calls agents that run already,
     * since only they know their labels; those of the first trial stay connected.
     *
     * @param steps the trials to come
     * @throws UsageException with one sentence, also when agents are not there in time
     */
    void require(SweepPlan plan, List<SweepPlan.Step> steps, SweepRun.Settings settings, Consumer<String> progress) {
        Map<Agents, List<Placement.Candidate>> there = new HashMap<>();
        for (SweepPlan.Step step : steps.reversed()) {
            Workload workload = step.trial().workload();
            if (workload.agents().areAny()) {
                there.computeIfAbsent(workload.agents(), agents -> agents.who() instanceof Agents.Here(int count)
                    ? IntStream.rangeClosed(1, count).mapToObj(AgentPool::nameOfLocal).map(Placement.Candidate::of).toList()
                    : AgentsRun.agents(of(workload, settings.around().launcher(), progress)));
            }
        }
        for (SweepPlan.Step step : steps) {
            List<Placement.Candidate> agents = there.get(step.trial().workload().agents());
            if (agents != null) {
                require(plan.experiment(step), step, agents, settings);
            }
        }
    }

    private static void require(Experiment experiment, SweepPlan.Step step, List<Placement.Candidate> agents, SweepRun.Settings settings) {
        Workload workload = step.trial().workload();
        Plan made = Plan.of(workload.connected(
            step.endpoints(settings.drivers(), settings.password()).endpoints(settings.drivers()::localUrl)), settings.drivers().all());
        try {
            Placement.of(made, agents, workload.places());
        } catch (UsageException e) {
            String point = step.trial().point().toString();
            throw new UsageException(experiment.name() + (point.isEmpty() ? "" : " with " + point) + ": " + e.sentence(Option::inFile));
        }
    }

    @Override
    public void close() {
        AgentPool last = pool;
        pool = null;
        if (last != null) {
            last.close();
        }
    }
}
