package io.brokermeter.trials;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.BrokerWatch;
import io.brokermeter.engine.run.FaultActor;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.BrokerChoice;
import io.brokermeter.experiment.Workload;
import io.brokermeter.network.Namespace;
import io.brokermeter.reports.ConsoleOptions;
import io.brokermeter.reports.ConsoleReport;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.ScreenStyle;
import io.brokermeter.spi.Setting;
import io.brokermeter.trials.agents.AgentPool;
import io.brokermeter.trials.agents.Conductor;
import io.brokermeter.trials.agents.Placement;
import io.brokermeter.trials.faults.FaultMaker;
import io.brokermeter.trials.faults.FaultTargets;
import io.brokermeter.trials.selftest.Baseline;
import org.jspecify.annotations.Nullable;

/**
 * One run in this process, from its workload to its exit status. Its files are created before a broker is started, and the broker is
 * started before anything connects. The methods of {@link Interruptible} may be called from any thread.
 */
public final class OneRun implements Interruptible {

    /**
     * The outputs of a run.
     *
     * @param places where its files are written
     * @param reports the files that the user requested in addition
     * @param console how the run is shown on the console
     * @param screen the screen of its summary, or null for the lines of Artemis {@code perf}
     * @param names returns the name of a setting for sentences of drivers
     * @param verdictFails whether a run that measured the generator has an exit code of its own although it has no thresholds
     */
    public record Outputs(
            RunFiles places, ReportPaths reports, ConsoleOptions console, @Nullable ScreenStyle screen, Function<Setting, String> names,
            boolean verdictFails, CommandContext around) {}

    private final String name;
    private final Workload workload;
    private final @Nullable Throwaway throwaway;
    private final Endpoints endpoints;
    private final Observation observation;
    private final boolean owned;
    private final Outputs outputs;
    private final BrokerPool brokers = new BrokerPool();
    private volatile GroupNetworks networks = GroupNetworks.NONE;
    private volatile @Nullable Interruptible running;
    private volatile @Nullable AgentPool agents;
    private volatile @Nullable FaultActor actor;
    private final List<Integer> faultsNotDue = new CopyOnWriteArrayList<>();
    private @Nullable RunResult result;
    private Set<String> protocols = Set.of();

    /**
     * @param name name of the run
     * @param workload a workload of which a plan was made, so that everything that can be refused before anything starts was refused
     * @param throwaway the broker to start for the run, or null for none
     * @param owned whether a broker that is not started for the run is the user's to stop
     */
    public OneRun(String name, Workload workload, @Nullable Throwaway throwaway, Endpoints endpoints, Observation observation,
            boolean owned, Outputs outputs) {
        this.name = name;
        this.workload = workload;
        this.throwaway = throwaway;
        this.endpoints = endpoints;
        this.observation = observation;
        this.owned = owned;
        this.outputs = outputs;
    }

