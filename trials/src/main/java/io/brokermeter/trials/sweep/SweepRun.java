package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.directory.RunLock;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.screen.StatusLine;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.AgentsRun;
import io.brokermeter.trials.BrokerPool;
import io.brokermeter.trials.Checkout;
import io.brokermeter.trials.CommandContext;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.ObservationRequest;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.RunSetup;
import io.brokermeter.trials.Shell;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.ToolVersion;
import io.brokermeter.trials.agents.Conductor;
import io.brokermeter.trials.agents.placement.Placement;
import io.brokermeter.trials.faults.FaultMaker;
import io.brokermeter.trials.faults.FaultRequests;
import io.brokermeter.trials.network.Interruption;
import io.brokermeter.trials.sweep.SweepFiles.State;
import io.brokermeter.trials.sweep.SweepPlan.Step;
import io.brokermeter.trials.worker.EndpointSpec;
import io.brokermeter.trials.worker.WorkerOrder;
import io.brokermeter.trials.worker.WorkerProcess;
import io.brokermeter.trials.worker.WorkerProgress;
import org.jspecify.annotations.Nullable;

/** Runs the trials of a plan one after the other, each in a worker of its own, on the broker that the trial asks for. */
public final class SweepRun implements Interruptible, AutoCloseable {

    /** The time that connecting and closing may take in addition to the load. */
    private static final Duration MARGIN = Duration.ofMinutes(5);
    /**
     * The longest duration of a trial without a planned length. A trial that sends and makes no progress ends by itself long before; one
     * that receives a number of messages, and has no duration, waits this long for those that do not arrive.
     */
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final Duration LAST_WORDS = Duration.ofSeconds(45);

    /**
     * The settings that all trials share.
     *
     * @param password the password of all groups that have a user and no password of their own, or null
     * @param watching how each broker is observed
     * @param view how the tables are shown at the end
     * @param owned whether brokers that run already are the user's to stop
     */
    public record Settings(
            Drivers drivers, @Nullable Secret password, ObservationRequest watching, TableView view, boolean owned,
            CommandContext around) {}

    private SweepPlan plan;
    private final SweepFiles files;
    private final SweepPurpose purpose;
    private final boolean kept;
    private final Settings settings;
    private final PrintStream out;
    private final PrintStream err;
    private final BrokerPool brokers = new BrokerPool();
    private final SweepResults results;
    /** Distinguishes this session's destinations from those of an earlier session of the same sweep. */
    private final String session = Long.toString(System.currentTimeMillis() / 100 % 60_466_176, Character.MAX_RADIX);
    private final Thread thread = Thread.currentThread();
    private volatile int signal;
    private volatile boolean starting;
    private volatile @Nullable WorkerProcess worker;
    private volatile @Nullable Conductor conductor;
    private final TrialAgents agents = new TrialAgents();
    private volatile Duration drain = Duration.ZERO;
    private final TimeLeft times = new TimeLeft();

    /** Creates a sweep, which belongs to the thread that creates it. */
    private SweepRun(SweepPlan plan, SweepFiles files, SweepPurpose purpose, boolean kept, Settings settings) {
        this.plan = plan;
        this.files = files;
        this.purpose = purpose;
        this.kept = kept;
        this.settings = settings;
        this.out = settings.around.out();
        this.err = settings.around.err();
        this.results = new SweepResults(plan, files, RunEnvironment.now(ToolVersion.text()));
    }

    /**
     * Runs experiments from the beginning and returns the exit status, as {@link #run()} does.
     *
     * @param sources the files that the user named
     * @param purpose the purpose of the trials
     * @param dryRun whether to print only what would be run
     * @throws UsageException for what the user must change; nothing was started
     */
    public static int begin(List<Experiment> experiments, List<Path> sources, RunFiles places, Settings settings, SweepPurpose purpose,
            boolean dryRun) throws IOException {
        SweepPlan plan = SweepPlan.of(experiments, settings.drivers, settings.password, settings.owned);
        plan.requireEnds();
        plan.warnings().forEach(warning -> settings.around.err().println("warning: " + warning));
        plan.requireVersions(settings.around.err(), dryRun);
        if (dryRun) {
            settings.around.out().print(plan.text() + unplanned(plan, purpose));
            return 0;
        }
        plan.requireFitForAgents(settings.password);
        String name = experiments.size() == 1 ? experiments.getFirst().name()
            : sources.isEmpty() || sources.getFirst().toAbsolutePath().getParent() == null ? "sweep"
                : String.valueOf(sources.getFirst().toAbsolutePath().getParent().getFileName());
        if (plan.steps().stream().allMatch(step -> step.broker() == null)) {
            settings.watching.observation().requireMetrics();
        }
        Checkout checkout = places.areNone() ? Checkout.NONE : Checkout.begin();
        RunFiles.Place place = places.sweep(name);
        try (RunLock _ = SweepFiles.lock(place.directory())) {
            SweepFiles files = SweepFiles.create(place.directory(), sources, plan, checkout.await().orElse(null), purpose.kept());
            try {
                return run(plan, files, purpose, place, settings);
            } catch (UsageException e) {
                files.discardUntouched();
                throw e;
            }
        } finally {
            place.end();
        }
    }

