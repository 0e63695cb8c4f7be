package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.analysis.limit.LimitAnswer;
import io.brokermeter.analysis.limit.LimitAnswer.Believed;
import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.limit.LimitJson;
import io.brokermeter.analysis.limit.LimitSearch;
import io.brokermeter.analysis.limit.LimitSearch.End;
import io.brokermeter.analysis.limit.LimitSearch.Outcome;
import io.brokermeter.analysis.limit.LimitSearch.Rules;
import io.brokermeter.analysis.limit.LimitSeries;
import io.brokermeter.analysis.limit.LimitWords;
import io.brokermeter.analysis.limit.SeriesWords;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.Shell;
import io.brokermeter.trials.sweep.LimitRequest.Along;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the highest load that meets goals. The plan grows: which trial follows depends on those before. Trials of the search are one
 * experiment, a long trial at the lower end of the interval is another; one that fails is followed by a further experiment of the search. At the end
 * come trials below the limit. Where a limit is searched at each of several values, there is an experiment for each, and nothing else. Leaves {@code limit.md} and {@code limit.json} beside the tables. Used by one thread.
 */
public final class LimitTrials implements SweepPurpose {

    /** The goal when the user names none. */
    public static final String GOAL = "response.p99 < 50ms";
    private static final String SEND_GOAL = "send.p99 < 50ms";

    private static final String SEARCH = "limit-";
    private static final String CONFIRMATION = "confirmation-";
    private static final String CURVE = "below-the-limit";
    private static final double[] PARTS = {0.25, 0.5, 0.75, 0.9, 0.95};
    /** The number of trials that a long one which fails counts as. */
    private static final int WEIGHT = 5;
    private static final int CONFIRMATIONS = 2;
    /** The number of steps in which what is believed is told. */
    private static final int POINTS = 60;

    private final LimitRequest request;
    /** The text of a scenario file from which all trials are made. */
    private final String text;
    /** The goals that the text lacks. */
    private final List<String> added;
    private final SweepPurpose reports;
    /** The experiment as it was read, in which errors have their lines; null for the rest of a search. */
    private final @Nullable Experiment read;
    private final long began = System.nanoTime();
    /** The trials that are done, by their directories. */
    private final TriedLoads tried;
    private int trials;
    /** The first value whose search went on since this process began. */
    private int firstValue = Integer.MAX_VALUE;
    private String json = "";
    private boolean found;

    private LimitTrials(LimitRequest request, String text, List<String> added, SweepPurpose reports, @Nullable Experiment read) {
        this.request = request;
        this.text = text;
        this.added = added;
        this.reports = reports;
        this.read = read;
        this.tried = new TriedLoads(request);
    }

    /**
     * Creates the trials of a file that asks for a search.
     *
     * @param experiment the experiment of the file
     * @param reports writes what the user asked for when the search is over
     */
    public static LimitTrials of(Experiment experiment, SweepPurpose reports) {
        Scenario scenario = experiment.trials().getFirst().workload().scenario();
        List<String> goals = scenario.thresholds().stream().map(Threshold::text).toList();
        List<String> added = !goals.isEmpty() ? List.of() : List.of(scenario.receives() ? GOAL : SEND_GOAL);
        return new LimitTrials(LimitRequest.of(Objects.requireNonNull(experiment.search()), goals.isEmpty() ? added : goals),
            experiment.yaml(), added, reports, experiment);
    }

    /**
     * Returns the rest of a search that was interrupted, or ran out of time.
     *
     * @param time the time that the rest may take; null for the time of the whole
     * @throws UsageException when the directory has no search
     */
    public static LimitTrials rest(SweepFiles files, @Nullable Duration time) {
        SweepDocument.Question kept = files.comparison();
        if (kept == null || kept.limit() == null) {
            throw new UsageException(
                files.directory() + " has nothing that search began; sweeps of run go on with: brokermeter run --resume "
                    + Shell.quoted(files.directory().toString()));
        }
        LimitRequest request = LimitRequest.of(kept.limit()).within(time);
        return new LimitTrials(request, files.experiments().getFirst().yaml(), List.of(), SweepPurpose.TABLES, null);
    }