    /**
     * Executes the run and returns the exit status.
     *
     * @param warnings sentences for the user beside those of the scenario, printed when nothing more can be refused
     * @throws UsageException for what the user must change; nothing was left behind
     * @throws RunFailure when the run could not begin
     * @throws BrokerException when no broker could be started for the run
     */
    public int run(List<String> warnings) throws RunFailure, BrokerException {
        NetworkRights.gain(List.of(new NetworkRights.Wish(workload, throwaway == null ? null : throwaway.name())));
        NotWithAgents.require(workload, throwaway != null || Endpoints.isOpen(workload),
            throwaway == null ? null : throwaway.options().address().orElse(null),
            endpoints.endpoints(endpoints.drivers()::localUrl), endpoints.drivers());
        FaultTargets targets = endpoints.faultTargets(workload, throwaway == null ? null : throwaway.choice(throwaway.name()), owned);
        try {
            targets.check(workload.scenario().faults());
        } catch (FaultTargets.Refused e) {
            throw e.reason();
        }
        GroupNetworks.require(workload, endpoints, throwaway != null);
        Checkout checkout = outputs.places.areNone() ? Checkout.NONE : Checkout.begin();
        RunShape shape = RunShape.of(workload.scenario()).naming(outputs.names)
            .but(its -> its.verdictFails = outputs.verdictFails);
        ReportFiles files = ReportFiles.open(outputs.reports, name, shape);
        try {
            files.add(outputs.places.open(name, record(null), workload, shape, observation.metricNames()));
        } catch (RuntimeException e) {
            files.discard();
            throw e;
        }
        Stream.concat(warnings.stream(), workload.scenario().warnings(outputs.names).stream())
            .forEach(warning -> outputs.around.err().println("warning: " + warning));
        boolean begun = false;
        try (Interruption interruption = Interruption.install(() -> endEarly(files))) {
            JointRun joint = openAgents(files);
            Broker broker = throwaway == null ? null : start(throwaway);
            if (broker != null) {
                files.scenario(record(broker.name()));
            }
            Function<Workload.Group, Endpoint> ways = endpoints.endpoints(brokers.urls(endpoints.drivers(), broker));
            Plan direct = Plan.of(workload.connected(ways), endpoints.drivers().all());
            GroupNetworks between = GroupNetworks.open(workload, endpoints.drivers(), ways);
            networks = between;
            Plan plan = between == GroupNetworks.NONE ? direct
                : Plan.of(workload.connected(between.through(ways)), endpoints.drivers().all());
            announce(direct);
            protocols = groups(plan).map(group -> group.driver().protocol()).collect(Collectors.toSet());
            checkout.await().ifPresent(files::checkout);
            RunResult came;
            try (FaultActor faults = new FaultMaker(targets, broker, files.directory()).finding(workload.scenario().faults())) {
                actor = faults;
                Observation watched = broker == null ? observation.at(urls(direct)) : observation.with(() -> pids(broker));
                Reports reports = new Reports(List.of(files.observer(),
                    new ConsoleReport(outputs.around.out(), outputs.around.err(), console(files), shape), new NotDue()));
                came = joint != null
                    ? joint.execute("", plan, ways, between, watched, faults, reports, outputs.names, files.directory(), conductor -> {
                        running = conductor;
                        interruption.runs(this);
                    }) : execute(plan, between, watched, faults, reports, outputs.names, run -> {
                        running = run;
                        interruption.runs(this);
                    });
                begun = true;
            } catch (RunFailure | RuntimeException e) {
                begun = joint != null && hasBegun();
                throw e;
            } catch (Exception e) {
                outputs.around.err().println("error: a report could not be closed: " + e.getMessage());
                return 1;
            }
            if (outputs.screen == null) {
                files.tell(outputs.around.out());
            }
            result = came;
            return came.exitCode(outputs.verdictFails);
        } finally {
            if (!begun) {
                files.discard();
            }
            networks.close();
            closeAgents();
            brokers.close();
        }
    }

    /** Opens the agents that are to execute the run together; returns null when this process executes it alone. */
    private @Nullable JointRun openAgents(ReportFiles files) {
        if (!workload.agents().areAny()) {
            return null;
        }
        AgentPool pool;
        try (ProgressLine progress = ProgressLine.on(outputs.around.err())) {
            pool = JointRun.open(workload, outputs.around.place(), progress::drawOnly);
        }
        agents = pool;
        files.areMadeByOthers();
        JointRun joint = new JointRun(pool, workload, endpoints.drivers());
        Plan plan = Plan.of(workload.connected(endpoints.endpoints(endpoints.drivers()::localUrl)), endpoints.drivers().all());
        Placement placement = joint.placement(plan);
        if (placement.crossesClocks()) {
            files.crossesClocks();
        }
        placement.notices().forEach(notice -> outputs.around.err().println("warning: " + notice));
        joint.words(plan).forEach(line -> outputs.around.out().println("Agent " + line));
        return joint;
    }

    private void closeAgents() {
        AgentPool pool = agents;
        if (pool != null) {
            pool.close();
        }
    }

    /**
     * Creates the run of a plan, executes it, and closes its observer.
     *
     * @param between the networks between the clients and their broker
     * @param faults carries out the faults of the run
     * @param names returns the name of a setting for sentences of drivers
     * @param prepared receives the run before it begins
     * @throws Exception a {@link RunFailure} when the run could not begin, another one when a report could not be closed
     */
    static RunResult execute(Plan plan, GroupNetworks between, Observation observation, FaultActor faults, RunObserver observer,
            Function<Setting, String> names, Consumer<Run> prepared) throws Exception {
        try (BrokerWatch watch = between.watched(observation.open()); observer; Namespace.Stay _ = between.enter()) {
            Run run =
                new Run(plan, Baseline.telling(observer, System.getenv()), watch, new ConnectionFaults(between::lines, faults), names);
            prepared.accept(run);
            return run.execute();
        } catch (RunFailure e) {
            throw between.seenFromOutside(e);
        }
    }

