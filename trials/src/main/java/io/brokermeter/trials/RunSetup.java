package io.brokermeter.trials;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.RateChanges;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.SocketLimits;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.experiment.Workload;
import io.brokermeter.network.Namespace;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.network.ConnectionFaults;
import io.brokermeter.trials.network.GroupNetworks;
import io.brokermeter.trials.selftest.Baseline;
import org.jspecify.annotations.Nullable;

/**
 * What a run consists of, wherever it is executed: the workload, the ways to its broker, and the networks between, which belong to it once
 * {@link #connect} was called. Any thread may close it.
 */
public final class RunSetup implements AutoCloseable {

    /** Where a run is executed: in this process, or on agents. */
    public interface Executor {

        /**
         * Executes a run, blocks until it is over, and closes its observer.
         *
         * @param observation how the broker is observed
         * @param faults carries out the faults of the run other than those of connections; not closed
         * @param names returns the name of a setting for sentences of drivers
         * @throws Exception a {@link RunFailure} when the run could not begin, another one when a report could not be closed
         */
        RunResult execute(RunSetup run, Observation observation, FaultActor faults, RunObserver observer,
                Function<Setting, String> names) throws Exception;
    }

    private final Workload workload;
    private final String id;
    private final String suffix;
    private final Drivers drivers;
    private final Function<Workload.Group, Endpoint> endpoints;
    private final Plan plan;
    private volatile GroupNetworks between = GroupNetworks.NONE;

    /**
     * @param id name of the run, as in subscription names
     * @param suffix text that is appended to the name of each destination
     * @param endpoints returns the endpoint of each group, without networks
     */
    public RunSetup(Workload workload, String id, String suffix, Drivers drivers, Function<Workload.Group, Endpoint> endpoints) {
        this.workload = workload;
        this.id = id;
        this.suffix = suffix;
        this.drivers = drivers;
        this.endpoints = endpoints;
        this.plan = Plan.of(workload.connected(id, suffix, endpoints), drivers.all());
    }

    /** Creates the networks of the workload; without this call there are none. */
    public void connect() throws RunFailure {
        between = GroupNetworks.open(workload, drivers, endpoints);
    }

    public Workload workload() {
        return workload;
    }

    Drivers drivers() {
        return drivers;
    }

    String suffix() {
        return suffix;
    }

    /** Returns the plan as the user sees it: without networks. */
    public Plan plan() {
        return plan;
    }

    GroupNetworks between() {
        return between;
    }

    /** Returns the endpoint of each group, through the networks. */
    Function<Workload.Group, Endpoint> endpoints() {
        return between.through(endpoints);
    }

    Stream<Group> groups() {
        return Stream.concat(plan.producers().stream(), plan.consumers().stream());
    }

    /** Returns the distinct URLs to which the run connects, without networks. */
    List<String> urls() {
        return groups().map(Group::url).distinct().toList();
    }

    /**
     * Returns an observation of the broker of this run.
     *
     * @param pids returns the process ids of a broker that was started for it; null for another one, whose URLs are known
     */
    public Observation observed(Observation requested, @Nullable Supplier<List<Long>> pids) {
        return pids == null ? requested.at(urls()) : requested.with(pids);
    }

    /** Returns a supplier of the ids of a broker's processes on this machine; null for no broker. */
    public static @Nullable Supplier<List<Long>> pids(@Nullable Broker broker) {
        return broker == null ? null : () -> broker.nodes().stream().map(BrokerNode::pid).toList();
    }

    /** Returns a carrier of all faults, of which {@code others} carries out those that are not of connections. */
    FaultActor faults(FaultActor others) {
        return new ConnectionFaults(between::lines, others);
    }

    /**
     * Returns this process as the place where a run is executed.
     *
     * @param prepared receives the run before it begins
     * @param rates changes of the rate; null for a run whose rate nobody may change
     */
    public static Executor here(Consumer<Run> prepared, @Nullable RateChanges rates) {
        return (setup, observation, faults, observer, names) -> {
            GroupNetworks between = setup.between;
            Plan plan = between == GroupNetworks.NONE ? setup.plan
                : Plan.of(setup.workload.connected(setup.id, setup.suffix, setup.endpoints()), setup.drivers.all());
            RunShare whole = RunShare.whole(plan);
            SocketLimits.check(plan, whole.share());
            try (BrokerWatch watch = between.watched(observation.open()); observer; Namespace.Stay _ = between.enter()) {
                Run run =
                    new Run(plan, whole, Baseline.telling(observer, System.getenv()), watch, setup.faults(faults), names,
                        Clock.SYSTEM, rates);
                prepared.accept(run);
                return run.execute();
            } catch (RunFailure e) {
                throw between.seenFromOutside(e);
            }
        };
    }

    @Override
    public void close() {
        between.close();
    }
}
