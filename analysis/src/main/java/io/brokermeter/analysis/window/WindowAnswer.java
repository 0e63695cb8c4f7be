package io.brokermeter.analysis.window;

import java.util.Comparator;
import java.util.List;

import io.brokermeter.analysis.statistics.RateOverDistance;
import io.brokermeter.analysis.statistics.WindowFit;
import io.brokermeter.analysis.window.WindowChange.Tried;
import org.jspecify.annotations.Nullable;

/**
 * What was found out about one side.
 *
 * @param protocol the protocol of the trials
 * @param broker the name of the broker, empty when it is not known
 * @param rates what was measured, in the order of the plan; trials without a result are missing
 * @param missing how many of those there are
 * @param fit what explains the rates; null when they are too few
 * @param at the point at which changes were tried
 * @param unchanged the rate there without a change; NaN when it is not known
 * @param tried the changes that were tried, in their order
 */
public record WindowAnswer(Side side, String protocol, String broker, List<Measured> rates, int missing, @Nullable WindowFit fit,
        FarTrial at,
        double unchanged, List<Tried> tried) {

    /** A change must raise the rate by this factor to be called the setting that governs it; trials are short and one of each. */
    public static final double GAIN = 1.3;

    /**
     * A trial with its rate.
     *
     * @param rate messages a second
     * @param number of the trial in its sweep, from 1; 0 where that is not known
     */
    public record Measured(FarTrial trial, double rate, int number) {

        public Measured(FarTrial trial, double rate) {
            this(trial, rate, 0);
        }

        /** What comes late from the warm-up may make it more than was asked for. */
        RateOverDistance forFit() {
            return new RateOverDistance(trial.roundTrip(), trial.size(), Math.min(rate, trial.most()), trial.most(), trial.seconds());
        }
    }

    public WindowAnswer {
        rates = List.copyOf(rates);
        tried = List.copyOf(tried);
    }

    /** What explains some rates; null when they are too few. */
    public static @Nullable WindowFit fit(List<Measured> rates) {
        List<RateOverDistance> all = rates.stream().filter(one -> one.rate() > 0).map(Measured::forFit).toList();
        long distances = all.stream().mapToDouble(RateOverDistance::roundTrip).distinct().count();
        return all.size() < WindowFit.FEWEST || distances < 2 ? null : WindowFit.of(all);
    }

    /** The change that raised the rate most; null when none raised it by {@link #GAIN}. Of equally good ones the first. */
    public @Nullable Tried governing() {
        double most = tried.stream().mapToDouble(Tried::gain).filter(Double::isFinite).max().orElse(0);
        return tried.stream().filter(one -> one.gain() >= GAIN && one.gain() >= 0.9 * most).findFirst().orElse(null);
    }

    /** Whether something limits this side by its distance. */
    public boolean isLimited() {
        return fit != null && fit.limit() != WindowFit.Limit.NOTHING;
    }

    /** Settings that may be the cause and that only a person can change. */
    public List<WindowSetting> others() {
        WindowFit found = fit;
        if (found == null || governing() != null) {
            return List.of();
        }
        return WindowSettings.of(side, protocol, broker).stream()
            .filter(row -> !row.canBeTried()
                || row.key().contains("broker.") && tried.stream().noneMatch(one -> one.change().setting().equals(row)))
            .filter(row -> found.window(row.unit()) != null).toList();
    }

    /** The trial over the longest distance with the smallest messages. */
    @Nullable Measured farthest() {
        return rates.stream()
            .max(Comparator.comparingDouble((Measured one) -> one.trial().roundTrip()).thenComparing(one -> -one.trial().size()))
            .orElse(null);
    }
}