    /**
     * Resumes the sweep in a directory, with those of its trials that are missing.
     *
     * @param purpose returns the purpose of the trials, as the files state it
     * @param dryRun whether to print only what is left of the sweep
     */
    public static int resume(Path directory, Settings settings, Function<SweepFiles, SweepPurpose> purpose,
            boolean dryRun) throws IOException {
        // Before its state is read: until then another process may change it.
        try (@Nullable RunLock _ = dryRun || !SweepFiles.isSweep(directory) ? null : SweepFiles.lock(directory)) {
            SweepFiles stored = SweepFiles.open(directory);
            stored.requireSameSources();
            SweepPlan plan =
                SweepPlan.of(stored.experiments(), settings.drivers, settings.password, settings.owned, stored.unnamed());
            SweepPurpose meant = purpose.apply(stored);
            stored.resume(plan);
            stored.again(meant.again(plan, step -> stored.entry(step).state().isDone()));
            if (dryRun) {
                settings.around.out().print(plan.rest(step -> stored.isDue(step, plan, meant)) + unplanned(plan, meant));
                return 0;
            }
            plan.requireFitForAgents(settings.password);
            stored.requireLocal(plan, meant, Drivers::isListening);
            stored.keep(meant.kept());
            return run(plan, stored, meant, RunFiles.Place.kept(directory), settings);
        }
    }

    /** Returns what a plan that grows does not have yet. */
    private static String unplanned(SweepPlan plan, SweepPurpose purpose) {
        int more = purpose.most(plan.steps().size()) - plan.steps().size();
        return more > 0 ? "up to " + Counted.of(more, "trial") + " more, each chosen by what those before came to\n" : "";
    }

    private static int run(SweepPlan plan, SweepFiles files, SweepPurpose purpose, RunFiles.Place place,
            Settings settings) throws IOException {
        SweepRun sweep = new SweepRun(plan, files, purpose, place.isKept(), settings);
        // When a second signal ends the sweep at once, no worker, no broker and no files that were not to be kept are left behind.
        try (sweep; Interruption interruption = Interruption.install(() -> {
            sweep.close();
            place.end();
        })) {
            interruption.runs(sweep);
            return sweep.run();
        }
    }

    /**
     * Runs every trial that is not done and returns the exit status: 128 plus the signal that ended the sweep, 1 when a trial or a report
     * failed, else that of the purpose or, if it is 0, 3 when a trial measured the generator, 99 when one missed a threshold.
     *
     * @throws UsageException when agents are missing, or no agent can run a group of a trial; no trial has begun then
     * @throws IOException when the sweep's own files cannot be written
     */
    private int run() throws IOException {
        List<Step> due = due();
        if (due.size() < plan.steps().size()) {
            out.println((plan.steps().size() - due.size()) + " of " + plan.steps().size() + " trials were run before.");
        }
        try (SweepProgress progress =
            new SweepProgress(err, settings.around.silent() ? StatusLine.NONE : Terminal.statusLine(), Terminal::columns, total(),
                purpose.tellsEvents())) {
            requirePlaces(due, progress);
            boolean more = true;
            while (more && measure(due, progress)) {
                List<Experiment> following = purpose.following(files.directory());
                more = following != null;
                if (following != null) {
                    plan = SweepPlan.of(following, settings.drivers, settings.password, settings.owned, plan.unnamed());
                    files.grow(plan);
                    results.grow(plan);
                    due = due();
                }
            }
        }
        return end();
    }

