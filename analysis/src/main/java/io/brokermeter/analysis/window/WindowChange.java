package io.brokermeter.analysis.window;

import java.util.Comparator;
import java.util.List;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.WindowFit;
import org.jspecify.annotations.Nullable;

/**
 * A setting with another value to try.
 *
 * @param now the current value; NaN when it is not known
 * @param value the value to try
 */
public record WindowChange(WindowSetting setting, double now, String value) {

    /** The maximum number of changes to try. */
    public static final int MOST = 3;
    /** The factor between value and window beyond which a setting does not govern the window. */
    private static final double FURTHEST = 8;
    /** The factor that is assumed for a setting whose value is not known. */
    private static final double UNKNOWN = 3;

    /** Returns the changes worth trying after a fit, at most {@link #MOST}, those whose value is nearest to the window first. */
    public static List<WindowChange> worthTrying(List<WindowChange> all, WindowFit fit) {
        return all.stream().filter(change -> change.factor(fit) <= FURTHEST)
            .sorted(Comparator.comparingDouble(change -> Math.rint(Math.log(change.factor(fit)) / Math.log(2)))).limit(MOST).toList();
    }

    /** Returns the factor between the value and the window, at least 1; infinite for a setting that counts another unit. */
    private double factor(WindowFit fit) {
        ConfidenceInterval window = fit.window(setting.unit());
        if (window == null) {
            return Double.POSITIVE_INFINITY;
        }
        return Double.isNaN(now) ? UNKNOWN : Math.exp(Math.abs(Math.log(window.estimate() / now)));
    }

    /**
     * Returns the setting with its current value, {@code socketBufferSize (65,536)}; without the value when it is not known or when the
     * change is not a factor.
     */
    public String before() {
        return Double.isNaN(now) || !setting.change().startsWith("x") ? setting.name()
            : setting.name() + " (" + WindowWords.number(now) + ")";
    }

    /**
     * A change with the rate that was measured with it.
     *
     * @param rate messages per second; null for a trial without a result
     * @param gain ratio of this rate to that without the change; NaN where one of them is not known
     */
    public record Tried(WindowChange change, @Nullable Double rate, double gain) {

        /** Returns whether the effect of the change is known. */
        boolean isJudged() {
            return Double.isFinite(gain);
        }
    }
}
