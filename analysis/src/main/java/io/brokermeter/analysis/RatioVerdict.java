package io.brokermeter.analysis;

import io.brokermeter.analysis.statistics.ConfidenceInterval;

/** What an interval of the ratio of two sides shows. */
public enum RatioVerdict {
    /** The second side has less: the interval excludes 1, and the estimate is beyond the least effect that counts. */
    LESS,
    /** The second side has more, in the same sense. */
    MORE,
    /** No difference that counts: the whole interval lies within the least effect. */
    SAME,
    /** Neither can be decided from these trials. */
    UNDECIDED;

    /**
     * Judges a ratio.
     *
     * @param ratio second to first
     * @param least the least effect that counts, such as 0.03; it is meant in both directions alike: 1.03 and 1/1.03
     */
    public static RatioVerdict of(ConfidenceInterval ratio, double least) {
        double most = 1 + least;
        if (ratio.isWithin(1 / most, most)) {
            return SAME;
        }
        if (ratio.excludes(1)) {
            if (ratio.estimate() <= 1 / most) {
                return LESS;
            }
            if (ratio.estimate() >= most) {
                return MORE;
            }
        }
        return UNDECIDED;
    }

    /** Whether a difference is claimed. */
    public boolean isDifference() {
        return this == LESS || this == MORE;
    }
}
