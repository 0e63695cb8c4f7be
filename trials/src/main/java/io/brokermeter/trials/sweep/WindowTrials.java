package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

import io.brokermeter.analysis.statistics.WindowFit;
import io.brokermeter.analysis.window.DistantTrial;
import io.brokermeter.analysis.window.FarSide;
import io.brokermeter.analysis.window.WindowAnswer;
import io.brokermeter.analysis.window.WindowAnswer.Measured;
import io.brokermeter.analysis.window.WindowChange;
import io.brokermeter.analysis.window.WindowChange.Tried;
import io.brokermeter.analysis.window.WindowJson;
import io.brokermeter.analysis.window.WindowWords;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.TableColumn;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Shell;
import org.jspecify.annotations.Nullable;

/**
 * Measures rates over distances, and tries changes of the settings that may limit them. Leaves {@code window.md} and {@code window.json}
 * beside the tables. Used by one thread.
 */
public final class WindowTrials implements SweepPurpose {

    /** The kind of finding of a run that did not reach the requested rate. */
    private static final String MISSED = new Finding.RateMissed(0, 0, 0).kind();

    /** The kind of finding of a run with sends that were not confirmed. */
    private static final String UNCONFIRMED = new Finding.Unconfirmed(0, 0).kind();

    /** The number of trials after which no more are made if all of them failed. */
    private static final int FAILURES = 3;

    private final WindowPlan.Request request;
    private final WindowPlan plan;
    private final Duration time;
    private final long began = System.nanoTime();
    /** The changes that are worth trying, by side; without an entry for a side whose distances are not measured yet. */
    private final Map<FarSide, List<WindowChange>> worth = new EnumMap<>(FarSide.class);
    private int trials;
    private List<WindowAnswer> last = List.of();
    private String made = "";

    private WindowTrials(WindowPlan.Request request, WindowPlan plan, Duration time) {
        this.request = request;
        this.plan = plan;
        this.time = time;
    }

    /**
     * Creates the trials of a request.
     *
     * @param time the time after which no further trial begins, as far as its end is known before
     * @throws UsageException for what the user must change
     */
    public static WindowTrials of(WindowPlan.Request request, Drivers drivers, Duration time) {
        return new WindowTrials(request, WindowPlan.of(request, drivers), time);
    }

    /**
     * Returns the rest of trials that were interrupted, or ran out of time.
     *
     * @param files the files of what {@code window} began
     * @param time the time that the rest may take; null for the time of the whole
     * @throws UsageException when the directory has no such trials
     */
    public static WindowTrials rest(SweepFiles files, Drivers drivers, @Nullable Duration time) {
        SweepDocument.Question all = files.comparison();
        SweepDocument.AskedWindow kept = all == null ? null : all.window();
        if (kept == null) {
            throw new UsageException(
                files.directory() + " has nothing that window began; sweeps of run go on with: brokermeter run --resume "
                    + Shell.quoted(files.directory().toString()));
        }
        WindowPlan.Request request = WindowPlan.Request.of(kept);
        List<Experiment> experiments = files.experiments();
        WindowTrials rest = new WindowTrials(request,
            kept.tried() != null ? WindowPlan.of(request, experiments, kept.tried())
                : sameAs(experiments, WindowPlan.of(request, drivers), files.directory()),
            time != null ? time : Duration.ofMillis(Math.round(kept.seconds() * 1e3)));
        rest.look(StoredSweep.read(files.directory()));
        return rest;
    }

    /**
     * Checks that a new plan has the stored experiments. Earlier versions did not record what their changes set: their numbers mean the
     * same only if all changes that were possible are possible now.
     */
    private static WindowPlan sameAs(List<Experiment> stored, WindowPlan plan, Path directory) {
        if (!plan.experiments().stream().map(Experiment::name).toList().equals(stored.stream().map(Experiment::name).toList())) {
            throw new UsageException(
                directory + " was begun by an earlier version, and does not say which settings its trials change; begin a new search.");
        }
        return plan;
    }

    /** Returns whether a directory has trials that {@code window} began. */
    public static boolean isIn(Path directory) {
        SweepDocument.Question kept = StoredSweep.isSweep(directory) ? SweepFiles.open(directory).comparison() : null;
        return kept != null && kept.window() != null;
    }

    /** Returns the experiments and their points. */
    public WindowPlan plan() {
        return plan;
    }

    @Override
    public SweepDocument.Question kept() {
        return SweepDocument.Question.of(request.kept(time, plan.tried()));
    }

    @Override
    public String command() {
        return "window";
    }