    private List<Step> due() {
        return plan.steps().stream().filter(step -> !files.entry(step).state().isDone()).toList();
    }

    /** Runs trials one after the other; returns false when no others are to follow them, since there are enough or a signal came. */
    private boolean measure(List<Step> due, SweepProgress progress) throws IOException {
        boolean enough = false;
        SweepDocument.Question known = purpose.kept();
        for (int i = 0; i < due.size() && signal == 0 && !enough; i++) {
            if (!isOfUse(due.get(i))) {
                continue;
            }
            trial(due.get(i), due.subList(i + 1, due.size()).stream().filter(this::isOfUse).toList(), progress);
            results.write();
            enough = signal == 0 && purpose.isEnough(files.directory(), out);
            SweepDocument.Question now = purpose.kept();
            if (enough || !Objects.equals(now, known)) {
                known = now;
                files.keep(now);
            }
        }
        return signal == 0 && !enough;
    }

    /** Checks, before the first trial runs, what only agents know, such as their labels. */
    private void requirePlaces(List<Step> due, SweepProgress progress) {
        try {
            waiting(() -> {
                agents.require(plan, due, settings, progress::doing);
                return due;
            });
        } catch (UsageException e) {
            if (signal == 0) {
                throw e;
            }
        }
    }

    private boolean isOfUse(Step step) {
        return purpose.isDue(files.directory(), plan.experiment(step).name());
    }

    private void trial(Step step, List<Step> rest, SweepProgress progress) throws IOException {
        Experiment experiment = plan.experiment(step);
        Path directory = files.begin(step);
        String variant = step.variant(experiment);
        progress.begin(step.number(), SweepResults.name(experiment, variant), step.trial().workload().scenario().length(),
            left(step, rest));
        long began = System.nanoTime();
        List<String> causes = new ArrayList<>();
        String failure = null;
        try {
            RunDirectory.write(directory.resolve(RunDirectory.SCENARIO), step.trial().yaml(experiment.name()));
            failure = work(step, experiment, directory, progress);
        } catch (BrokerException | UsageException e) {
            failure = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            failure = "It was interrupted.";
        } finally {
            worker = null;
            brokers.trialEnded();
        }
        StoredResult result = failure == null ? results.result(step).orElse(null) : null;
        if (failure != null) {
            causes.add(failure);
        } else if (result == null) {
            causes.add("Its result cannot be read.");
        } else {
            causes.addAll(result.causes());
        }
        boolean passed = result != null && (result.success() || purpose.isUsable(result));
        boolean cut = signal != 0 && (result == null || result.signal() != 0);
        State state = cut ? State.INTERRUPTED : passed ? State.PASSED : State.FAILED;
        files.end(step, state, state == State.INTERRUPTED ? List.of() : causes);
        if (state == State.PASSED) {
            times.finished(step.length(), Duration.ofNanos(System.nanoTime() - began));
        }
        progress.clear();
        String outcome;
        if (state == State.PASSED && result != null) {
            outcome = SweepResults.line(result);
        } else if (state == State.INTERRUPTED) {
            outcome = "interrupted";
        } else {
            outcome = "failed: " + String.join(" ", causes).replaceAll("\\s*\\R\\s*", " ");
        }
        if (!settings.around.silent()) {
            out.println("trial " + step.number() + " of " + total() + " (" + SweepResults.name(experiment, variant) + "): " + outcome);
            out.flush();
        }
    }

    /** Returns the number of trials, in words. */
    private String total() {
        return (purpose.mayEndEarly() ? "at most " : "") + purpose.most(plan.steps().size());
    }

