package io.brokermeter.trials;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
import io.brokermeter.analysis.limit.LimitWords;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.scenario.Counted;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.TableColumn;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the highest load that meets goals. The plan grows: which trial follows depends on those before. Trials of the search are one
 * experiment, a long trial at the lower end of the interval is another; one that fails is followed by a further experiment of the search. At the end
 * come trials below the limit. Leaves {@code limit.md} and {@code limit.json} beside the tables. Used by one thread.
 */
public final class LimitTrials implements SweepPurpose {

    /** The goal when the user names none. */
    public static final String GOAL = "response.p99 < 50ms";
    /** The conditions that every load must meet beside its goals. */
    private static final String ALWAYS = "nothing lost or failed";
    private static final String RATE_KEPT = "the rate kept";

    private static final String KEPT = "limit";
    private static final String SEARCH = "limit-";
    private static final String CONFIRMATION = "confirmation-";
    private static final String CURVE = "below-the-limit";
    private static final double[] PARTS = {0.25, 0.5, 0.75, 0.9, 0.95};
    /** The number of trials that a long one which fails counts as. */
    private static final int WEIGHT = 5;
    private static final int CONFIRMATIONS = 2;
    /** The number of steps in which what is believed is told. */
    private static final int POINTS = 60;
    /** The result of a run that missed its rate. */
    private static final String RATE_MISSED = "rate missed";

    private final LimitRequest request;
    /** The text of a scenario file from which all trials are made. */
    private final String text;
    private final Path base;
    /** Whether the text has the goals, as that of a search which goes on has. */
    private final boolean goalsKnown;
    private final long began = System.nanoTime();
    /** The trials that are done, by their directories. */
    private final Map<Path, Tried> known = new HashMap<>();
    private int trials;
    private @Nullable LimitAnswer last;

    private LimitTrials(LimitRequest request, String text, Path base, boolean goalsKnown) {
        this.request = request;
        this.text = text;
        this.base = base;
        this.goalsKnown = goalsKnown;
    }

    /**
     * Creates the trials of a search.
     *
     * @param text text of a scenario file of one point, whose load the search replaces
     * @param base directory from which its relative paths start
     */
    public static LimitTrials of(LimitRequest request, String text, Path base) {
        return new LimitTrials(request, text, base, false);
    }

    /**
     * Returns the rest of a search that was interrupted, or ran out of time.
     *
     * @param time the time that the rest may take; null for the time of the whole
     * @throws UsageException when the directory has no search
     */
    public static LimitTrials rest(SweepFiles files, @Nullable Duration time) {
        if (!isIn(files.comparison())) {
            throw new UsageException(
                files.directory() + " has nothing that search began; sweeps of run go on with: brokermeter run --resume "
                    + Shell.quoted(files.directory().toString()));
        }
        LimitRequest request = LimitRequest.of(JsonText.map(files.comparison().get(KEPT))).within(time);
        return new LimitTrials(request, files.experiments().getFirst().yaml(), files.directory(), true);
    }

    /** Returns whether a directory has trials that {@code search} began. */
    public static boolean isIn(Path directory) {
        return StoredSweep.isSweep(directory) && isIn(SweepFiles.open(directory).comparison());
    }

    static boolean isIn(Map<String, @Nullable Object> kept) {
        return kept.containsKey(KEPT);
    }

    /**
     * Returns the experiment with the first trial.
     *
     * @throws UsageException for what the user must change
     */
    public Experiment first() {
        return experiment(SEARCH + 1, List.of(request.text(request.rules().start())), List.of());
    }

    private Experiment experiment(String name, List<String> loads, List<String> more) {
        List<String> sets = new ArrayList<>(List.of("name=" + name, "order=listed", "repeat=1",
            "sweep={" + request.quantity().key() + ": [" + String.join(", ", loads) + "]}"));
        sets.addAll(more);
        Changes changes = new Changes(sets, true);
        return ScenarioFile.read(text, name, base, goalsKnown ? changes : changes.keeping(request.goals()));
    }

    @Override
    public boolean mayEndEarly() {
        return true;
    }