    /** Returns whether a directory has trials that {@code search} began. */
    public static boolean isIn(Path directory) {
        SweepDocument.Question kept = StoredSweep.isSweep(directory) ? SweepFiles.open(directory).comparison() : null;
        return kept != null && kept.limit() != null;
    }

    /**
     * Runs the search from the beginning and returns the exit status.
     *
     * @param sources the files that the user named
     * @param dryRun whether to print only what would be run
     * @throws UsageException for what the user must change; nothing was started
     */
    public int begin(List<Path> sources, RunFiles places, SweepRun.Settings settings, boolean dryRun) throws IOException {
        try {
            return SweepRun.begin(List.of(experiment(name(0), List.of(request.text(request.rules().start())), List.of())), sources, places,
                settings, this, dryRun);
        } catch (UsageException ofTheFirstTrial) {
            // That trial was made from text without the lines of the user's files: an error that the user's own have as well names them.
            if (read != null) {
                SweepPlan.of(List.of(read), settings.drivers(), settings.password(), settings.owned());
            }
            throw ofTheFirstTrial;
        }
    }

    /** Returns the name of the experiment of a search, by the index of its value. */
    private String name(int value) {
        return prefix(value) + SEARCH + 1;
    }

    private String prefix(int value) {
        Along along = request.along();
        return along == null ? "" : along.values().get(value) + " " + along.quantity().words() + " ";
    }

    private Experiment experiment(String name, List<String> loads, List<String> more) {
        List<String> sets = new ArrayList<>(List.of("name=" + name, "order=listed", "repeat=1", "search=null",
            "sweep={" + request.quantity().key() + ": [" + String.join(", ", loads) + "]}"));
        sets.addAll(more);
        Along along = request.along();
        if (along != null) {
            sets.add(along.quantity().key() + "=" + along.values().get(value(name)));
        }
        return ScenarioFile.read(text, name, Path.of(""), new Changes(sets, true).keeping(added));
    }

    /** Returns the index of the value that an experiment is about; 0 where there are none. */
    private int value(String experiment) {
        return IntStream.range(0, values()).filter(i -> experiment.startsWith(prefix(i))).findFirst().orElse(0);
    }

    /** Returns the number of searches. */
    private int values() {
        Along along = request.along();
        return along == null ? 1 : along.values().size();
    }

    @Override
    public boolean mayEndEarly() {
        return true;
    }

    @Override
    public int most(int planned) {
        return Math.max(planned,
            values() * request.rules().trials() + (request.confirmation().isZero() ? 0 : 1) + (request.curve() ? PARTS.length : 0));
    }

    /** Returns false: a trial that measured the generator moves nothing. */
    @Override
    public boolean needsValidTrials() {
        return false;
    }

    /** Returns false: to miss a goal is what a trial of a search is for. */
    @Override
    public boolean gatesThresholds() {
        return false;
    }

    /** Returns true: a run that fails is one of too high a load. */
    @Override
    public boolean isUsable(StoredResult failed) {
        return true;
    }

    @Override
    public boolean tellsEvents() {
        return false;
    }

    @Override
    public String command() {
        return "search";
    }

    @Override
    public SweepDocument.Question kept() {
        return SweepDocument.Question.of(request.kept());
    }

    @Override
    public boolean isEnough(Path directory, PrintStream out) {
        trials++;
        List<StoredTrial> done = StoredSweep.read(directory).trials();
        int value = value(done.stream().filter(StoredTrial::isDone).toList().getLast().experiment());
        LimitAnswer now = answer(done, value);
        if (now.confirmations().isEmpty() && now.curve().isEmpty()) {
            out.println(prefix(value).isEmpty() ? LimitWords.belief(now) : prefix(value).strip() + ": " + LimitWords.belief(now));
        }
        Duration time = request.time();
        if (time != null && left(time).isNegative()) {
            out.println("The time is up after " + Counted.of(trials, "trial") + ".");
            return true;
        }
        return false;
    }

