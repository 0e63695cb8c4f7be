package io.brokermeter.trials.agents;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.plan.Share;

/**
 * The work that the worker of an agent is to do.
 *
 * @param id name of the run, as in subscription names
 * @param scenario the run as a scenario file without thresholds and faults, which names no files except {@code files}, see
 *     {@code PortableScenario}
 * @param files the files that the scenario and the endpoints need, in base64, by their paths below the run's directory,
 *     {@code PortableFiles.isEnclosed}
 * @param suffix text that is appended to the name of each destination
 * @param ways the endpoint of each group, by its key
 * @param share its part of the plan
 * @param number number of the run in its messages
 * @param zero the coordinator's {@link io.brokermeter.engine.pacing.EpochClock#zero()}
 * @param passage the path between the worker and the broker; it has a place only if the coordinator started the agent
 * @param faulted whether faults are made in the run, so that what happens in each millisecond is of interest
 */
public record WorkerShare(String id, String scenario, Map<String, String> files, String suffix, Map<String, SentEndpoint> ways, Share share,
        long number,
        long zero, Passage passage, boolean faulted) {

    /** The components of a share by name, for {@link #of(Consumer)}. */
    @SuppressWarnings("NullAway.Init") // components without a default are checked once all are set
    public static final class Values {

        public String id;
        public String scenario;
        public Map<String, String> files = Map.of();
        public String suffix = "";
        public Map<String, SentEndpoint> ways = Map.of();
        public Share share;
        public long number;
        public long zero;
        public Passage passage = Passage.FREE;
        public boolean faulted;

        private Values() {}
    }

    /** Creates a share from the values that {@code change} sets. */
    public static WorkerShare of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** Returns a copy with the values that {@code change} sets. */
    public WorkerShare with(Consumer<Values> change) {
        Values its = new Values();
        its.id = id;
        its.scenario = scenario;
        its.files = files;
        its.suffix = suffix;
        its.ways = ways;
        its.share = share;
        its.number = number;
        its.zero = zero;
        its.passage = passage;
        its.faulted = faulted;
        return made(its, change);
    }

    private static WorkerShare made(Values its, Consumer<Values> change) {
        change.accept(its);
        return new WorkerShare(Objects.requireNonNull(its.id, "id"), Objects.requireNonNull(its.scenario, "scenario"), its.files,
            its.suffix, its.ways, Objects.requireNonNull(its.share, "share"), its.number, its.zero, its.passage, its.faulted);
    }

    /** Returns a copy without the contents of its files, which are in the run's directory. */
    WorkerShare written() {
        return with(its -> its.files = Map.of());
    }

    /** Returns the names of run and share, without anything secret. */
    @Override
    public String toString() {
        return id + ", share " + share.number();
    }
}
