package io.brokermeter.cluster.clock;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The polygon of lines that pass between the points of two {@link ConvexHullBound}, relative to one moment: all values are relative to this moment and
 * to a base height.
 *
 * <p>For a slope b the line's height at the moment may be anything between L(b), the lowest line that touches the lower points, and U(b),
 * the highest that touches the upper ones. L is convex and U concave, both made of straight pieces that begin and end at the slopes of the
 * hulls' edges. So U - L is concave, its greatest value is at one of those slopes, and the extremes of all heights are at one of them or
 * where U meets L: the linear program with two variables is solved by evaluating each.
 *
 * @param low the lowest height of all lines at the moment, nanoseconds
 * @param high the greatest height of all lines at the moment, nanoseconds
 * @param leastSlope the least slope of all lines
 * @param mostSlope the greatest slope of all lines
 * @param height the height, at the moment, of a line in the middle of the polygon, nanoseconds
 * @param slope the slope of that line
 */
record FeasibleLines(double low, double high, double leastSlope, double mostSlope, double height, double slope) {

    /**
     * Computes the polygon from the hulls that both have made last ({@link ConvexHullBound#hull}).
     *
     * @return null if no line passes between the points
     */
    static @Nullable FeasibleLines between(ConvexHullBound lower, ConvexHullBound upper, double steepest) {
        int count = lower.slopeCount() + upper.slopeCount();
        double[] slopes = new double[count + 2];
        lower.slopes(slopes, 0);
        upper.slopes(slopes, lower.slopeCount());
        slopes[count] = -steepest;
        slopes[count + 1] = steepest;
        Arrays.sort(slopes);
        double least = Double.NaN;
        double most = Double.NaN;
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        double lastSlope = 0;
        double lastLow = 0;
        double lastHigh = 0;
        boolean first = true;
        boolean passed = false;
        for (double slope : slopes) {
            if (slope < -steepest || slope > steepest) {
                continue;
            }
            double l = lower.touch(slope);
            double u = upper.touch(slope);
            boolean passes = u >= l;
            if (!first && passes != passed) {
                double part = (lastHigh - lastLow) / ((lastHigh - lastLow) - (u - l));
                double met = lastLow + part * (l - lastLow);
                double edge = lastSlope + part * (slope - lastSlope);
                low = Math.min(low, met);
                high = Math.max(high, met);
                if (passes) {
                    least = edge;
                } else {
                    most = edge;
                }
            }
            if (passes) {
                low = Math.min(low, l);
                high = Math.max(high, u);
                least = Double.isNaN(least) ? slope : least;
            }
            lastSlope = slope;
            lastLow = l;
            lastHigh = u;
            first = false;
            passed = passes;
        }
        if (Double.isNaN(least)) {
            return null;
        }
        most = Double.isNaN(most) ? steepest : most;
        double middle = least + (most - least) / 2;
        double height = (lower.touch(middle) + upper.touch(middle)) / 2;
        return new FeasibleLines(low, high, least, most, height, middle);
    }
}
