package io.brokermeter.analysis.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What holds a rate down over a distance: a window in messages, one in bytes, whichever of both is smaller, or nothing that has to do with the
 * distance. A window W makes the time of a message (round trip + c) / W, where c is what a round trip takes beyond the one that was added; a rate that
 * does not depend on the distance makes it t0 + t1 * size. The longer of both holds (the asymptotic bounds of a closed system: Lazowska and others,
 * Quantitative System Performance, 1984, chapter 5).
 *
 * <p>Each model is fitted to the logarithms of all rates at once, with errors of Student's t distribution with four degrees of freedom, so that one wild
 * trial moves it little (Lange, Little, Taylor 1989). It is split at its centre (Fernandez and Steel 1998), since a busy machine makes rates lower and
 * nothing makes them higher than a window allows, but for the last round trip: above, they scatter by that and 1 %; below, by what the rates themselves
 * show, and each by the part of its trial in which the machine held it up, so that the window is the edge of what was measured, as in the analysis of production frontiers (Aigner, Lovell, Schmidt 1977). Bayes' information criterion weighs the models against each other (Schwarz 1978; weights as
 * in Burnham and Anderson, Model Selection, 2002, 6.4.5). Intervals are those of the profile likelihood, widened for few trials.
 *
 * @param limit what explains the rates best
 * @param probability that of this explanation among those that the rates can tell apart, four of several sizes and two of one, up to 1
 * @param messages the window in messages; null when there is none
 * @param bytes the window in bytes of bodies and what each message takes beside its body, of bodies alone where all have one size; null when there is none
 * @param overhead what a message takes of such a window beside its body, in bytes; 0 where that is not known, NaN when there is none
 * @param extra c, in seconds; NaN when nothing limits by the distance
 * @param perMessage t0, in seconds
 * @param perByte t1, in seconds
 * @param falls the least rate over a distance as a part of that without it, over all sizes; 1 for a rate that does not fall
 */
