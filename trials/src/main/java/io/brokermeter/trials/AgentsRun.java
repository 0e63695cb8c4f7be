package io.brokermeter.trials;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;

import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.experiment.portable.PortableFiles;
import io.brokermeter.experiment.portable.PortableScenario;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.trials.agents.AgentInfo;
import io.brokermeter.trials.agents.AgentPool;
import io.brokermeter.trials.agents.AgentsTask;
import io.brokermeter.trials.agents.DistributedRun;
import io.brokermeter.trials.agents.placement.Placement;
import io.brokermeter.trials.worker.EndpointSpec;
import io.brokermeter.trials.worker.WorkerLauncher;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a pool as the place where a run is executed.
 *
 * @param workload the workload to run
 * @param files directory of the run, or null for none
 * @param prepared receives the run before it begins
 */
public record AgentsRun(AgentPool pool, Workload workload, @Nullable Path files,
        Consumer<DistributedRun> prepared) implements RunSetup.Executor {

    /**
     * Returns which agent runs which parts of a plan.
     *
     * @throws io.brokermeter.engine.scenario.UsageException for a group that no agent can run, or that cannot be divided in this way
     */
    public Placement placement(Plan plan) {
        return Placement.of(plan, agents(), workload.places());
    }

    /** Returns what each agent runs, in one line for each. */
    List<String> words(Plan plan) {
        return Placement.words(plan, agents(), placement(plan));
    }

    private List<Placement.Candidate> agents() {
        return agents(pool);
    }

    /** Returns the agents of a pool in the form that a {@link Placement} uses. */
    public static List<Placement.Candidate> agents(AgentPool pool) {
        return pool.agents().stream().map(agent -> new Placement.Candidate(agent.name(), agent.host(), agent.labels(), agent.sameClock()))
            .toList();
    }

    @Override
    public RunResult execute(RunSetup run, Observation observation, FaultActor faults, RunObserver observer,
            Function<Setting, String> names) throws Exception {
        TemporaryDirectory unkept = files == null ? TemporaryDirectory.ofCoordinator() : null;
        Path place = unkept == null ? Objects.requireNonNull(files).resolve(RunDirectory.AGENTS) : unkept.path();
        Plan plan = run.plan();
        try (observer; BrokerWatch watch = run.between().watched(observation.open())) {
            Placement placement = placement(plan);
            Map<Share, AgentInfo> shares = new LinkedHashMap<>();
            placement.shares().stream().filter(share -> !share.isEmpty())
                .forEach(share -> shares.put(share, pool.agents().get(share.number())));
            String id = plan.scenario().id();
            PortableFiles portable = PortableScenario.parcel(workload, id);
            Map<String, EndpointSpec> told = told(run, portable);
            AgentsTask task = new AgentsTask(id + "-" + Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36 * 36), 36),
                WorkerOrder.of(work -> {
                    work.id = id;
                    work.scenario = portable.text();
                    work.files = portable.contents();
                    work.suffix = run.suffix();
                    work.endpoints = told;
                    work.share = Share.whole(plan);
                    work.number = RunShare.whole(plan).run();
                    work.entry = run.between().entry();
                }), plan, workload.agents().onLoss() == Agents.Loss.CONTINUE, placement.crossesClocks(), place);
            try {
                return pool.execute(task, shares, observer, watch,
                    new FaultPlayer(plan.scenario().faults(), run.faults(faults), names), prepared);
            } catch (RunFailure e) {
                throw e.finding() instanceof Finding.AgentFailed(String agent, String cause)
                    ? e.as(new Finding.AgentFailed(agent, portable.local(cause))) : e;
            }
        } finally {
            if (unkept != null) {
                unkept.delete();
            }
        }
    }

    private Map<String, EndpointSpec> told(RunSetup run, PortableFiles portable) {
        Map<String, EndpointSpec> told = new LinkedHashMap<>();
        for (Workload.Group group : workload.groups()) {
            Endpoint endpoint = run.endpoints().apply(group);
            ConnectionSettings settings = endpoint.settings();
            List<StoreParameter> stores = run.drivers().stores(endpoint.protocol());
            Secret secret = settings.password();
            told.put(group.key(), new EndpointSpec(endpoint.protocol(), portable.url(settings.url(), stores), settings.user(),
                secret == null ? null : secret.reveal(), portable.properties(settings.properties(), stores)));
        }
        return told;
    }

    /**
     * Opens the pool of agents that are to run a workload.
     *
     * @param launcher starts agents of this machine
     * @throws io.brokermeter.engine.scenario.UsageException when the agents are not there in time
     */
    public static AgentPool open(Workload workload, WorkerLauncher launcher, Consumer<String> progress) {
        return AgentPool.open(workload.agents(), ToolVersion.text(), launcher::agent, progress);
    }
}