    @Override
    public boolean mayEndEarly() {
        return true;
    }

    /** Returns false: that the far side takes less than the near one sends is intended. */
    @Override
    public boolean tellsEvents() {
        return false;
    }

    /** Returns false: the rates that are tried go beyond what any generator reaches, and the answer says what the curves show. */
    @Override
    public boolean needsValidTrials() {
        return false;
    }

    /**
     * Returns whether a run only missed its rate: a near producer that falls behind the requested rate has filled the window of the far
     * consumer all the same.
     */
    @Override
    public boolean isUsable(StoredResult failed) {
        List<StoredResult.StoredFinding> failures = failed.findings().stream().filter(StoredResult.StoredFinding::failure).toList();
        return !failures.isEmpty() && failures.stream().allMatch(finding -> finding.kind().equals(MISSED));
    }

    @Override
    public boolean isDue(Path directory, String experiment) {
        for (WindowPlan.Half half : plan.halves()) {
            List<WindowChange> known = worth.get(half.side());
            List<WindowChange> due = known != null ? known : half.changes().keySet().stream().limit(WindowChange.MOST).toList();
            if (experiment.equals(half.unchanged().name())) {
                return !due.isEmpty();
            }
            for (Map.Entry<WindowChange, Experiment> one : half.changes().entrySet()) {
                if (experiment.equals(one.getValue().name())) {
                    return due.contains(one.getKey());
                }
            }
        }
        return true;
    }

    @Override
    public boolean isEnough(Path directory, PrintStream out) {
        trials++;
        StoredSweep sweep = StoredSweep.read(directory);
        look(sweep);
        List<StoredTrial> done = sweep.trials().stream().filter(StoredTrial::isDone).toList();
        if (done.size() >= FAILURES && done.stream().allMatch(StoredTrial::isFailed)) {
            out.println("All of the first " + Counted.of(done.size(), "trial") + " failed, so no more are made.");
            return true;
        }
        long nanos = System.nanoTime() - began;
        if (nanos + nanos / trials > time.toNanos()) {
            out.println("The time is up after " + Counted.of(trials, "trial") + ".");
            return true;
        }
        return false;
    }

    /** Selects the changes that are worth trying for each side whose distances are all measured. */
    private void look(StoredSweep sweep) {
        for (WindowPlan.Half half : plan.halves()) {
            boolean over =
                sweep.trials().stream().filter(trial -> trial.experiment().equals(half.distances().name())).allMatch(StoredTrial::isDone);
            if (over && !worth.containsKey(half.side())) {
                WindowFit fit = WindowAnswer.claim(measured(sweep, half.distances(), half.points(), half.side()));
                worth.put(half.side(), fit == null ? List.of() : WindowChange.worthTrying(List.copyOf(half.changes().keySet()), fit));
            }
        }
    }

