package io.brokermeter.analysis.statistics;

/**
 * An estimate with an interval that covers the true value with at least a given probability.
 *
 * @param estimate the estimate, between {@code low} and {@code high}
 * @param low the lower end
 * @param high the upper end
 * @param confidence the requested probability, such as 0.95
 */
public record ConfidenceInterval(double estimate, double low, double high, double confidence) {

    /** Converts an interval of a logarithm to one of the number itself, which turns a difference into a ratio. */
    public ConfidenceInterval exp() {
        return new ConfidenceInterval(Math.exp(estimate), Math.exp(low), Math.exp(high), confidence);
    }

    /** Returns this interval with another probability, the one with which it covers the true value in the way it came about. */
    public ConfidenceInterval covering(double probability) {
        return new ConfidenceInterval(estimate, low, high, probability);
    }

    /** Returns the interval multiplied by {@code factor}. */
    public ConfidenceInterval times(double factor) {
        return new ConfidenceInterval(estimate * factor, low * factor, high * factor, confidence);
    }

    /** Returns whether a value is outside of the interval. */
    public boolean excludes(double value) {
        return value < low || value > high;
    }

    /** Returns whether the interval lies within another one, ends included. */
    public boolean isWithin(double least, double most) {
        return low >= least && high <= most;
    }
}
