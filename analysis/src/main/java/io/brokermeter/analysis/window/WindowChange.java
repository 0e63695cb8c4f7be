package io.brokermeter.analysis.window;

import java.util.Comparator;
import java.util.List;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.WindowFit;
import org.jspecify.annotations.Nullable;

/**
 * A setting with another value, to be tried.
 *
 * @param now what it is before; NaN when nobody knows
 * @param value what is tried
 */
public record WindowChange(WindowSetting setting, double now, String value) {

    /** How many are tried at most. */
    public static final int MOST = 3;
    /** A setting whose value is further from the window than this factor does not govern it. */
    private static final double FURTHEST = 8;
    /** So far from the window counts what nobody knows. */
    private static final double UNKNOWN = 3;

    /** What is worth trying after a fit, what is nearest to the window first, at most {@link #MOST}. */
    public static List<WindowChange> worthTrying(List<WindowChange> all, WindowFit fit) {
        return all.stream().filter(change -> change.factor(fit) <= FURTHEST)
            .sorted(Comparator.comparingDouble(change -> Math.rint(Math.log(change.factor(fit)) / Math.log(2)))).limit(MOST).toList();
    }

    /** By what its value and the window differ, from 1; infinite where it counts something else. */
    private double factor(WindowFit fit) {
        ConfidenceInterval window = fit.window(setting.unit());
        if (window == null) {
            return Double.POSITIVE_INFINITY;
        }
        return Double.isNaN(now) ? UNKNOWN : Math.exp(Math.abs(Math.log(window.estimate() / now)));
    }

    /** The setting as it is now, {@code socketBufferSize=65536}; without the value when nobody knows it. */
    public String before() {
        return Double.isNaN(now) || !setting.change().startsWith("x") ? setting.name()
            : setting.name() + " (" + WindowWords.number(now) + ")";
    }

    /**
     * A rate with this change.
     *
     * @param rate messages a second; null for a trial that came to nothing
     * @param gain the rate to that without the change; NaN where one of them is not known
     */
    public record Tried(WindowChange change, @Nullable Double rate, double gain) {

        /** Whether it is known what the change does. */
        boolean isJudged() {
            return Double.isFinite(gain);
        }
    }
}
