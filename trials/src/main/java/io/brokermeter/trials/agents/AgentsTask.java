package io.brokermeter.trials.agents;

import java.nio.file.Path;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.trials.worker.WorkerOrder;

/**
 * A run that a {@link DistributedRun} executes on several agents.
 *
 * @param run name of the run among all runs of this coordinator
 * @param whole the work of each agent's worker, as if there were no other: each gets a share of its own
 * @param plan the same plan that each agent makes
 * @param goesOn whether the others go on when an agent is lost
 * @param crosses whether a message may go from one agent to another whose times are not of one clock
 * @param files directory for the files of agents, each in a directory with the agent's name
 */
public record AgentsTask(String run, WorkerOrder whole, Plan plan, boolean goesOn, boolean crosses, Path files) {

    /** Returns the name of the run, without anything secret. */
    @Override
    public String toString() {
        return run;
    }
}
