package io.brokermeter.trials.worker;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.plan.Share;
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.trials.ObservationRequest;
import io.brokermeter.trials.network.NetworkEntry;
import org.jspecify.annotations.Nullable;

/**
 * The order to a worker: one line of JSON on its standard input, which no process list and no file shows. A worker of a sweep executes a
 * run alone; one of an agent executes its share, together with the workers that have the other shares.
 *
 * @param directory directory of the run's files, whose {@code scenario.yaml} says what to run; empty on the way to an agent
 * @param id name of the run, as in subscription names
 * @param scenario the run as a scenario file; for an agent without thresholds and faults, and naming no files except {@code files}, see
 *     {@code PortableScenario}
 * @param files the files that the scenario and the endpoints need, in base64, by their paths below the run's directory,
 *     {@code PortableFiles.isEnclosed}; written there before the worker gets its order
 * @param suffix text that is appended to the name of each destination
 * @param endpoints the endpoint of each group, by its {@linkplain io.brokermeter.experiment.Workload.Group#key key}
 * @param share its part of the plan, null for all of it
 * @param number number of the run in its messages
 * @param zero the coordinator's {@link io.brokermeter.engine.pacing.EpochClock#zero()}
 * @param entry the path between the worker and the broker; it has a place only if the coordinator started the agent
 * @param faulted whether others make faults in the run, so that what happens in each millisecond is of interest
 * @param clock the coordinator's clock, {@link io.brokermeter.cluster.clock.ClockLine#text}; null for a worker that has no coordinator
 * @param pids process ids of the broker, empty when they are to be found by its URLs or others observe it
 * @param watching how the broker is observed by the worker
 */
public record WorkerOrder(String directory, String id, String scenario, Map<String, String> files, String suffix,
        Map<String, EndpointSpec> endpoints, @Nullable Share share, long number, long zero, NetworkEntry entry, boolean faulted,
        @Nullable String clock, List<Long> pids, ObservationRequest watching) {

    /** Begins a later line that sets the clock; {@link io.brokermeter.cluster.clock.ClockLine#text} follows. */
    public static final String CLOCK = "clock ";
    /** Begins a later line that ends the load cleanly; the number of a signal follows. */
    public static final String STOP = "stop ";
    /** A later line that ends the work at once. */
    public static final String ABORT = "abort";
    /** A later line that ends the share at once, as {@link #ABORT} does, and removes nothing that other shares use: these go on. */
    public static final String LEAVE = "leave";

    /** The file in which a worker with a share leaves its {@link io.brokermeter.engine.run.parts.ShareResult}. */
    public static final String PART = "part.json";
    /** The file in which a worker with a share leaves the sets of its ledger. */
    public static final String LEDGER = "ledger.sets";

    /** The components of an order by name, for {@link #of(Consumer)}. */
    @SuppressWarnings("NullAway.Init") // components without a default are checked once all are set
    public static final class Values {

        public String directory = "";
        public String id;
        public String scenario;
        public Map<String, String> files = Map.of();
        public String suffix = "";
        public Map<String, EndpointSpec> endpoints = Map.of();
        public @Nullable Share share;
        public long number;
        public long zero;
        public NetworkEntry entry = NetworkEntry.FREE;
        public boolean faulted;
        public @Nullable String clock;
        public List<Long> pids = List.of();
        public ObservationRequest watching = new ObservationRequest(null, null, null, List.of());

        private Values() {}
    }

    /** Creates an order from the values that {@code change} sets. */
    public static WorkerOrder of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** Returns a copy with the values that {@code change} sets. */
    public WorkerOrder with(Consumer<Values> change) {
        Values its = new Values();
        its.directory = directory;
        its.id = id;
        its.scenario = scenario;
        its.files = files;
        its.suffix = suffix;
        its.endpoints = endpoints;
        its.share = share;
        its.number = number;
        its.zero = zero;
        its.entry = entry;
        its.faulted = faulted;
        its.clock = clock;
        its.pids = pids;
        its.watching = watching;
        return made(its, change);
    }

    private static WorkerOrder made(Values its, Consumer<Values> change) {
        change.accept(its);
        return new WorkerOrder(its.directory, Objects.requireNonNull(its.id, "id"), Objects.requireNonNull(its.scenario, "scenario"),
            its.files, its.suffix, its.endpoints, its.share, its.number, its.zero, its.entry, its.faulted, its.clock, its.pids,
            its.watching);
    }

    /** Returns the order as a line. */
    public String line() {
        return RecordJson.text(this);
    }

    /** @throws IllegalArgumentException when the line is no order */
    static WorkerOrder read(String line) {
        return RecordJson.read(WorkerOrder.class, line);
    }

    /** Returns the directory of the run's files. */
    Path path() {
        return Path.of(directory);
    }

    /** Returns the names of run and share, without anything secret. */
    @Override
    public String toString() {
        return share == null ? id : id + ", share " + share.number();
    }
}