    /** Returns how much of a time is left after one more trial of the usual length; negative where it is not. */
    private Duration left(Duration time) {
        long nanos = System.nanoTime() - began;
        return time.minusNanos(nanos + nanos / Math.max(1, trials));
    }

    @Override
    public @Nullable List<Experiment> following(Path directory) {
        List<StoredTrial> done = StoredSweep.read(directory).trials();
        List<Experiment> experiments = new ArrayList<>();
        List<String> names = done.stream().map(StoredTrial::experiment).distinct().toList();
        for (String name : names) {
            experiments.add(experiment(name, loads(done, name), length(name)));
        }
        String current = names.getLast();
        int value = value(current);
        LimitSearch search = search(done, value);
        End end = search.end();
        if (request.along() != null) {
            if (end != null || isShareUsed(value)) {
                return value + 1 < values() ? with(experiments, done, name(value + 1), search(done, value + 1)) : null;
            }
            experiments.removeLast();
            return with(experiments, done, current, search);
        }
        if (current.equals(CURVE)) {
            return null;
        }
        long confirmed = names.stream().filter(name -> name.startsWith(CONFIRMATION)).count();
        boolean failed = current.startsWith(CONFIRMATION) && tried.of(done.getLast()).outcome() == Outcome.FAILED;
        if (current.startsWith(SEARCH) && end == null || failed && confirmed < CONFIRMATIONS) {
            if (!failed) {
                experiments.removeLast();
            }
            return with(experiments, done, failed ? SEARCH + (confirmed + 1) : current, search);
        }
        if (!search.hasLimit() || end == End.NOT_VALID) {
            return null;
        }
        Duration time = request.time();
        boolean fits = time == null || left(time).compareTo(request.confirmation()) >= 0;
        if (current.startsWith(SEARCH) && !request.confirmation().isZero() && confirmed < CONFIRMATIONS && fits) {
            String name = CONFIRMATION + (confirmed + 1);
            experiments.add(experiment(name, List.of(request.text(lower(search))), length(name)));
            return experiments;
        }
        double limit = search.limit().estimate();
        List<String> loads =
            Arrays.stream(PARTS).mapToObj(part -> request.text(Math.clamp(limit * part, request.rules().least(), request.rules().most())))
                .distinct().toList();
        experiments.add(experiment(CURVE, loads, List.of()));
        return experiments;
    }

    /** Returns experiments, and behind them one with its trials that are done and the next trial of its search. */
    private List<Experiment> with(List<Experiment> experiments, List<StoredTrial> done, String name, LimitSearch search) {
        experiments.add(experiment(name,
            Stream.concat(loads(done, name).stream(), Stream.of(request.text(search.next()))).toList(), List.of()));
        return experiments;
    }

    /** Returns whether the search at a value has had its share of the time, so that others get theirs. */
    private boolean isShareUsed(int value) {
        Duration time = request.time();
        firstValue = Math.min(firstValue, value);
        return time != null && left(time.multipliedBy(value + 1 - firstValue).dividedBy(values() - firstValue)).isNegative();
    }

    private double lower(LimitSearch search) {
        double low = Math.clamp(search.limit().low(), request.rules().least(), request.rules().most());
        return request.rules().whole() ? Math.max(1, Math.floor(low)) : low;
    }

    private List<String> length(String name) {
        return name.startsWith(CONFIRMATION) ? List.of("duration=" + request.confirmation().toSeconds() + "s") : List.of();
    }

    private List<String> loads(List<StoredTrial> all, String experiment) {
        return all.stream().filter(trial -> trial.experiment().equals(experiment)).map(tried::load).toList();
    }

