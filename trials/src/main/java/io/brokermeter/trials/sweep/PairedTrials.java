package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.ComparisonJson;
import io.brokermeter.analysis.ComparisonText;
import io.brokermeter.analysis.ComparisonWords;
import io.brokermeter.analysis.FigureComparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.MeasuredTrial;
import io.brokermeter.analysis.Side;
import io.brokermeter.analysis.SideReader;
import io.brokermeter.analysis.StoppingRule;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.trials.Shell;
import io.brokermeter.trials.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * Compares two variants whose trials are interleaved, until the interval of their ratio is narrow enough, or the pairs or the time are used
 * up. Leaves {@code comparison.md} and {@code comparison.json} beside the tables. Used by one thread.
 */
public final class PairedTrials implements SweepPurpose {

    /** The number of trials in a row that do not count after which a variant is not measured any further. */
    private static final int FAILURES = 3;
    private static final int FAILED = 1;
    private static final String MARKDOWN = "comparison.md";

    private final List<String> variants;
    private final StoppingRule rule;
    /** The number of pairs that were measured before this process began. */
    private final int before;
    private final long began = System.nanoTime();
    private PairedOrder order;
    private @Nullable Comparison last;
    private int lookedAt;
    /** The reason why no more pairs are needed; empty as long as they are. */
    private String ended = "";
    /** The reason why the comparison is paused; empty when it is not. */
    private String paused = "";

    /**
     * @param experiment an experiment of two points
     * @param order the question. No further pair begins when, as far as that is known before, it would not end within the time of the order
     */
    public PairedTrials(Experiment experiment, PairedOrder order) {
        this(experiment, order, 0);
    }

    private PairedTrials(Experiment experiment, PairedOrder order, int before) {
        this.variants = List.of(variant(experiment, 0), variant(experiment, 1));
        this.order = order;
        this.rule = order.looks();
        this.before = before;
    }

    /**
     * Returns the rest of a comparison that was interrupted.
     *
     * @param files the files of the comparison
     * @param time the time that the rest may take; null for the time of the original order
     * @throws UsageException when the directory has no comparison, or one that is over
     */
    public static PairedTrials rest(SweepFiles files, @Nullable Duration time) {
        SweepDocument.Question all = files.comparison();
        SweepDocument.AskedPairs kept = all == null ? null : all.paired();
        if (kept == null) {
            throw new UsageException(
                files.directory() + " has no comparison that ab began; sweeps of run go on with: brokermeter run --resume "
                    + Shell.quoted(files.directory().toString()));
        }
        if (!kept.ended().isEmpty()) {
            throw new UsageException(
                "The comparison in " + files.directory() + " is over: " + kept.ended() + " Its answer is in "
                    + files.directory().resolve(MARKDOWN) + ".");
        }
        return new PairedTrials(files.experiments().getFirst(), PairedOrder.of(kept).within(time), files.done() / 2);
    }

    /** Returns whether a directory has a comparison that {@code ab} began. */
    public static boolean isIn(Path directory) {
        return StoredSweep.isSweep(directory) && StoredSweep.read(directory).isPaired();
    }

    /** Returns the conditions under which the command fails. */
    public List<Gate> gates() {
        return order.gates();
    }

    @Override
    public SweepDocument.Question kept() {
        return SweepDocument.Question.of(order.kept(ended, paused));
    }

    @Override
    public String command() {
        return "ab";
    }

    /**
     * Returns both halves of each pair that is not complete. A half that is done is measured again with the other one, since hours may lie
     * between them by now, so that they are no pair any more; a half that was cut off must not count beside the first half of the new pair.
     */
    @Override
    public List<SweepPlan.Step> again(SweepPlan plan, Predicate<SweepPlan.Step> done) {
        return plan.steps().stream().filter(step -> plan.steps().stream()
            .anyMatch(other -> other.trial().round() == step.trial().round() && !done.test(other))).toList();
    }

