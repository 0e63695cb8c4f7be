package io.brokermeter.analysis.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import io.brokermeter.analysis.statistics.WindowFit.Limit;

/**
 * One explanation of some rates. Its parameters, all as logarithms: scatter below the model, t0, t1, and where the model has them c,
 * window in messages, window in bytes, overhead.
 */
final class WindowModel {

    private static final double CONFIDENCE = 0.95;
    /**
     * The minimum number of degrees of freedom of an interval. An interval of fewer would be too wide to be of use; that of a few trials is
     * too narrow instead.
     */
    private static final int FEWEST_FREE = 3;
    private static final double FREEDOM = 4;
    /**
     * The usual part of a round trip beyond the added one, in seconds; mostly right within a factor of e^1.5. As a prior it keeps the
     * estimate of that part from approaching 0.
     */
    private static final double USUAL_EXTRA = 0.0007;
    private static final double USUAL_SPREAD = 1.5;
    /** The minimum relative scatter: no measurement is more exact than this. */
    private static final double LEAST_NOISE = 0.01;
    /** Quantiles of Student's t distribution for {@link #CONFIDENCE}, from {@link #FEWEST_FREE} degrees of freedom. */
    private static final double[] STUDENT =
        {3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
            2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    /** Standard deviation of a quantity that is known only to one round trip: 1/sqrt(12). */
    private static final double ROUNDING = 1 / Math.sqrt(12);
    /**
     * The root mean square of a uniform loss of up to one: a rate may lack up to its last round trip, which is a large part of a short
     * trial over a long distance, so it falls a little over distance even where nothing limits it.
     */
    private static final double LACKING = 1 / Math.sqrt(3);

    static final int SERVICE = 1;
    static final int EXTRA = 3;
    static final int MESSAGES = 4;

    final Limit limit;
    final List<RateOverDistance> rates;
    /** The longest round trip, in seconds. */
    final double far;

    WindowModel(Limit limit, List<RateOverDistance> rates) {
        this.limit = limit;
        this.rates = rates;
        this.far = rates.stream().mapToDouble(RateOverDistance::roundTrip).max().orElseThrow();
    }

    int parameters() {
        return switch (limit) {
            case NOTHING -> 3;
            case MESSAGES, EITHER -> 5;
            case BYTES -> 6;
            case BOTH -> 7;
        };
    }

    /** Returns the index of the window in bytes, after which its overhead follows. */
    int bytesAt() {
        return limit == Limit.BOTH ? MESSAGES + 1 : MESSAGES;
    }

    /** Returns the likeliest parameters. */
    Simplex.Minimum fit() {
        return starts().stream().map(start -> Simplex.of(this::cost, start, 0.5))
            .min(Comparator.comparingDouble(Simplex.Minimum::value)).orElseThrow();
    }

    /** Returns where to search from: at the window that the longest distance shows, with short and long times of both kinds. */
    List<double[]> starts() {
        double[] sizes = rates.stream().mapToDouble(RateOverDistance::size).sorted().toArray();
        double size = sizes[sizes.length / 2];
        double quick = rates.stream().mapToDouble(r -> 1 / r.rate()).min().orElseThrow();
        double quickByte = rates.stream().mapToDouble(r -> 1 / r.rate() / r.size()).min().orElseThrow();
        List<RateOverDistance> over = rates.stream().filter(r -> r.roundTrip() == far).toList();
        List<double[]> starts = new ArrayList<>();
        for (double extra : new double[] {far / 1000, far / 100, far / 10}) {
            double[] messages = over.stream().mapToDouble(r -> r.rate() * (far + extra)).sorted().toArray();
            double bytes = over.stream().mapToDouble(r -> r.rate() * (far + extra) * r.size()).max().orElseThrow();
            for (double part : new double[] {0.1, 0.9}) {
                for (double edge : new double[] {1, 1.1}) {
                    double[] start = new double[parameters()];
                    start[0] = Math.log(0.03);
                    start[SERVICE] = Math.log(quick * (1 - part));
                    start[SERVICE + 1] = Math.log(part > 0.5 ? quickByte : quick * part / size);
                    if (limit != Limit.NOTHING) {
                        start[EXTRA] = Math.log(extra);
                    }
                    if (limit == Limit.BOTH) {
                        start[MESSAGES] = Math.log(messages[messages.length - 1]);
                    } else if (limit.hasMessages()) {
                        start[MESSAGES] = Math.log(edge * messages[messages.length / 2]);
                    }
                    if (limit.hasBytes()) {
                        start[bytesAt()] = Math.log(edge * bytes);
                        start[bytesAt() + 1] = Math.log(part > 0.5 ? 20 : 300);
                    }
                    starts.add(start);
                }
            }
        }
        return starts;
    }

    /** Returns minus the logarithm of the likelihood, plus the penalties that keep parameters within reason. */
    double cost(double[] at) {
        double noise = Math.exp(at[0]);
        double perMessage = Math.exp(at[SERVICE]);
        double perByte = Math.exp(at[SERVICE + 1]);
        double extra = limit == Limit.NOTHING ? 0 : Math.exp(at[EXTRA]);
        double messages = limit.hasMessages() ? Math.exp(at[MESSAGES]) : Double.POSITIVE_INFINITY;
        double bytes = limit.hasBytes() ? Math.exp(at[bytesAt()]) : Double.POSITIVE_INFINITY;
        double overhead = limit.hasBytes() ? Math.exp(at[bytesAt() + 1]) : 0;
        double sum = 0;
        for (RateOverDistance r : rates) {
            double round = r.roundTrip() + extra;
            double windowed = Math.max(round / messages, round * (r.size() + overhead) / bytes);
            double time = Math.max(Math.max(perMessage + perByte * r.size(), 1 / r.most()), windowed);
            double last = Math.max(r.roundTrip(), 1 / r.rate()) / r.seconds();
            double rounding = ROUNDING * last;
            double above = Math.sqrt(LEAST_NOISE * LEAST_NOISE + rounding * rounding);
            double held = r.held() / r.seconds();
            double lacking = LACKING * last;
            double below = Math.sqrt(above * above + noise * noise + held * held + lacking * lacking);
            double difference = Math.log(r.rate()) + Math.log(time);
            double error = difference / (difference > 0 ? above : below);
            sum += (FREEDOM + 1) / 2 * Math.log1p(error * error / FREEDOM) + Math.log((above + below) / 2);
        }
        // The part of a round trip beyond the added one may be long on a busy machine, but not without bounds.
        double beyond = limit == Limit.NOTHING ? 0 : Math.max(0, at[EXTRA] - Math.log(far));
        double heavy = limit.hasBytes() ? Math.max(0, at[bytesAt() + 1] - Math.log(2000)) : 0;
        double usual = limit == Limit.NOTHING ? 0 : (at[EXTRA] - Math.log(USUAL_EXTRA)) / USUAL_SPREAD;
        return sum + usual * usual / 2 + beyond * beyond * 10 + heavy * heavy * 10 + tooLittle(at);
    }

    /** Returns a penalty that keeps parameters without influence within bounds. */
    private static double tooLittle(double[] at) {
        double sum = 0;
        for (double one : at) {
            sum += Math.max(0, Math.abs(one) - 40);
        }
        return sum;
    }

    /**
     * Returns the interval in which the likelihood of a parameter, maximized over the other parameters, is not much below its maximum.
     */
    ConfidenceInterval interval(Simplex.Minimum best, int parameter) {
        int n = rates.size();
        int free = Math.max(FEWEST_FREE, n - parameters());
        double t = student(free);
        double allowed = best.value() + n / 2.0 * Math.log1p(t * t / free);
        double centre = best.at()[parameter];
        return new ConfidenceInterval(Math.exp(centre), Math.exp(end(best, parameter, allowed, -1)),
            Math.exp(end(best, parameter, allowed, 1)),
            CONFIDENCE);
    }

    /** Returns the quantile for some degrees of freedom, at least {@link #FEWEST_FREE}. */
    static double student(int free) {
        int at = free - FEWEST_FREE;
        return at < STUDENT.length ? STUDENT[at] : 1.96 + 2.45 / free;
    }

    private double end(Simplex.Minimum best, int parameter, double allowed, int direction) {
        double centre = best.at()[parameter];
        double inside = 0;
        double outside = 0.01;
        while (profile(best, parameter, centre + direction * outside) <= allowed) {
            inside = outside;
            outside *= 2;
            if (outside > 5) {
                return centre + direction * outside;
            }
        }
        for (int i = 0; i < 8; i++) {
            double middle = (inside + outside) / 2;
            if (profile(best, parameter, centre + direction * middle) <= allowed) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        return centre + direction * outside;
    }

    /** Returns the least cost with a parameter at a value, searched for from the best one. */
    double profile(Simplex.Minimum best, int parameter, double value) {
        double[] others = new double[best.at().length - 1];
        System.arraycopy(best.at(), 0, others, 0, parameter);
        System.arraycopy(best.at(), parameter + 1, others, parameter, others.length - parameter);
        // A scatter far below the least, as that of rates that fit exactly, has no influence, and no search would find that it must be more.
        others[0] = Math.max(others[0], Math.log(LEAST_NOISE));
        return Simplex.of(at -> cost(with(at, parameter, value)), others, 0.1).value();
    }

    private static double[] with(double[] others, int parameter, double value) {
        double[] at = Arrays.copyOf(others, others.length + 1);
        System.arraycopy(others, parameter, at, parameter + 1, others.length - parameter);
        at[parameter] = value;
        return at;
    }
}
