package io.brokermeter.trials.agents;

import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.plan.Plan;

/**
 * What a {@link Conductor} runs on several agents.
 *
 * @param run name of the run among all of this coordinator's
 * @param whole what the worker of each agent is asked to do, as if it were the only one: each gets a share of its own
 * @param plan the same plan that each agent makes
 * @param goesOn whether the others go on when an agent is lost
 * @param crosses whether a message may go from one agent to another whose times are not of one clock
 * @param files where files of agents go, each in a directory with the agent's name
 */
public record JointTask(String run, WorkerShare whole, Plan plan, boolean goesOn, boolean crosses, Path files) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public String run;
        public WorkerShare whole;
        public Plan plan;
        public boolean goesOn;
        public boolean crosses;
        public Path files;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static JointTask of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new JointTask(Objects.requireNonNull(its.run, "run"), Objects.requireNonNull(its.whole, "whole"),
            Objects.requireNonNull(its.plan, "plan"), its.goesOn, its.crosses, Objects.requireNonNull(its.files, "files"));
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return run;
    }
}
