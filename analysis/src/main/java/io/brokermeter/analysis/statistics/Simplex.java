package io.brokermeter.analysis.statistics;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.ToDoubleFunction;

/**
 * Minimizes a function of a few variables that need not be smooth, by the simplex method of Nelder and Mead (1965) with the usual
 * coefficients 1, 2, 1/2 and 1/2, restarted where it ended until a restart gains nothing.
 */
final class Simplex {

    private static final int STEPS = 4000;
    private static final int RESTARTS = 6;
    private static final double TOLERANCE = 1e-10;

    /**
     * A point and the value of the function there.
     *
     * @param at the point, which must not be modified
     */
    record Minimum(double[] at, double value) {}

    private Simplex() {}

    /**
     * Returns the lowest point found from a start.
     *
     * @param start coordinates of the start, all finite
     * @param step distance of the other corners of the first simplex in each direction
     */
    static Minimum of(ToDoubleFunction<double[]> function, double[] start, double step) {
        Minimum best = once(function, start, step);
        for (int i = 0; i < RESTARTS; i++) {
            Minimum next = once(function, best.at, step / (i + 2));
            boolean gained = next.value < best.value - TOLERANCE * (1 + Math.abs(best.value));
            best = next.value <= best.value ? next : best;
            if (!gained) {
                break;
            }
        }
        return best;
    }

    private static Minimum once(ToDoubleFunction<double[]> function, double[] start, double step) {
        int n = start.length;
        Minimum[] corners = new Minimum[n + 1];
        for (int i = 0; i <= n; i++) {
            double[] at = start.clone();
            if (i > 0) {
                at[i - 1] += step;
            }
            corners[i] = new Minimum(at, function.applyAsDouble(at));
        }
        for (int k = 0; k < STEPS; k++) {
            Arrays.sort(corners, Comparator.comparingDouble(Minimum::value));
            if (n == 0 || corners[n].value - corners[0].value < TOLERANCE * (1 + Math.abs(corners[0].value)) && size(corners) < 1e-6) {
                break;
            }
            double[] centre = new double[n];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    centre[j] += corners[i].at[j] / n;
                }
            }
            Minimum reflected = along(function, centre, corners[n].at, -1);
            if (reflected.value < corners[0].value) {
                Minimum further = along(function, centre, corners[n].at, -2);
                corners[n] = further.value < reflected.value ? further : reflected;
            } else if (reflected.value < corners[n - 1].value) {
                corners[n] = reflected;
            } else {
                boolean outside = reflected.value < corners[n].value;
                Minimum contracted = along(function, centre, corners[n].at, outside ? -0.5 : 0.5);
                if (contracted.value < Math.min(reflected.value, corners[n].value)) {
                    corners[n] = contracted;
                } else {
                    for (int i = 1; i <= n; i++) {
                        corners[i] = along(function, corners[0].at, corners[i].at, 0.5);
                    }
                }
            }
        }
        Arrays.sort(corners, Comparator.comparingDouble(Minimum::value));
        return corners[0];
    }

    private static double size(Minimum[] corners) {
        double most = 0;
        for (int i = 1; i < corners.length; i++) {
            for (int j = 0; j < corners[i].at.length; j++) {
                most = Math.max(most, Math.abs(corners[i].at[j] - corners[0].at[j]));
            }
        }
        return most;
    }

    private static Minimum along(ToDoubleFunction<double[]> function, double[] from, double[] to, double share) {
        double[] at = new double[from.length];
        for (int j = 0; j < at.length; j++) {
            at[j] = from[j] + share * (to[j] - from[j]);
        }
        return new Minimum(at, function.applyAsDouble(at));
    }
}
