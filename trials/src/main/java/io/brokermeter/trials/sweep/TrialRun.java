package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.trials.AgentsRun;
import io.brokermeter.trials.BrokerPool;
import io.brokermeter.trials.Checkout;
import io.brokermeter.trials.RunSetup;
import io.brokermeter.trials.ToolVersion;
import io.brokermeter.trials.agents.DistributedRun;
import io.brokermeter.trials.agents.placement.Placement;
import io.brokermeter.trials.faults.FaultMaker;
import io.brokermeter.trials.faults.FaultRequests;
import io.brokermeter.trials.sweep.SweepPlan.Step;
import io.brokermeter.trials.worker.EndpointSpec;
import io.brokermeter.trials.worker.WorkerLine;
import io.brokermeter.trials.worker.WorkerOrder;
import io.brokermeter.trials.worker.WorkerProcess;
import org.jspecify.annotations.Nullable;

/**
 * Runs one trial after the other, each in a worker of its own or on agents, on the broker that the trial asks for. Belongs to the thread
 * that creates it; what ends a trial may be called from any.
 */
final class TrialRun implements AutoCloseable {

    /** The time that connecting and closing may take in addition to the load. */
    private static final Duration MARGIN = Duration.ofMinutes(5);
    /**
     * The longest duration of a trial without a planned length. A trial that sends and makes no progress ends by itself long before; one
     * that receives a number of messages, and has no duration, waits this long for those that do not arrive.
     */
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final Duration LAST_WORDS = Duration.ofSeconds(45);

    private final SweepFiles files;
    private final SweepRun.Settings settings;
    private final BrokerPool brokers = new BrokerPool();
    private final TrialAgents agents = new TrialAgents();
    /** Distinguishes this session's destinations from those of an earlier session of the same sweep. */
    private final String session = Long.toString(System.currentTimeMillis() / 100 % 60_466_176, Character.MAX_RADIX);
    private final Thread thread = Thread.currentThread();
    private volatile int signal;
    private volatile boolean starting;
    private volatile @Nullable WorkerProcess worker;
    private volatile @Nullable DistributedRun distributed;
    private volatile Duration drain = Duration.ZERO;

    TrialRun(SweepFiles files, SweepRun.Settings settings) {
        this.files = files;
        this.settings = settings;
    }

    /** Returns the number of the signal that ended the trials; 0 for none. */
    int signal() {
        return signal;
    }

    /**
     * Checks what only agents know, such as their labels. Blocks until they are there.
     *
     * @throws UsageException when agents are missing, or no agent can run a group of a trial
     */
    void require(SweepPlan plan, List<Step> due, SweepProgress progress) {
        waiting(() -> {
            agents.require(plan, due, settings, progress::doing);
            return due;
        });
    }

    /**
     * Runs a trial on its broker, where needed after unmeasured ones. Blocks until it is over.
     *
     * @return null when it has a result, otherwise the reason why not
     */
    @Nullable String run(Step step, Experiment experiment, Path directory,
            SweepProgress progress) throws BrokerException, IOException, InterruptedException {
        try {
            return onBroker(step, experiment, directory, progress);
        } finally {
            brokers.trialEnded();
        }
    }

    private @Nullable String onBroker(Step step, Experiment experiment, Path directory,
            SweepProgress progress) throws BrokerException, IOException, InterruptedException {
        BrokerChoice choice = step.broker();
        Broker broker = null;
        if (choice != null) {
            progress.doing("starting " + choice.name());
            starting = true;
            try {
                if (signal != 0) {
                    return "It was interrupted.";
                }
                broker = brokers.running(choice, progress::doing);
            } finally {
                starting = false;
                // A signal may have come just when the broker was ready.
                Thread.interrupted();
            }
            if (brokers.begins()) {
                warmUp(step, experiment, broker, choice.warmup(), progress);
            }
            if (signal != 0) {
                return "It was interrupted.";
            }
        }
        return work(step, experiment, directory, broker, "", progress);
    }

    /** Has a broker that was just started serve a trial that does not count, again and again until the time is over. */
    private void warmUp(Step step, Experiment experiment, Broker broker, Duration time,
            SweepProgress progress) throws IOException, InterruptedException {
        long began = System.nanoTime();
        Path aside = files.directory().resolve("warmup");
        progress.unmeasured(true);
        for (int i = 1; signal == 0 && System.nanoTime() - began < time.toNanos(); i++) {
            PrivateFiles.directories(aside);
            try {
                RunDirectory.write(aside.resolve(RunDirectory.SCENARIO), step.trial().yaml(experiment.name()));
                String failure = work(step, experiment, aside, broker, "-warmup" + i, progress);
                if (failure != null && signal == 0) {
                    progress.clear();
                    settings.around().err().println("The broker is not warm, since an unmeasured trial came to no result: " + failure);
                    break;
                }
            } finally {
                DataDirectory.delete(aside);
            }
        }
        progress.unmeasured(false);
    }

