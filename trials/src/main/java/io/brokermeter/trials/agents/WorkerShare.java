package io.brokermeter.trials.agents;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.plan.Share;

/**
 * What the worker of an agent is asked to do.
 *
 * @param id name of the run, as in subscription names
 * @param scenario the run as a scenario file without thresholds and faults, which names no file but those, see {@code Portable}
 * @param files what its text and its ways need of files, in base64 by their paths below the run's directory, {@code PortableFiles.isEnclosed}
 * @param suffix comes behind the name of each destination
 * @param ways the endpoint of each group, by its key
 * @param share its part of the plan
 * @param number of the run in its messages
 * @param zero the coordinator's {@link io.brokermeter.engine.pacing.EpochClock#zero()}
 * @param passage the way between the worker and the broker; it has a place for workers alone whose agent the coordinator started
 * @param faulted whether faults are made in the run, so that what happens in each millisecond is of interest
 */
public record WorkerShare(String id, String scenario, Map<String, String> files, String suffix, Map<String, SentEndpoint> ways, Share share,
        long number,
        long zero, Passage passage, boolean faulted) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
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

    /** Of what {@code change} sets. */
    public static WorkerShare of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** The same but for what {@code change} sets. */
    public WorkerShare but(Consumer<Values> change) {
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

    /** The same without the contents of its files, which stand in the run's directory. */
    WorkerShare written() {
        return but(its -> its.files = Map.of());
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return id + ", share " + share.number();
    }
}