    /** Returns the search at a value after all of its trials that are done, in their order. */
    private LimitSearch search(List<StoredTrial> done, int value) {
        LimitSearch search = new LimitSearch(rules(done, value));
        for (StoredTrial trial : done) {
            if (!trial.isDone()) {
                continue;
            }
            if (trial.experiment().startsWith(prefix(value) + SEARCH)) {
                search.add(tried.of(trial).load(), tried.of(trial).outcome());
            } else if (trial.experiment().startsWith(CONFIRMATION) && tried.of(trial).outcome() != Outcome.NOT_VALID) {
                search.confirm(tried.of(trial).load(), tried.of(trial).outcome() == Outcome.HELD, WEIGHT);
            }
        }
        return search;
    }

    /** Returns the rules of the search at a value, which begins where the one before it found the limit. */
    private Rules rules(List<StoredTrial> done, int value) {
        Rules rules = request.rules();
        if (value == 0) {
            return rules;
        }
        LimitSearch before = search(done, value - 1);
        return before.hasLimit() ? rules.from(Math.clamp(before.limit().estimate(), rules.least(), rules.most())) : rules;
    }

    private LimitAnswer answer(List<StoredTrial> all, int value) {
        List<StoredTrial> done = all.stream().filter(StoredTrial::isDone).toList();
        LimitSearch search = search(done, value);
        return new LimitAnswer(request.quantity(), goals(), search.hasLimit() ? search.limit() : null, search.spread(), search.end(),
            tried(done, prefix(value) + SEARCH), tried(done, CONFIRMATION), tried(done, CURVE),
            search.hasLimit() ? posterior(search) : List.of());
    }

    /** Returns the limits at the values at which a search has begun. */
    private LimitSeries series(List<StoredTrial> done, Along along) {
        return LimitSeries.of(along.quantity(), along.counts(), IntStream.range(0, values())
            .filter(i -> done.stream().anyMatch(trial -> trial.isDone() && trial.experiment().startsWith(prefix(i))))
            .mapToObj(i -> new LimitSeries.At(along.values().get(i), answer(done, i))).toList());
    }

    /** Returns what is believed from somewhat below the interval to somewhat above it. */
    private static List<Believed> posterior(LimitSearch search) {
        double low = search.limit().low() * 0.95;
        double step = Math.log(search.limit().high() * 1.05 / low) / POINTS;
        return IntStream.rangeClosed(0, POINTS).mapToDouble(i -> low * Math.exp(i * step))
            .mapToObj(load -> new Believed(load, 1 - search.below(load))).toList();
    }

    private List<String> goals() {
        return Stream.concat(request.goals().stream(), Stream.of(TriedLoads.ALWAYS, TriedLoads.RATE_KEPT)).toList();
    }

    private List<Tried> tried(List<StoredTrial> done, String experiment) {
        return done.stream().filter(trial -> trial.experiment().startsWith(experiment)).map(tried::of).toList();
    }

    @Override
    public @Nullable String conclusion(Path directory) throws IOException {
        List<StoredTrial> done = StoredSweep.read(directory).trials();
        Along along = request.along();
        String words;
        if (along == null) {
            LimitAnswer answer = answer(done, 0);
            words = LimitWords.text(answer);
            json = LimitJson.text(answer);
            found = LimitJson.isFound(answer);
        } else {
            LimitSeries series = series(done, along);
            words = SeriesWords.text(series);
            json = LimitJson.text(series);
            found =
                series.limits().size() == values() && series.limits().stream().map(LimitSeries.At::answer).allMatch(LimitJson::isFound);
        }
        RunDirectory.write(directory.resolve("limit.md"), words);
        RunDirectory.write(directory.resolve(StoredSweep.LIMIT), json);
        return words;
    }

    @Override
    public void report(Path directory, PrintStream out) throws IOException {
        reports.report(directory, out);
    }

    /** Returns 1 when a limit was not found, or the generator was the limit. */
    @Override
    public int status(PrintStream err) {
        return found ? 0 : 1;
    }

    /** Returns the answer as JSON; empty before the end. */
    public Optional<String> json() {
        return json.isEmpty() ? Optional.empty() : Optional.of(json);
    }
}
