package io.brokermeter.trials;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.RateChanges;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.send.RateChange;
import io.brokermeter.engine.run.send.RateControl;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.live.RunControls;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.screen.ConsoleOptions;
import io.brokermeter.reports.screen.ConsoleReport;
import io.brokermeter.reports.screen.ScreenStyle;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.agents.AgentPool;
import io.brokermeter.trials.agents.DistributedRun;
import io.brokermeter.trials.agents.placement.Placement;
import io.brokermeter.trials.faults.FaultMaker;
import io.brokermeter.trials.faults.FaultTargets;
import io.brokermeter.trials.network.Interruption;
import io.brokermeter.trials.network.NetworkRequirements;
import io.brokermeter.trials.network.NetworkRights;
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

    private static final int SIGINT = 2;

    private final String name;
    private final Workload workload;
    private final @Nullable Throwaway throwaway;
    private final Endpoints endpoints;
    private final Observation observation;
    private final boolean owned;
    private final Outputs outputs;
    private final BrokerPool brokers = new BrokerPool();
    private volatile @Nullable RunSetup setup;
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
        if (outputs.reports.live()) {
            LiveTerminal.require(outputs.reports);
        }
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
        NetworkRequirements.require(workload, endpoints, throwaway != null);
        Checkout checkout = outputs.places.areNone() ? Checkout.NONE : Checkout.begin();
        RunShape shape = RunShape.of(workload.scenario()).with(outputs.names, outputs.verdictFails);
        ReportFiles files = ReportFiles.open(outputs.reports, name, shape, workload.scenario(), outputs.around.err());
        try {
            files.add(outputs.places.open(name, record(null), workload, shape, observation.metricNames()));
            String serve = outputs.reports.serve();
            if (serve != null) {
                outputs.around.out().println("Live page: " + files.serve(serve, shape, controls));
            }
        } catch (RuntimeException e) {
            files.discard();
            throw e;
        }
        Stream.concat(warnings.stream(), workload.scenario().warnings(outputs.names).stream())
            .forEach(warning -> outputs.around.err().println("warning: " + warning));
        boolean begun = false;
        try (Interruption interruption = Interruption.install(() -> endEarly(files))) {
            AgentsRun joint = openAgents(files, interruption);
            Broker broker = throwaway == null ? null : start(throwaway);
            if (broker != null) {
                files.scenario(record(broker.name()));
            }
            RunSetup run = new RunSetup(workload, workload.scenario().id(), "", endpoints.drivers(),
                endpoints.endpoints(brokers.urls(endpoints.drivers(), broker)));
            setup = run;
            run.connect();
            announce(run);
            protocols = run.groups().map(group -> group.driver().protocol()).collect(Collectors.toSet());
            checkout.await().ifPresent(files::checkout);
            RunResult came;
            try (FaultActor faults = new FaultMaker(targets, broker, files.directory()).finding(workload.scenario().faults());
                    @Nullable LiveTerminal live = outputs.reports.live()
                        ? LiveTerminal.take(shape, outputs.around.out(), outputs.around.err(), controls) : null) {
                actor = faults;
                RunObserver console = new ConsoleReport(outputs.around.out(), live == null ? outputs.around.err() : live.err(),
                    console(files), shape);
                List<RunObserver> observers = new ArrayList<>(List.of(files.observer(), console, new NotDue()));
                if (live != null) {
                    observers.addFirst(live);
                }
                Reports reports = new Reports(observers);
                RunSetup.Executor place = joint != null ? joint : RunSetup.here(prepared -> begins(prepared, interruption),
                    outputs.reports.serve() == null && live == null ? null : new RateChanges());
                came = place.execute(run, run.observed(observation, RunSetup.pids(broker)), faults, reports, outputs.names);
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
            closeNetworks();
            closeAgents();
            brokers.close();
        }
    }

    private void begins(Interruptible prepared, Interruption interruption) {
        running = prepared;
        interruption.runs(this);
    }

    private void closeNetworks() {
        RunSetup run = setup;
        if (run != null) {
            run.close();
        }
    }

    /** Opens the agents that are to execute the run together; returns null when this process executes it alone. */
    private @Nullable AgentsRun openAgents(ReportFiles files, Interruption interruption) {
        if (!workload.agents().areAny()) {
            return null;
        }
        AgentPool pool;
        try (ProgressLine progress = ProgressLine.on(outputs.around.err())) {
            pool = AgentsRun.open(workload, outputs.around.launcher(), progress::drawOnly);
        }
        agents = pool;
        files.areMadeByOthers();
        AgentsRun joint = new AgentsRun(pool, workload, files.directory(), prepared -> begins(prepared, interruption));
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

    private void announce(RunSetup run) {
        Set<String> sending = run.plan().producers().stream().map(Group::url).collect(Collectors.toSet());
        for (String url : run.urls()) {
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

    /** What those who watch the run may do to it: it ends as by Ctrl-C. */
    private final RunControls controls = new RunControls() {
        @Override
        public boolean end() {
            boolean begun = hasBegun();
            if (begun) {
                stop(SIGINT);
            }
            return begun;
        }

        @Override
        public RateChange rate(int percent) {
            return running instanceof Run run ? run.changeRate(percent)
                : workload.agents().areAny() ? RateChange.NOT_OF_THIS_LOAD : RateChange.TOO_LATE;
        }

        @Override
        public boolean hasRate() {
            RunSetup run = setup;
            return run != null && !workload.agents().areAny() && RateControl.isPossible(run.plan());
        }

        @Override
        public FaultPlayer.@Nullable Next nextFault() {
            FaultPlayer player = player();
            return player == null ? null : player.next();
        }

        @Override
        public FaultPlayer.Played fault(int number) {
            FaultPlayer player = player();
            return player == null ? FaultPlayer.Played.NO_MORE : player.playNow(number);
        }

        private @Nullable FaultPlayer player() {
            return switch (running) {
                case Run run -> run.faults();
                case DistributedRun run -> run.faults();
                case null, default -> null;
            };
        }
    };

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
        closeNetworks();
        brokers.close();
        closeAgents();
    }
}