    /** Runs a trial on its broker, where needed after unmeasured ones. Returns null when it has a result, otherwise the reason why not. */
    private @Nullable String work(Step step, Experiment experiment, Path directory,
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
                    err.println("The broker is not warm, since an unmeasured trial came to no result: " + failure);
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
        Map<String, EndpointSpec> ways =
            step.endpoints(settings.drivers, settings.password).ways(step.trial().workload(), brokers.urls(settings.drivers, broker));
        WorkerOrder order = WorkerOrder.of(its -> {
            its.directory = directory.toString();
            its.id = experiment.name() + own;
            its.scenario = step.trial().yaml(experiment.name());
            its.suffix = suffix;
            its.ways = ways;
            its.pids = pids == null ? List.of() : pids.get();
            its.watching = settings.watching;
        });
        Scenario scenario = step.trial().workload().scenario();
        drain = scenario.drainLimit();
        progress.doing("connecting");
        List<Fault> faults = scenario.faults();
        try (FaultMaker maker = new FaultMaker(step.faultTargets(settings.drivers, settings.owned), broker, directory).finding(faults);
                FaultRequests requests = new FaultRequests(faults, maker, pids == null ? List::of : pids);
                WorkerProcess process = WorkerProcess.start(settings.around.place(), order, directory.resolve("worker.log"),
                    line -> heard(JsonText.read(line), requests, progress))) {
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
        AgentsRun joint = new AgentsRun(waiting(() -> agents.of(workload, settings.around.place(), progress::doing)), workload, directory,
            conducting -> {
                conductor = conducting;
                if (signal != 0) {
                    conducting.stop(signal);
                }
            });
        RunSetup setup = new RunSetup(workload, experiment.name() + own, suffix, settings.drivers,
            step.endpoints(settings.drivers, settings.password).endpoints(brokers.urls(settings.drivers, broker)));
        Scenario scenario = setup.plan().scenario();
        Placement placement = joint.placement(setup.plan());
        placement.notices().forEach(progress::notice);
        Observation observation = settings.watching.observation();
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
            try (FaultMaker maker = new FaultMaker(step.faultTargets(settings.drivers, settings.owned), broker, directory)
                .finding(workload.scenario().faults())) {
                joint.execute(setup, setup.observed(observation, RunSetup.pids(broker)), maker,
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
            conductor = null;
        }
    }

    private static void heard(Map<String, @Nullable Object> line, FaultRequests requests, SweepProgress progress) {
        Interval interval = WorkerProgress.interval(line);
        Event event = WorkerProgress.event(line);
        if (interval != null) {
            progress.interval(interval);
        } else if (event != null) {
            progress.event(event);
        } else {
            requests.hear(line);
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

    /** Returns the expected duration of a trial and those after it; null as long as it is not known. */
    private @Nullable Duration left(Step step, List<Step> rest) {
        return times.of(Stream.concat(Stream.of(step), rest.stream()).map(Step::length).toList()).orElse(null);
    }

    private int end() throws IOException {
        results.write();
        out.println();
        String conclusion = purpose.conclusion(files.directory());
        out.print(conclusion == null ? results.text(settings.view) : conclusion);
        if (kept) {
            out.println();
            out.println("Files: " + files.directory());
        }
        out.flush();
        List<Step> failed = results.failed();
        err.print(results.failures(failed));
        boolean written = true;
        try {
            purpose.report(files.directory(), out);
        } catch (IOException | UsageException e) {
            err.println("error: " + e.getMessage());
            written = false;
        }
        if (signal != 0 && plan.steps().stream().anyMatch(step -> !files.entry(step).state().isDone())) {
            if (kept) {
                err.println("Interrupted; it goes on with: brokermeter " + purpose.command() + " --resume "
                    + Shell.quoted(files.directory().toString()));
            }
            return 128 + signal;
        }
        int status = purpose.status(err);
        boolean valid = purpose.needsValidTrials();
        boolean right =
            written && failed.stream().allMatch(step -> valid && results.result(step).filter(StoredResult::isInvalid).isPresent());
        List<StoredResult> all = plan.steps().stream().flatMap(step -> results.result(step).stream()).toList();
        return !right ? 1 : status != 0 ? status : valid && all.stream().anyMatch(StoredResult::isInvalid) ? RunResult.INVALID
            : !purpose.gatesThresholds() || all.stream().allMatch(StoredResult::meetsThresholds) ? 0 : RunResult.THRESHOLD_MISSED;
    }

    @Override
    public boolean hasBegun() {
        return true;
    }

    @Override
    public void stop(int number) {
        signal = number;
        WorkerProcess running = worker;
        Conductor conducting = conductor;
        if (conducting != null) {
            conducting.stop(number);
        } else if (running != null) {
            running.stop(number, drain.plus(LAST_WORDS));
        } else if (starting) {
            thread.interrupt();
        }
    }

    @Override
    public void abort() {
        WorkerProcess running = worker;
        if (running != null) {
            running.kill();
        }
        Conductor conducting = conductor;
        if (conducting != null) {
            conducting.abort();
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