    private static String variant(Experiment experiment, int index) {
        return experiment.trials().stream().filter(trial -> trial.index() == index).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("There must be two variants")).point().toString();
    }

    @Override
    public boolean mayEndEarly() {
        return true;
    }

    @Override
    public boolean isEnough(Path directory, PrintStream out) {
        Comparison now = SideReader.variants(directory, variants.getFirst(), variants.getLast(), order.question());
        last = now;
        if (now == null || now.first().trials().size() != now.second().trials().size()) {
            return false;
        }
        for (Side side : List.of(now.first(), now.second())) {
            List<MeasuredTrial> trials = side.trials();
            Side newest = new Side(side.letter(), side.title(), trials.subList(Math.max(0, trials.size() - FAILURES), trials.size()));
            if (trials.size() >= FAILURES && newest.fit().isEmpty()) {
                ended =
                    side.letter() + " (" + side.title() + ") has " + FAILURES + " trials in a row that do not count (" + newest.leftOut()
                        + "), so it is not measured any further.";
                out.println(ended);
                return true;
            }
        }
        int rounds = now.first().trials().size();
        FigureComparison decisive = now.decisive();
        ConfidenceInterval ratio = decisive == null ? null : decisive.ratio();
        if (decisive != null && ratio != null && decisive.paired() && decisive.count() != lookedAt && rule.isLook(decisive.count())) {
            lookedAt = decisive.count();
            order = order.decidedBy(decisive.figure());
            boolean narrow = rule.isNarrow(ratio);
            out.println(String.format(Locale.ROOT, "After %d pairs: %s B/A %s, %s interval %s to %s, %s wide.%s", decisive.count(),
                decisive.figure().heading(), ComparisonWords.ratio(ratio.estimate()), ComparisonWords.percent(ratio.confidence()),
                ComparisonWords.ratio(ratio.low()), ComparisonWords.ratio(ratio.high()),
                ComparisonWords.percent(ratio.high() / ratio.low() - 1, rule.width()),
                narrow ? " That is narrow enough." : decisive.count() == rule.most() ? " No more pairs are measured." : ""));
            if (narrow) {
                ended = "After " + decisive.count() + " pairs the interval was narrow enough.";
                return true;
            }
        }
        if (decisive != null && decisive.lacksRatio() && rule.isLook(rounds) && rounds < rule.most() && !isAskedBesides(decisive)) {
            // No further pair would give it a ratio.
            ended = "After " + rounds + " pairs: " + ComparisonWords.zeros(decisive, now) + ", which has no ratio.";
            out.println(ended + " No more pairs are measured.");
            return true;
        }
        if (rounds == rule.most()) {
            ended = "All of its " + rounds + " pairs were measured.";
            return true;
        }
        long nanos = System.nanoTime() - began;
        Duration time = order.time();
        if (time != null && rounds > before && nanos + nanos / (rounds - before) > time.toNanos()) {
            paused = "The time was up after " + Counted.of(rounds, "pair") + ".";
            out.println("The time is up after " + Counted.of(rounds, "pair") + ".");
            return true;
        }
        return false;
    }

    /** Returns whether a gate applies to another figure as well, about which further pairs give more information. */
    private boolean isAskedBesides(FigureComparison decisive) {
        return gates().stream().anyMatch(gate -> !gate.figure().equals(decisive.figure()));
    }

    @Override
    public @Nullable String conclusion(Path directory) throws IOException {
        Comparison whole = SideReader.variants(directory, variants.getFirst(), variants.getLast(), order.question());
        last = whole;
        if (whole == null) {
            return null;
        }
        RunDirectory.write(directory.resolve(MARKDOWN), ComparisonText.markdown(List.of(whole)));
        RunDirectory.write(directory.resolve("comparison.json"), ComparisonJson.text(List.of(whole), gates()));
        return ComparisonText.text(List.of(whole), Terminal.isOutput() ? Terminal.columns() : 0);
    }

    /** Returns false: pairs that are not valid do not count, and others were measured in their place as far as that was possible. */
    @Override
    public boolean needsValidTrials() {
        return false;
    }

    @Override
    public int status(PrintStream err) {
        Comparison whole = last;
        int judged = whole == null ? FAILED : Gates.judged(List.of(whole), gates(), err);
        return judged == 0 && whole != null && whole.lacksValidTrials() ? RunResult.INVALID : judged;
    }

    /** Returns the comparison; empty as long as one variant has no trial. */
    public Optional<Comparison> comparison() {
        return Optional.ofNullable(last);
    }
}
