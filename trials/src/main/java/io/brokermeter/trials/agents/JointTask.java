package io.brokermeter.trials.agents;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.plan.Plan;

/**
 * What a {@link Conductor} runs on several agents.
 *
 * @param run name of the run among all of this coordinator's
 * @param id name of the run, as in subscription names
 * @param scenario its text for agents
 * @param enclosed contents of the files that the text needs, in base64 by their relative paths
 * @param suffix comes behind the name of each destination
 * @param ways the endpoint of each group, by its key
 * @param plan the same plan that each agent makes
 * @param number of the run in its messages
 * @param passage the way between the workers and the broker; it has a place for agents alone that this process started
 * @param goesOn whether the others go on when an agent is lost
 * @param crosses whether a message may go from one machine to another, whose clocks differ
 * @param files where files of agents go, each in a directory with the agent's name
 */
public record JointTask(
        String run, String id, String scenario, Map<String, String> enclosed, String suffix, Map<String, Way> ways, Plan plan, long number,
        Passage passage, boolean goesOn, boolean crosses, Path files) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public String run;
        public String id;
        public String scenario;
        public Map<String, String> enclosed = Map.of();
        public String suffix = "";
        public Map<String, Way> ways = Map.of();
        public Plan plan;
        public long number;
        public Passage passage = Passage.FREE;
        public boolean goesOn;
        public boolean crosses;
        public Path files;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static JointTask of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new JointTask(Objects.requireNonNull(its.run, "run"), Objects.requireNonNull(its.id, "id"),
            Objects.requireNonNull(its.scenario, "scenario"), its.enclosed, its.suffix, its.ways, Objects.requireNonNull(its.plan, "plan"),
            its.number, its.passage, its.goesOn, its.crosses, Objects.requireNonNull(its.files, "files"));
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return run;
    }
}