public record WindowFit(Limit limit, double probability, @Nullable ConfidenceInterval messages, @Nullable ConfidenceInterval bytes,
        double overhead,
        double extra,
        double perMessage, double perByte, double falls) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public Limit limit;
        public double probability;
        public @Nullable ConfidenceInterval messages;
        public @Nullable ConfidenceInterval bytes;
        public double overhead;
        public double extra;
        public double perMessage;
        public double perByte;
        public double falls;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static WindowFit of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new WindowFit(Objects.requireNonNull(its.limit, "limit"), its.probability, its.messages, its.bytes, its.overhead,
            its.extra, its.perMessage, its.perByte, its.falls);
    }

    /** What may hold a rate down. */
    public enum Limit {
        /** Nothing that has to do with the distance. */
        NOTHING,
        /** A number of messages under way. */
        MESSAGES,
        /** A number of bytes under way. */
        BYTES,
        /** The one or the other, by the size of the messages. */
        BOTH,
        /** A number of messages or of bytes under way, which messages of one size cannot tell apart. */
        EITHER;

        private boolean hasMessages() {
            return this == MESSAGES || this == BOTH || this == EITHER;
        }

        private boolean hasBytes() {
            return this == BYTES || this == BOTH;
        }
    }

    /** Trials that an answer needs, at least. */
    public static final int FEWEST = 4;

    /** A rate that falls less than this over the longest distance is not held down by it. */
    private static final double UNTOUCHED = 0.9;
    private static final double CONFIDENCE = 0.95;
    /** An interval of fewer degrees of freedom would say nothing; that of a few trials is too narrow instead. */
    private static final int FEWEST_FREE = 3;
    private static final double FREEDOM = 4;
    /** What a round trip takes beyond the added one, in seconds: about this, mostly within a factor of e^1.5. It keeps that from being none. */
    private static final double USUAL_EXTRA = 0.0007;
    private static final double USUAL_SPREAD = 1.5;
    /** Nothing is measured better than this. */
    private static final double LEAST_NOISE = 0.01;
    /** Two windows at once are rare: rates must make them 100 times as probable as one before they are as good an answer. */
    private static final double TWO_WINDOWS = 2 * Math.log(100);
    /** Quantiles of Student's t distribution for {@link #CONFIDENCE}, from one degree of freedom. */
    private static final double[] STUDENT =
        {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
            2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    /** Noise of a number of round trips that is known to one of them: the standard deviation of a uniform error. */
    private static final double ROUNDING = 1 / Math.sqrt(12);

    /**
     * Fits all explanations that rates of their sizes can tell apart, and takes the best.
     *
     * @param rates {@value #FEWEST} or more, of one size at least and two round trips or more
     * @throws IllegalArgumentException for fewer
     */
    public static WindowFit of(List<RateOverDistance> rates) {
        if (rates.size() < FEWEST || rates.stream().mapToDouble(RateOverDistance::roundTrip).distinct().count() < 2) {
            throw new IllegalArgumentException("Too few rates over too few distances");
        }
        double falls = falls(rates);
        Map<Limit, Fitted> fits = new EnumMap<>(Limit.class);
        boolean oneSize = rates.stream().mapToDouble(RateOverDistance::size).distinct().count() < 2;
        for (Limit limit : Limit.values()) {
            boolean told = falls <= UNTOUCHED && oneSize == (limit == Limit.EITHER);
            if (limit == Limit.NOTHING || told) {
                fits.put(limit, new Model(limit, rates).fit());
            }
        }
        double best = fits.values().stream().mapToDouble(Fitted::criterion).min().orElseThrow();
        double all = fits.values().stream().mapToDouble(fit -> Math.exp((best - fit.criterion()) / 2)).sum();
        Fitted chosen = fits.values().stream().min(Comparator.comparingDouble(Fitted::criterion)).orElseThrow();
        return chosen.answer(1 / all, falls);
    }

    /** The rate at the longest round trip as a part of that at the shortest, of the size where that is least. */
    private static double falls(List<RateOverDistance> rates) {
        double least = 1;
        for (double size : rates.stream().mapToDouble(RateOverDistance::size).distinct().toArray()) {
            List<RateOverDistance> own = rates.stream().filter(r -> r.size() == size).toList();
            double near = own.stream().mapToDouble(RateOverDistance::roundTrip).min().orElseThrow();
            double far = own.stream().mapToDouble(RateOverDistance::roundTrip).max().orElseThrow();
            if (near < far) {
                least = Math.min(least, median(own, far) / median(own, near));
            }
        }
        return least;
    }

    private static double median(List<RateOverDistance> rates, double roundTrip) {
        return HodgesLehmann
            .median(rates.stream().filter(r -> r.roundTrip() == roundTrip).mapToDouble(RateOverDistance::rate).sorted().toArray());
    }

    /** Whether the rates hardly fall over the longest distance, so that nothing needs to explain it. */
    public boolean isUntouched() {
        return falls > UNTOUCHED;
    }

    /**
     * The window of a kind; null when there is none.
     *
     * @param unit {@link Limit#MESSAGES} or {@link Limit#BYTES}
     */
    public @Nullable ConfidenceInterval window(Limit unit) {
        return unit == Limit.MESSAGES ? messages : bytes;
    }

    /** The rate that this explanation expects of messages of a size over a round trip, at most {@code most}. */
    public double rate(double roundTrip, double size, double most) {
        double time = Math.max(perMessage + perByte * size, 1 / most);
        if (messages != null) {
            time = Math.max(time, (roundTrip + extra) / messages.estimate());
        }
        if (bytes != null) {
            time = Math.max(time, (roundTrip + extra) * (size + overhead) / bytes.estimate());
        }
        return 1 / time;
    }

    /** The parameters of a model with the likelihood of the rates: logarithms, but for that of the noise first of all. */
    private record Fitted(Model model, Simplex.Minimum minimum) {

        double criterion() {
            return 2 * minimum.value() + model.parameters() * Math.log(model.rates.size())
                + (model.limit == Limit.BOTH ? TWO_WINDOWS : 0);
        }

        WindowFit answer(double probability, double falls) {
            double[] at = minimum.at();
            boolean inBytes = model.limit.hasBytes();
            return WindowFit.of(its -> {
                its.limit = model.limit;
                its.probability = probability;
                its.messages = model.limit.hasMessages() ? model.interval(minimum, Model.MESSAGES) : null;
                its.bytes = inBytes ? model.interval(minimum, model.bytesAt())
                    : model.limit == Limit.EITHER && its.messages != null ? its.messages.times(model.rates.getFirst().size()) : null;
                its.overhead = inBytes ? Math.exp(at[model.bytesAt() + 1]) : its.bytes != null ? 0 : Double.NaN;
                its.extra = model.limit == Limit.NOTHING ? Double.NaN : Math.exp(at[Model.EXTRA]);
                its.perMessage = Math.exp(at[Model.SERVICE]);
                its.perByte = Math.exp(at[Model.SERVICE + 1]);
                its.falls = falls;
            });
        }
    }

    /** One explanation of some rates. Parameters: noise below, t0, t1, c, window in messages, window in bytes, overhead; those that it has. */
    private static final class Model {

        static final int SERVICE = 1;
        static final int EXTRA = 3;
        static final int MESSAGES = 4;

        final Limit limit;
        final List<RateOverDistance> rates;
        /** The longest round trip. */
        final double far;

        Model(Limit limit, List<RateOverDistance> rates) {
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

        /** Where the window in bytes is; its overhead follows. */
        int bytesAt() {
            return limit == Limit.BOTH ? MESSAGES + 1 : MESSAGES;
        }

        Fitted fit() {
            return new Fitted(this, starts().stream().map(start -> Simplex.of(this::cost, start, 0.5))
                .min(Comparator.comparingDouble(Simplex.Minimum::value)).orElseThrow());
        }

        private List<double[]> starts() {
            double[] sizes = rates.stream().mapToDouble(RateOverDistance::size).sorted().toArray();
            double size = sizes[sizes.length / 2];
            double quick = rates.stream().mapToDouble(r -> 1 / r.rate()).min().orElseThrow();
            double quickByte = rates.stream().mapToDouble(r -> 1 / r.rate() / r.size()).min().orElseThrow();
            List<double[]> starts = new ArrayList<>();
            for (double extra : new double[] {far / 1000, far / 100, far / 10}) {
                double[] messages =
                    rates.stream().filter(r -> r.roundTrip() == far).mapToDouble(r -> r.rate() * (far + extra)).sorted().toArray();
                double[] bytes =
                    rates.stream().filter(r -> r.roundTrip() == far).mapToDouble(r -> r.rate() * (far + extra) * r.size()).sorted()
                        .toArray();
                for (double part : new double[] {0.1, 0.9}) {
                    for (double edge : new double[] {1, 1.1}) {
                        double[] start = new double[parameters()];
                        start[0] = Math.log(0.03);
                        start[SERVICE] = Math.log(quick * (1 - part));
                        start[SERVICE + 1] = Math.log(part > 0.5 ? quickByte : quick * part / size);
                        if (limit != Limit.NOTHING) {
                            start[EXTRA] = Math.log(extra);
                        }
                        if (limit == Limit.MESSAGES || limit == Limit.EITHER) {
                            start[MESSAGES] = Math.log(edge * messages[messages.length / 2]);
                        } else if (limit == Limit.BOTH) {
                            start[MESSAGES] = Math.log(messages[messages.length - 1]);
                        }
                        if (limit.hasBytes()) {
                            start[bytesAt()] = Math.log(edge * bytes[bytes.length - 1]);
                            start[bytesAt() + 1] = Math.log(part > 0.5 ? 20 : 300);
                        }
                        starts.add(start);
                    }
                }
            }
            return starts;
        }

        /** Minus the logarithm of the likelihood. */
        private double cost(double[] at) {
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
                double rounding = ROUNDING * Math.max(r.roundTrip(), 1 / r.rate()) / r.seconds();
                double above = Math.sqrt(LEAST_NOISE * LEAST_NOISE + rounding * rounding);
                double held = r.held() / r.seconds();
                double below = Math.sqrt(above * above + noise * noise + held * held);
                double difference = Math.log(r.rate()) + Math.log(time);
                double error = difference / (difference > 0 ? above : below);
                sum += (FREEDOM + 1) / 2 * Math.log1p(error * error / FREEDOM) + Math.log((above + below) / 2);
            }
            // What a round trip takes beyond the added one may be long on a busy machine, but not beyond all measure.
            double beyond = limit == Limit.NOTHING ? 0 : Math.max(0, at[EXTRA] - Math.log(far));
            double heavy = limit.hasBytes() ? Math.max(0, at[bytesAt() + 1] - Math.log(2000)) : 0;
            double usual = limit == Limit.NOTHING ? 0 : (at[EXTRA] - Math.log(USUAL_EXTRA)) / USUAL_SPREAD;
            return sum + usual * usual / 2 + beyond * beyond * 10 + heavy * heavy * 10 + tooLittle(at);
        }

        /** Keeps parameters that nothing depends on from running away. */
        private static double tooLittle(double[] at) {
            double sum = 0;
            for (double one : at) {
                sum += Math.max(0, -40 - one) + Math.max(0, one - 40);
            }
            return sum;
        }

        /** Where the likelihood of a parameter, with the best others for each of its values, is not much below its highest. */
        ConfidenceInterval interval(Simplex.Minimum best, int parameter) {
            int n = rates.size();
            int free = Math.max(FEWEST_FREE, n - parameters());
            double t = free <= STUDENT.length ? STUDENT[free - 1] : 1.96 + 2.45 / free;
            double allowed = best.value() + n / 2.0 * Math.log1p(t * t / free);
            double centre = best.at()[parameter];
            return new ConfidenceInterval(Math.exp(centre), Math.exp(end(best, parameter, allowed, -1)),
                Math.exp(end(best, parameter, allowed, 1)),
                CONFIDENCE);
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

        private double profile(Simplex.Minimum best, int parameter, double value) {
            double[] others = new double[best.at().length - 1];
            System.arraycopy(best.at(), 0, others, 0, parameter);
            System.arraycopy(best.at(), parameter + 1, others, parameter, others.length - parameter);
            return Simplex.of(at -> cost(with(at, parameter, value)), others, 0.1).value();
        }

        private static double[] with(double[] others, int parameter, double value) {
            double[] at = Arrays.copyOf(others, others.length + 1);
            System.arraycopy(others, parameter, at, parameter + 1, others.length - parameter);
            at[parameter] = value;
            return at;
        }
    }
}
