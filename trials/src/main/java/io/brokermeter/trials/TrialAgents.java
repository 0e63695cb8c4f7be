package io.brokermeter.trials;

import java.util.function.Consumer;

import io.brokermeter.experiment.Agents;
import io.brokermeter.experiment.Workload;
import io.brokermeter.trials.agents.AgentPool;
import org.jspecify.annotations.Nullable;

/** The agents of the trial that is under way: those of the last one where it asked for the same and all are still there. Any thread may close it. */
final class TrialAgents implements AutoCloseable {

    private Agents wanted = Agents.NONE;
    private volatile @Nullable AgentPool pool;

    /**
     * Those that a trial asks for.
     *
     * @param place where those of this machine are started
     * @throws io.brokermeter.engine.scenario.UsageException when they are not there in time, or the thread was interrupted
     */
    AgentPool of(Workload workload, WorkerPlace place, Consumer<String> progress) {
        AgentPool last = pool;
        if (last != null && wanted.equals(workload.agents()) && last.lost().isEmpty()) {
            return last;
        }
        close();
        AgentPool fresh = JointRun.open(workload, place, progress);
        pool = fresh;
        wanted = workload.agents();
        return fresh;
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
