package io.brokermeter.analysis;

import io.brokermeter.analysis.statistics.ConfidenceInterval;

/** The finding that the interval of the ratio of two sides supports. */
public enum RatioVerdict {
    /** The second side is lower: the interval excludes 1, and the estimate is beyond the least effect that counts. */
    LESS,
    /** The second side is higher: the interval excludes 1, and the estimate is beyond the least effect that counts. */
    MORE,
    /** No difference that counts: the whole interval lies within the least effect. */
    SAME,
    /** The trials decide neither. */
    UNDECIDED;

    /**
     * Judges a ratio.
     *
     * @param ratio ratio of the second side to the first
     * @param least the least effect that counts, such as 0.03; it applies to both directions alike: 1.03 and 1/1.03
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

    /** Returns whether a difference is claimed. */
    public boolean isDifference() {
        return this == LESS || this == MORE;
    }
}
