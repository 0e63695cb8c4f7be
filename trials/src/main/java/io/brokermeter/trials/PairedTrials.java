package io.brokermeter.trials;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.ComparisonJson;
import io.brokermeter.analysis.ComparisonText;
import io.brokermeter.analysis.ComparisonWords;
import io.brokermeter.analysis.FigureComparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.Looks;
import io.brokermeter.analysis.MeasuredTrial;
import io.brokermeter.analysis.Side;
import io.brokermeter.analysis.Sides;
import io.brokermeter.analysis.statistics.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.reports.RunDirectory;
import org.jspecify.annotations.Nullable;

/**
 * Two variants whose trials are interleaved, until the interval of their ratio is narrow, the pairs are used up, or the time is. Leaves
 * {@code comparison.md} and {@code comparison.json} beside the tables. Used by one thread.
 */
public final class PairedTrials implements Sweep.Purpose {

    /** A variant that fails so often in a row is not measured any further. */
    private static final int FAILURES = 3;
    private static final int FAILED = 1;

    private final List<String> variants;
    private final Looks looks;
    private final Comparison.Question question;
    private final List<Gate> gates;
    private final @Nullable Duration time;
    private final long began = System.nanoTime();
    private @Nullable Comparison last;
    private int lookedAt;

    /**
     * @param experiment of two points
     * @param question what is compared, with the confidence of the looks
     * @param gates what fails
     * @param time after which no further pair begins, as far as that can be told before; null for no limit
     */
    public PairedTrials(Experiment experiment, Looks looks, Comparison.Question question, List<Gate> gates, @Nullable Duration time) {
        this.variants = List.of(variant(experiment, 0), variant(experiment, 1));
        this.looks = looks;
        this.question = question;
        this.gates = List.copyOf(gates);
        this.time = time;
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
        Comparison now = Sides.variants(directory, variants.getFirst(), variants.getLast(), question);
        last = now;
        if (now == null || now.first().trials().size() != now.second().trials().size()) {
            return false;
        }
        for (Side side : List.of(now.first(), now.second())) {
            List<MeasuredTrial> trials = side.trials();
            if (trials.size() >= FAILURES
                && trials.subList(trials.size() - FAILURES, trials.size()).stream().allMatch(t -> t.unfit() != null)) {
                out.println(
                    side.letter() + " (" + side.title() + ") failed " + FAILURES + " times in a row, so it is not measured any further.");
                return true;
            }
        }
        int rounds = now.first().trials().size();
        FigureComparison decisive = now.decisive();
        Interval ratio = decisive == null ? null : decisive.ratio();
        if (decisive != null && ratio != null && decisive.paired() && decisive.count() != lookedAt && looks.isLook(decisive.count())) {
            lookedAt = decisive.count();
            boolean narrow = looks.isNarrow(ratio);
            out.println(String.format(Locale.ROOT, "After %d pairs: %s B/A %.3f, %s interval %.3f to %.3f, %s wide.%s", decisive.count(),
                decisive.figure().heading(), ratio.estimate(), ComparisonWords.percent(ratio.confidence()), ratio.low(), ratio.high(),
                ComparisonWords.percent(ratio.high() / ratio.low() - 1),
                narrow ? " That is narrow enough." : decisive.count() == looks.most() ? " No more pairs are measured." : ""));
            if (narrow) {
                return true;
            }
        }
        long nanos = System.nanoTime() - began;
        if (time != null && nanos + nanos / rounds > time.toNanos()) {
            out.println("The time is up after " + rounds + (rounds == 1 ? " pair." : " pairs."));
            return true;
        }
        return false;
    }

    @Override
    public @Nullable String conclusion(Path directory) throws IOException {
        Comparison whole = Sides.variants(directory, variants.getFirst(), variants.getLast(), question);
        last = whole;
        if (whole == null) {
            return null;
        }
        RunDirectory.write(directory.resolve("comparison.md"), ComparisonText.markdown(List.of(whole)));
        RunDirectory.write(directory.resolve("comparison.json"), ComparisonJson.text(List.of(whole), gates));
        return ComparisonText.text(List.of(whole), Terminal.isOutput() ? Terminal.columns() : 0);
    }

    @Override
    public int status(PrintStream err) {
        Comparison whole = last;
        return whole == null ? FAILED : judged(List.of(whole), gates, err);
    }

    /** What it came to; empty as long as one variant has no trial. */
    public Optional<Comparison> comparison() {
        return Optional.ofNullable(last);
    }

    /** The exit status that gates make of comparisons; says which of them do not simply pass. */
    public static int judged(List<Comparison> comparisons, List<Gate> gates, PrintStream err) {
        int status = 0;
        for (Comparison comparison : comparisons) {
            for (Gate gate : gates) {
                Gate.Outcome outcome = gate.of(comparison);
                if (outcome != Gate.Outcome.PASSED) {
                    err.println("--fail-if " + gate.sentence(comparison));
                }
                status = switch (outcome) {
                    case FAILED -> RunResult.THRESHOLD_MISSED;
                    case UNKNOWN -> status == RunResult.THRESHOLD_MISSED ? RunResult.THRESHOLD_MISSED : FAILED;
                    case PASSED, UNCERTAIN -> status;
                };
            }
        }
        return status;
    }
}
