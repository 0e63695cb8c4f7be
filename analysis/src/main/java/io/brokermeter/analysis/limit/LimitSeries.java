package io.brokermeter.analysis.limit;

import java.util.List;

import io.brokermeter.analysis.limit.LimitAnswer.Quantity;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.ScalingFit;
import org.jspecify.annotations.Nullable;

/**
 * The limits that searches found at several values of another number. Immutable.
 *
 * @param along what has the values
 * @param limits the answers, from the smallest value to the greatest; those at the end of the values are missing where the time was up
 * @param fit how the limit depends on the value; null where too few limits are known, and where no law says it
 */
public record LimitSeries(Quantity along, List<At> limits, @Nullable ScalingFit fit) {

    /** The standard normal quantile that belongs to the confidence of the limits, 98 %. */
    private static final double QUANTILE = 2.3263;

    /** The answer at a value. */
    public record At(long value, LimitAnswer answer) {

        /** Returns the limit with its interval; null where it is not known. */
        @Nullable ConfidenceInterval limit() {
            return answer.limit();
        }
    }

    public LimitSeries {
        limits = List.copyOf(limits);
    }

    /**
     * Creates a series, with the fit of the law of scalability where that applies.
     *
     * @param counts whether the values count things that share the broker
     */
    public static LimitSeries of(Quantity along, boolean counts, List<At> limits) {
        List<At> known = limits.stream().filter(at -> at.limit() != null).toList();
        return new LimitSeries(along, limits, !counts || known.size() < ScalingFit.FEWEST ? null
            : ScalingFit.of(known.stream().mapToDouble(At::value).toArray(),
                known.stream().map(At::answer).map(LimitAnswer::limit).mapToDouble(one -> one == null ? Double.NaN : one.estimate())
                    .toArray(),
                known.stream().map(At::answer).map(LimitAnswer::limit)
                    .mapToDouble(one -> one == null ? Double.NaN : Math.log(one.high() / one.low()) / (2 * QUANTILE)).toArray()));
    }
}