    private ConsoleOptions console(ReportFiles files) {
        return outputs.screen == null ? outputs.console
            : outputs.console.on(new ConsoleOptions.Screen(outputs.screen, Shell.belowHome(files.place()),
                files.place().isEmpty() ? List.of() : outputs.places.next(files.place())));
    }

    /** Returns the result of the run; null before it ended. */
    public @Nullable RunResult result() {
        return result;
    }

    /** Returns the numbers, from 1, of the faults that the run did not make, since its load was over before they were due. */
    public List<Integer> faultsNotDue() {
        return faultsNotDue.stream().sorted().toList();
    }

    private final class NotDue implements RunObserver {
        @Override
        public void event(Event event) {
            if (event.what() instanceof Finding.FaultNotDue fault) {
                faultsNotDue.add(fault.number());
            }
        }
    }

    /** Returns the protocols of the run; empty before it began. */
    public Set<String> protocols() {
        return protocols;
    }

    /**
     * Returns the scenario file that repeats this run; it contains no password.
     *
     * @param started broker and version that were started, null as long as they are not known
     */
    private String record(@Nullable BrokerName started) {
        BrokerChoice broker = throwaway == null ? null : throwaway.choice(started == null ? throwaway.name() : started);
        return workload.yaml(name, broker, access -> broker != null || access.url() != null ? access
            : access.at(endpoints.protocol(access), endpoints.drivers().localUrl(endpoints.protocol(access))));
    }

    private static Stream<Group> groups(Plan plan) {
        return Stream.concat(plan.producers().stream(), plan.consumers().stream());
    }

    /** Returns the distinct URLs to which a plan connects. */
    static List<String> urls(Plan plan) {
        return groups(plan).map(Group::url).distinct().toList();
    }

    /** Returns the ids of the broker's processes on this machine. */
    static List<Long> pids(Broker broker) {
        return broker.nodes().stream().map(BrokerNode::pid).toList();
    }

    private Broker start(Throwaway wanted) throws BrokerException {
        Broker started;
        try (ProgressLine progress = ProgressLine.on(outputs.around.err())) {
            progress.drawOnly("Starting " + wanted.name());
            started = brokers.start(wanted, progress);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerException("The start of broker " + wanted.name() + " was interrupted.", e);
        }
        String pids = started.nodes().size() == 1 ? "pid " + started.pid() : started.nodes().stream()
            .map(node -> node.role() + " pid " + node.pid()).collect(Collectors.joining(", "));
        String url = started.urls().get(endpoints.protocol(workload.groups().getFirst().access()));
        outputs.around.out()
            .println("Started " + started.title() + " " + started.name().version().orElse("") + " for this run (" + pids + ", "
                + (url == null ? started.url() : url) + ", " + wanted.fate() + ")");
        return started;
    }

    private void announce(Plan plan) {
        Set<String> sending = plan.producers().stream().map(Group::url).collect(Collectors.toSet());
        for (String url : urls(plan)) {
            outputs.around.out()
                .println((sending.isEmpty() || sending.contains(url) ? "Connection" : "Consumer connection") + " brokerURL = " + url);
        }
        outputs.around.out().flush();
    }

    @Override
    public boolean hasBegun() {
        Interruptible begun = running;
        return begun != null && begun.hasBegun();
    }

    @Override
    public void stop(int signal) {
        Interruptible begun = running;
        if (begun != null) {
            begun.stop(signal);
        }
    }

    @Override
    public void abort() {
        Interruptible begun = running;
        if (begun != null) {
            begun.abort();
        }
    }

    /** Cleans up after a signal before the run, or after a second one during it. */
    private void endEarly(ReportFiles files) {
        boolean begun = hasBegun();
        if (!begun) {
            // first, since the time for all this is limited
            outputs.around.err().println("Ended before the load began: nothing was measured.");
        }
        FaultActor made = actor;
        if (made != null) {
            made.close();
        }
        if (!begun) {
            // before its files and its broker are gone, whose loss it would report
            abort();
            files.discard();
        }
        networks.close();
        brokers.close();
        closeAgents();
    }
}