    @Override
    public int most(int planned) {
        return Math.max(planned,
            request.rules().trials() + (request.confirmation().isZero() ? 0 : 1) + (request.curve() ? PARTS.length : 0));
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
    public Map<String, @Nullable Object> kept() {
        return Map.of(KEPT, request.values());
    }

    @Override
    public boolean isEnough(Path directory, PrintStream out) {
        trials++;
        LimitAnswer now = answer(directory, search(directory));
        last = now;
        if (now.confirmations().isEmpty() && now.curve().isEmpty()) {
            out.println(LimitWords.belief(now));
        }
        Duration time = request.time();
        long nanos = System.nanoTime() - began;
        if (time != null && nanos + nanos / trials > time.toNanos()) {
            out.println("The time is up after " + Counted.of(trials, "trial") + ".");
            return true;
        }
        return false;
    }

    @Override
    public @Nullable List<Experiment> following(Path directory) {
        List<StoredTrial> done = StoredSweep.read(directory).trials();
        LimitSearch search = search(directory);
        List<Experiment> experiments = new ArrayList<>();
        List<String> names = done.stream().map(StoredTrial::experiment).distinct().toList();
        for (String name : names) {
            experiments.add(experiment(name, loads(done, name), length(name)));
        }
        String current = names.getLast();
        End end = search.end();
        if (current.equals(CURVE)) {
            return null;
        }
        long confirmed = names.stream().filter(name -> name.startsWith(CONFIRMATION)).count();
        boolean failed = current.startsWith(CONFIRMATION) && tried(done.getLast()).outcome() == Outcome.FAILED;
        if (current.startsWith(SEARCH) && end == null || failed && confirmed < CONFIRMATIONS) {
            String next = request.text(search.next());
            String name = failed ? SEARCH + (confirmed + 1) : current;
            if (!failed) {
                experiments.removeLast();
            }
            experiments.add(experiment(name, Stream.concat(loads(done, name).stream(), Stream.of(next)).toList(), List.of()));
            return experiments;
        }
        if (!search.isBracketed() || end == End.NOT_VALID) {
            return null;
        }
        if (current.startsWith(SEARCH) && !request.confirmation().isZero() && confirmed < CONFIRMATIONS) {
            String name = CONFIRMATION + (confirmed + 1);
            experiments.add(experiment(name, List.of(request.text(lower(search))), length(name)));
            return experiments;
        }
        if (!request.curve()) {
            return null;
        }
        double limit = search.limit().estimate();
        List<String> loads = Arrays.stream(PARTS).mapToObj(part -> request.text(Math.max(request.rules().least(), limit * part)))
            .distinct().toList();
        experiments.add(experiment(CURVE, loads, List.of()));
        return experiments;
    }

    private double lower(LimitSearch search) {
        double low = Math.max(request.rules().least(), search.limit().low());
        return request.rules().whole() ? Math.max(1, Math.floor(low)) : low;
    }

    private List<String> length(String name) {
        return name.startsWith(CONFIRMATION) ? List.of("duration=" + request.confirmation().toSeconds() + "s") : List.of();
    }

    private List<String> loads(List<StoredTrial> all, String experiment) {
        return all.stream().filter(trial -> trial.experiment().equals(experiment)).map(this::load).toList();
    }

    private String load(StoredTrial trial) {
        return String.valueOf(trial.point().get(request.quantity().key()));
    }

    /** Returns the search after all trials that are done, in their order. */
    private LimitSearch search(Path directory) {
        LimitSearch search = new LimitSearch(request.rules());
        for (StoredTrial trial : StoredSweep.read(directory).trials()) {
            if (!trial.isDone()) {
                continue;
            }
            Tried tried = tried(trial);
            if (trial.experiment().startsWith(SEARCH)) {
                search.add(tried.load(), tried.outcome());
            } else if (trial.experiment().startsWith(CONFIRMATION) && tried.outcome() != Outcome.NOT_VALID) {
                search.confirm(tried.load(), tried.outcome() == Outcome.HELD, WEIGHT);
            }
        }
        return search;
    }

    /** Returns what a trial came to; one that is done is read once, since its files do not change. */
    private Tried tried(StoredTrial trial) {
        return trial.isDone() ? known.computeIfAbsent(trial.directory(), _ -> read(trial)) : read(trial);
    }

    private Tried read(StoredTrial trial) {
        double load = LimitRequest.load(load(trial));
        StoredResult result = StoredRun.resultIn(trial.directory()).orElse(null);
        if (result == null) {
            return new Tried(trial.number(), load, Outcome.NOT_VALID, List.of(), trial.causes(), Double.NaN, Double.NaN, Double.NaN,
                Double.NaN, "response");
        }
        List<String> missed = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        result.thresholds().stream().filter(StoredResult.StoredThreshold::isMissed).forEach(one -> missed.add(one.expression()));
        result.findings().stream().filter(StoredResult.StoredFinding::failure).filter(finding -> !isAsked(finding)).forEach(finding -> {
            missed.add(finding.kind().equals(Finding.kind(Finding.RateMissed.class)) ? RATE_KEPT : ALWAYS);
            reasons.add(finding.sentence());
        });
        boolean rateMissed = RATE_MISSED.equals(result.values().get("result"));
        if (rateMissed) {
            missed.add(RATE_KEPT);
        }
        // A rate that was missed through the generator, and a goal that its stalls decide, say nothing about the broker.
        boolean valid = !result.isInvalid();
        if (!valid || rateMissed) {
            reasons.addAll(result.doubts());
        }
        String time = result.samples("response") > 0 ? "response" : "send";
        return new Tried(trial.number(), load, !valid ? Outcome.NOT_VALID : missed.isEmpty() ? Outcome.HELD : Outcome.FAILED,
            missed.stream().distinct().toList(), reasons, TableColumn.RECEIVED.of(result), result.micros(time, "p50"),
            result.micros(time, "p99"), result.micros(time, "p99.9"), time);
    }

    /** Returns whether a goal of the user's own decides about what a failure is about. */
    private boolean isAsked(StoredResult.StoredFinding finding) {
        String kind = finding.kind().toLowerCase(Locale.ROOT);
        return request.goals().stream().map(goal -> goal.toLowerCase(Locale.ROOT)).anyMatch(goal -> kind.contains("failed")
            ? goal.startsWith("failed") || goal.startsWith("success")
            : (kind.contains("lost") || kind.contains("left") || kind.contains("undelivered")) && goal.startsWith("lost"));
    }

    private LimitAnswer answer(Path directory, LimitSearch search) {
        List<StoredTrial> done = StoredSweep.read(directory).trials().stream().filter(StoredTrial::isDone).toList();
        return LimitAnswer.of(its -> {
            its.quantity = request.quantity();
            its.goals = goals();
            its.limit = search.isBracketed() ? search.limit() : null;
            its.spread = search.spread();
            its.end = search.end();
            its.trials = tried(done, SEARCH);
            its.confirmations = tried(done, CONFIRMATION);
            its.curve = tried(done, CURVE);
            its.posterior = search.isBracketed() ? posterior(search) : List.of();
        });
    }

    /** Returns what is believed from somewhat below the interval to somewhat above it. */
    private static List<Believed> posterior(LimitSearch search) {
        double low = search.limit().low() * 0.95;
        double step = Math.log(search.limit().high() * 1.05 / low) / POINTS;
        return IntStream.rangeClosed(0, POINTS).mapToDouble(i -> low * Math.exp(i * step))
            .mapToObj(load -> new Believed(load, 1 - search.below(load))).toList();
    }

    private List<String> goals() {
        return Stream.concat(request.goals().stream(), Stream.of(ALWAYS, RATE_KEPT)).toList();
    }

    private List<Tried> tried(List<StoredTrial> done, String experiment) {
        return done.stream().filter(trial -> trial.experiment().startsWith(experiment)).map(this::tried).toList();
    }

    @Override
    public @Nullable String conclusion(Path directory) throws IOException {
        LimitAnswer answer = answer(directory, search(directory));
        last = answer;
        String words = LimitWords.text(answer);
        RunDirectory.write(directory.resolve("limit.md"), words);
        RunDirectory.write(directory.resolve("limit.json"), LimitJson.text(answer));
        return words;
    }

    /** Returns 1 when no limit was found, or the generator was the limit. */
    @Override
    public int status(PrintStream err) {
        LimitAnswer answer = last;
        return answer == null || answer.limit() == null || answer.end() == End.NOT_VALID ? 1 : 0;
    }

    /** Returns the answer as JSON; empty before the end. */
    public Optional<String> json() {
        return last == null ? Optional.empty() : Optional.of(LimitJson.text(last));
    }
}