    /** Runs a trial in a worker, or on agents, with a mark if it is unmeasured. Returns null when it has a result, else why not. */
    private @Nullable String work(Step step, Experiment experiment, Path directory, @Nullable Broker broker, String mark,
            SweepProgress progress) throws IOException, InterruptedException {
        String own = "-" + session + "-" + step.number() + mark;
        String suffix = step.trial().ownDestinations() ? own : "";
        if (step.trial().workload().agents().areAny()) {
            return together(step, experiment, directory, broker, own, suffix, progress);
        }
        Supplier<List<Long>> pids = RunSetup.pids(broker);
        Map<String, EndpointSpec> endpoints =
            step.endpoints(settings.drivers(), settings.password()).specs(step.trial().workload(),
                brokers.urls(settings.drivers(), broker));
        WorkerOrder order = WorkerOrder.of(its -> {
            its.directory = directory.toString();
            its.id = experiment.name() + own;
            its.scenario = step.trial().yaml(experiment.name());
            its.suffix = suffix;
            its.endpoints = endpoints;
            its.pids = pids == null ? List.of() : pids.get();
            its.watching = settings.watching();
        });
        Scenario scenario = step.trial().workload().scenario();
        drain = scenario.drainLimit();
        progress.doing("connecting");
        List<Fault> faults = scenario.faults();
        try (FaultMaker maker = new FaultMaker(step.faultTargets(settings.drivers(), settings.owned()), broker, directory).finding(faults);
                FaultRequests requests = new FaultRequests(faults, maker, pids == null ? List::of : pids);
                WorkerProcess process = WorkerProcess.start(settings.around().launcher(), order, directory.resolve("worker.log"),
                    line -> heard(WorkerLine.read(line), requests, progress))) {
            worker = process;
            requests.answerTo(process::tell);
            if (signal != 0) {
                process.stop(signal, drain.plus(LAST_WORDS));
            }
            return process.await(scenario.mayHaveBacklog() ? LONGEST : scenario.timeLimit().map(MARGIN::plus).orElse(LONGEST));
        } finally {
            worker = null;
        }
    }

    /** Runs a trial on agents, which report to this process. Returns null when it has a result, otherwise the reason why not. */
    private @Nullable String together(Step step, Experiment experiment, Path directory, @Nullable Broker broker, String own, String suffix,
            SweepProgress progress) throws IOException {
        Workload workload = step.trial().workload();
        AgentsRun onAgents =
            new AgentsRun(waiting(() -> agents.of(workload, settings.around().launcher(), progress::doing)), workload, directory,
                prepared -> {
                    distributed = prepared;
                    if (signal != 0) {
                        prepared.stop(signal);
                    }
                });
        RunSetup setup = new RunSetup(workload, experiment.name() + own, suffix, settings.drivers(),
            step.endpoints(settings.drivers(), settings.password()).endpoints(brokers.urls(settings.drivers(), broker)));
        Scenario scenario = setup.plan().scenario();
        Placement placement = onAgents.placement(setup.plan());
        placement.notices().forEach(progress::notice);
        Observation observation = settings.watching().observation();
        Checkout checkout = Checkout.begin();
        RunDirectory run = RunDirectory.open(directory, step.trial().yaml(experiment.name()), RunShape.of(scenario),
            RunEnvironment.now(ToolVersion.text()).of(scenario, workload.labels()), observation.metricNames(), null);
        // Closed here as well, for the case that the run that closes it does not begin.
        try (run; setup) {
            run.isMadeByOthers();
            run.inputs(scenario, files.inputs());
            checkout.await().ifPresent(commit -> run.environment(its -> its.with(commit)));
            if (placement.crossesClocks()) {
                run.crossesClocks();
            }
            progress.doing("connecting");
            setup.connect();
            try (FaultMaker maker = new FaultMaker(step.faultTargets(settings.drivers(), settings.owned()), broker, directory)
                .finding(workload.scenario().faults())) {
                onAgents.execute(setup, setup.observed(observation, RunSetup.pids(broker)), maker,
                    new Reports(List.of(run, progress)), Option::inFile);
                return null;
            }
        } catch (RunFailure e) {
            return String.join("; ", new Sentences(Option::inFile).of(e.findings()));
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            return "A report could not be closed: " + e.getMessage();
        } finally {
            distributed = null;
        }
    }

    private static void heard(WorkerLine line, FaultRequests requests, SweepProgress progress) {
        switch (line) {
            case WorkerLine.Progress(Interval interval) -> progress.interval(interval);
            case WorkerLine.Happened(Event event) -> progress.event(event);
            case WorkerLine.Asked(FaultRequests.Request fault) -> requests.hear(fault);
            default -> {
                // of a share alone
            }
        }
    }

    private <T> T waiting(Supplier<T> task) {
        starting = true;
        try {
            if (signal != 0) {
                throw new UsageException("It was interrupted.");
            }
            return task.get();
        } finally {
            starting = false;
            // A signal may have come just when the task was done.
            Thread.interrupted();
        }
    }

    /** Ends the trial in progress cleanly, and starts none any more. Any thread. */
    void stop(int number) {
        signal = number;
        WorkerProcess alone = worker;
        DistributedRun together = distributed;
        if (together != null) {
            together.stop(number);
        } else if (alone != null) {
            alone.stop(number, drain.plus(LAST_WORDS));
        } else if (starting) {
            thread.interrupt();
        }
    }

    /** Ends the trial in progress at once. Any thread. */
    void abort() {
        WorkerProcess alone = worker;
        if (alone != null) {
            alone.kill();
        }
        DistributedRun together = distributed;
        if (together != null) {
            together.abort();
        }
    }

    /** Ends the worker, the agents and the broker at once. */
    @Override
    public void close() {
        abort();
        agents.close();
        brokers.close();
    }
}
