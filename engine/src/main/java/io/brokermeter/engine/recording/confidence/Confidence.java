package io.brokermeter.engine.recording.confidence;

/**
 * The interval in which the true value of a figure lies with 95 % confidence, in the unit of the figure.
 *
 * @param low lower end; NaN where the run is no evidence of the figure
 * @param high upper end; NaN likewise
 * @param episodes of a percentile, how many independent episodes of values beyond it the run had; NaN for a rate
 */
public record Confidence(double low, double high, double episodes) {

    /** What is known of a figure whose run was too short, or of an earlier version. */
    public static final Confidence UNKNOWN = new Confidence(Double.NaN, Double.NaN, Double.NaN);

    /** Returns whether there is an interval. */
    public boolean isKnown() {
        return Double.isFinite(low) && Double.isFinite(high);
    }

    /** Returns whether the run is no evidence of a percentile since too few episodes lie beyond it, however many samples do. */
    public boolean isTooFew() {
        return !isKnown() && Double.isFinite(episodes);
    }

    /** Returns the larger distance from the figure to an end of its interval; NaN where there is none. */
    public double halfWidth(double figure) {
        return Math.max(0, Math.max(high - figure, figure - low));
    }
}