    private static List<Measured> measured(StoredSweep sweep, Experiment experiment, List<DistantTrial> points, FarSide side) {
        Map<Integer, StoredTrial> trials = new HashMap<>();
        for (StoredTrial trial : sweep.trials()) {
            if (trial.experiment().equals(experiment.name())) {
                trials.put(trial.index(), trial);
            }
        }
        List<Measured> measured = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            StoredTrial trial = trials.get(i);
            StoredResult result =
                trial != null && trial.state().equals("passed") ? StoredRun.resultIn(trial.directory()).orElse(null) : null;
            double rate = trial == null || result == null ? Double.NaN
                : side == FarSide.PRODUCER ? confirmed(trial).orElseGet(() -> TableColumn.SENT.of(result))
                    : TableColumn.RECEIVED.of(result);
            if (trial != null && result != null && rate > 0) {
                double held = result.generator().hiccupMaxMillis() / 1e3;
                measured.add(new Measured(points.get(i).asked(result.generator().askedPerSecond()), rate, trial.number(),
                    !result.doubts().isEmpty(), held > 0 ? held : 0));
            }
        }
        return measured;
    }

    /**
     * Returns the confirmations per second while the measured part lasted. Until as many messages are under way as may be, a producer sends
     * more than that, which is all of a short trial with a slow broker.
     */
    private static OptionalDouble confirmed(StoredTrial trial) {
        List<StoredInterval> sending = StoredRun.read(trial.directory()).intervals().stream()
            .filter(one -> !one.warmup() && one.sent() > 0 && one.seconds() > 0).toList();
        double seconds = sending.stream().mapToDouble(StoredInterval::seconds).sum();
        return seconds > 0 ? OptionalDouble.of(sending.stream().mapToLong(StoredInterval::completed).sum() / seconds)
            : OptionalDouble.empty();
    }

    /** Returns what helps where a broker is too slow to confirm what was under way at the end of a trial; empty where it is not. */
    private static String slow(StoredSweep sweep) {
        double slowest = sweep.trials().stream().filter(StoredTrial::isFailed)
            .map(trial -> StoredRun.resultIn(trial.directory()).orElse(null)).filter(Objects::nonNull)
            .filter(result -> result.findings().stream().anyMatch(finding -> finding.kind().equals(UNCONFIRMED)))
            .mapToDouble(result -> result.number(ResultField.COMPLETED_PER_SECOND)).filter(rate -> rate > 0).min().orElse(0);
        return slowest == 0 ? ""
            : String.format(Locale.ROOT, "%nThe broker confirmed %,.0f messages a second and did not end within %d s after a "
                + "trial, so fewer at a time are enough: --set producers.maxPending=%d.%n", slowest, WindowScenario.DRAIN.toSeconds(),
                Math.max(1, Math.round(slowest * WindowScenario.DRAIN.toSeconds() / 4)));
    }

    private static double only(StoredSweep sweep, Experiment experiment, DistantTrial at, FarSide side) {
        return measured(sweep, experiment, List.of(at), side).stream().mapToDouble(Measured::rate).findFirst().orElse(Double.NaN);
    }

    private WindowAnswer answer(StoredSweep sweep, WindowPlan.Half half) {
        List<Measured> rates = measured(sweep, half.distances(), half.points(), half.side());
        double before = only(sweep, half.unchanged(), half.at(), half.side());
        double first =
            rates.stream().filter(one -> one.trial().isAt(half.at())).mapToDouble(Measured::rate).findFirst().orElse(Double.NaN);
        double unchanged = Double.isNaN(before) ? first : Double.isNaN(first) ? before : Math.sqrt(before * first);
        List<Tried> tried = new ArrayList<>();
        for (WindowChange change : worth.getOrDefault(half.side(), List.of())) {
            Experiment experiment = Objects.requireNonNull(half.changes().get(change));
            boolean ran = sweep.trials().stream().anyMatch(trial -> trial.experiment().equals(experiment.name()) && trial.isDone());
            if (ran) {
                double rate = only(sweep, experiment, half.at(), half.side());
                tried.add(new Tried(change, Double.isNaN(rate) ? null : rate, rate / unchanged));
            }
        }
        int notRun = (int) sweep.trials().stream()
            .filter(trial -> trial.experiment().equals(half.distances().name()) && !trial.isDone()).count();
        return WindowAnswer.of(half.side(), half.at(), request.protocol(), request.broker(), rates,
            half.points().size() - rates.size() - notRun, notRun, unchanged, tried);
    }

    @Override
    public @Nullable String conclusion(Path directory) throws IOException {
        StoredSweep sweep = StoredSweep.read(directory);
        List<WindowAnswer> answers = plan.halves().stream().map(half -> answer(sweep, half)).toList();
        String way = way(sweep);
        String text = WindowWords.text(answers) + slow(sweep) + way(way);
        RunDirectory.write(directory.resolve("window.md"), text);
        RunDirectory.write(directory.resolve(StoredSweep.WINDOW), WindowJson.text(answers, way));
        last = answers;
        made = way;
        return text;
    }

    /** Returns how the distances were made, as the results name it; empty for a protocol that makes its own. */
    private static String way(StoredSweep sweep) {
        return sweep.trials().stream().filter(trial -> trial.state().equals("passed"))
            .flatMap(trial -> StoredResult.in(trial.directory()).stream()).map(result -> result.document().network())
            .filter(Objects::nonNull).map(ResultDocument.Network::way).findFirst().orElse("");
    }

    private static String way(String way) {
        return switch (way) {
            case "proxy" ->
                "\nA TCP proxy made the distances, so of what limits sockets over them the windows of receivers show at most: a link shows "
                    + "all of it, and needs root on Linux and a broker on this machine.\n";
            case "link" -> "\nA link of two devices made the distances, so the windows of sockets are the real ones.\n";
            default -> "";
        };
    }

    @Override
    public int status(PrintStream err) {
        return last.isEmpty() || last.stream().anyMatch(answer -> answer.claim() == null) ? 1 : 0;
    }

    /** Returns the result as JSON; empty before the end. */
    public Optional<String> json() {
        return last.isEmpty() ? Optional.empty() : Optional.of(WindowJson.text(last, made));
    }
}
