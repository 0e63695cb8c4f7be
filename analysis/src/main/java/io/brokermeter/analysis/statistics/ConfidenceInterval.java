package io.brokermeter.analysis.statistics;

/**
 * An estimate and an interval that covers the true value with at least a given probability.
 *
 * @param estimate between {@code low} and {@code high}
 * @param low the lower end
 * @param high the upper end
 * @param confidence the probability asked for, such as 0.95
 */
public record ConfidenceInterval(double estimate, double low, double high, double confidence) {

    /** Of logarithms, as that of the numbers themselves: a difference becomes a ratio. */
    public ConfidenceInterval exp() {
        return new ConfidenceInterval(Math.exp(estimate), Math.exp(low), Math.exp(high), confidence);
    }

    /** The same in another unit, of which there are {@code factor} in one of this. */
    public ConfidenceInterval times(double factor) {
        return new ConfidenceInterval(estimate * factor, low * factor, high * factor, confidence);
    }

    /** Whether a value is outside of it. */
    public boolean excludes(double value) {
        return value < low || value > high;
    }

    /** Whether it is inside of another one, ends included. */
    public boolean isWithin(double least, double most) {
        return low >= least && high <= most;
    }
}
