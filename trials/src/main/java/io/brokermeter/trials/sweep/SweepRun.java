package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.directory.RunLock;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.screen.StatusLine;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.Checkout;
import io.brokermeter.trials.CommandContext;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.ObservationRequest;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.Shell;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.ToolVersion;
import io.brokermeter.trials.network.Interruption;
import io.brokermeter.trials.sweep.SweepFiles.State;
import io.brokermeter.trials.sweep.SweepPlan.Step;
import org.jspecify.annotations.Nullable;

/** Runs the trials of a plan one after the other, and keeps and shows what they come to. */
public final class SweepRun implements Interruptible, AutoCloseable {

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
    private final SweepResults results;
    private final TrialRun trials;
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
        this.trials = new TrialRun(files, settings);
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
        RunFiles.SweepDirectory target = places.sweep(name);
        try (RunLock _ = SweepFiles.lock(target.directory())) {
            SweepFiles files = SweepFiles.create(target.directory(), sources, plan, checkout.await().orElse(null), purpose.kept());
            try {
                return run(plan, files, purpose, target, settings);
            } catch (UsageException e) {
                files.discardUntouched();
                throw e;
            }
        } finally {
            target.end();
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
            return run(plan, stored, meant, RunFiles.SweepDirectory.kept(directory), settings);
        }
    }

    /** Returns what a plan that grows does not have yet. */
    private static String unplanned(SweepPlan plan, SweepPurpose purpose) {
        int more = purpose.most(plan.steps().size()) - plan.steps().size();
        return more > 0 ? "up to " + Counted.of(more, "trial") + " more, each chosen by what those before came to\n" : "";
    }

    private static int run(SweepPlan plan, SweepFiles files, SweepPurpose purpose, RunFiles.SweepDirectory target,
            Settings settings) throws IOException {
        SweepRun sweep = new SweepRun(plan, files, purpose, target.isKept(), settings);
        // When a second signal ends the sweep at once, no worker, no broker and no files that were not to be kept are left behind.
        try (sweep; Interruption interruption = Interruption.install(() -> {
            sweep.close();
            target.end();
        })) {
            interruption.runs(sweep);
            return sweep.run();
        }
    }

    /**
     * Runs every trial that is not done and returns the exit status: 128 plus the signal that ended the sweep, 1 when a trial or a report
     * failed, else that of the purpose or, if it is 0, 99 when a trial missed a threshold, 3 when one measured the generator.
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
        for (int i = 0; i < due.size() && trials.signal() == 0 && !enough; i++) {
            if (!isOfUse(due.get(i))) {
                continue;
            }
            trial(due.get(i), due.subList(i + 1, due.size()).stream().filter(this::isOfUse).toList(), progress);
            results.write();
            enough = trials.signal() == 0 && purpose.isEnough(files.directory(), out);
            SweepDocument.Question now = purpose.kept();
            if (enough || !Objects.equals(now, known)) {
                known = now;
                files.keep(now);
            }
        }
        return trials.signal() == 0 && !enough;
    }

    /** Checks, before the first trial runs, what only agents know, such as their labels. */
    private void requirePlaces(List<Step> due, SweepProgress progress) {
        try {
            trials.require(plan, due, progress);
        } catch (UsageException e) {
            if (trials.signal() == 0) {
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
            failure = trials.run(step, experiment, directory, progress);
        } catch (BrokerException | UsageException e) {
            failure = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            failure = "It was interrupted.";
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
        boolean cut = trials.signal() != 0 && (result == null || result.signal() != 0);
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
        if (trials.signal() != 0 && plan.steps().stream().anyMatch(step -> !files.entry(step).state().isDone())) {
            if (kept) {
                err.println("Interrupted; it goes on with: brokermeter " + purpose.command() + " --resume "
                    + Shell.quoted(files.directory().toString()));
            }
            return 128 + trials.signal();
        }
        int status = purpose.status(err);
        boolean valid = purpose.needsValidTrials();
        boolean right =
            written && failed.stream().allMatch(step -> valid && results.result(step).filter(StoredResult::isInvalid).isPresent());
        List<StoredResult> all = plan.steps().stream().flatMap(step -> results.result(step).stream()).toList();
        return !right ? 1 : status != 0 ? status
            : purpose.gatesThresholds() && !all.stream().allMatch(StoredResult::meetsThresholds) ? RunResult.THRESHOLD_MISSED
                : valid && all.stream().anyMatch(StoredResult::isInvalid) ? RunResult.INVALID : 0;
    }

    @Override
    public boolean hasBegun() {
        return true;
    }

    @Override
    public void stop(int number) {
        trials.stop(number);
    }

    @Override
    public void abort() {
        trials.abort();
    }

    /** Ends the worker, the agents and the broker at once. */
    @Override
    public void close() {
        trials.close();
    }
}
