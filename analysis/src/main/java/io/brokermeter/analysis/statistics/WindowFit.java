package io.brokermeter.analysis.statistics;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The explanation of rates measured over several distances: they are limited by a window in messages, by one in bytes, by the smaller of
 * both, or by nothing that depends on the distance. A window W makes the time per message (round trip + c) / W, where c is the part of a
 * round trip beyond the added one; a limit that does not depend on the distance makes it t0 + t1 * size. The longer time applies (the
 * asymptotic bounds of a closed system: Lazowska and others, Quantitative System Performance, 1984, chapter 5).
 *
 * <p>Each model is fitted to the logarithms of all rates at once, with errors of Student's t distribution with four degrees of freedom, so
 * that an outlier has little influence (Lange, Little, Taylor 1989). The distribution has two scales (Fernandez and Steel 1998), since a
 * busy machine makes rates lower and nothing makes them higher than a window allows, except for the last round trip: above the model, rates
 * scatter by that round trip and 1 %; below, by the scatter of the rates themselves, and each rate by the part of its trial in which the
 * machine stalled it. The window is thus the upper edge of the rates, as in the analysis of production frontiers (Aigner, Lovell, Schmidt
 * 1977). Bayes' information criterion weighs the models against each other (Schwarz 1978; weights as in Burnham and Anderson, Model
 * Selection, 2002, 6.4.5). Intervals are those of the profile likelihood, widened for few trials.
 *
 * @param limit the explanation that fits the rates best
 * @param probability probability of this explanation among those that the rates can distinguish, four with several sizes and two with one,
 *     up to 1; NaN for rates that hardly fall, of which no other explanation is tried
 * @param messages the window in messages; null when there is none
 * @param bytes the window in bytes of message bodies and the overhead of each message, of bodies alone if all have one size; null when
 *     there is none
 * @param overhead bytes of such a window that a message takes in addition to its body; 0 where that is not known, NaN when there is no such
 *     window
 * @param extra c, in seconds; NaN when nothing limits by the distance
 * @param perMessage t0, in seconds; t0 + t1 * size if all have one size, which tells only that sum
 * @param perByte t1, in seconds; 0 if all have one size
 * @param falls the lowest rate over a distance as a part of that without it, over all sizes; 1 for a rate that does not fall
 * @param other the next best explanation, where the rates leave it more than one chance in twenty; null where they do not
 */
public record WindowFit(Limit limit, double probability, @Nullable ConfidenceInterval messages, @Nullable ConfidenceInterval bytes,
        double overhead,
        double extra,
        double perMessage, double perByte, double falls, @Nullable WindowFit other) {

    /** A cause that may limit a rate. */
    public enum Limit {
        /** No limit that depends on the distance. */
        NOTHING,
        /** A number of messages in flight. */
        MESSAGES,
        /** A number of bytes in flight. */
        BYTES,
        /** A number of messages or of bytes in flight, depending on the size of the messages. */
        BOTH,
        /** A number of messages or of bytes in flight, which messages of one size cannot distinguish. */
        EITHER;

        boolean hasMessages() {
            return this == MESSAGES || this == BOTH || this == EITHER;
        }

        boolean hasBytes() {
            return this == BYTES || this == BOTH;
        }
    }

    /** The minimum number of trials for an answer. */
    public static final int FEWEST = 4;

    /** The share of the rate above which a rate over the longest distance counts as not limited by the distance. */
    private static final double UNTOUCHED = 0.9;
    /**
     * The penalty for two windows at once, which are rare: the rates must make them 100 times as probable as one window before they are an
     * equally good answer.
     */
    private static final double TWO_WINDOWS = 2 * Math.log(100);
    /**
     * The penalty for two windows at once where messages of two sizes show that neither one in messages nor one in bytes of bodies alone
     * explains the rates: whatever two windows do to two sizes, one in bytes does with some overhead.
     */
    private static final double AS_PROBABLE = 2 * Math.log(2);
    /** The logarithm of the likelihoods' ratio from which on the rates show that one explanation is better than another. */
    private static final double SHOWN = 3;
    /** The probability from which on no other explanation is named. */
    private static final double SURE = 0.95;

    /**
     * Fits all explanations that rates of their sizes can distinguish, and returns the best.
     *
     * @param rates {@value #FEWEST} rates or more, over at least two round trips, of at least one size
     * @throws IllegalArgumentException for fewer
     */
    public static WindowFit of(List<RateOverDistance> rates) {
        if (rates.size() < FEWEST || rates.stream().mapToDouble(RateOverDistance::roundTrip).distinct().count() < 2) {
            throw new IllegalArgumentException("Too few rates over too few distances");
        }
        double falls = falls(rates);
        Map<Limit, Fitted> fits = new EnumMap<>(Limit.class);
        boolean oneSize = haveOneSize(rates);
        for (Limit limit : Limit.values()) {
            boolean told = falls <= UNTOUCHED && oneSize == (limit == Limit.EITHER);
            if (limit == Limit.NOTHING || told) {
                fits.put(limit, Fitted.of(new WindowModel(limit, rates)));
            }
        }
        Map<Limit, Double> criteria = new EnumMap<>(Limit.class);
        fits.forEach((limit, fit) -> criteria.put(limit, fit.criterion()));
        Fitted both = fits.get(Limit.BOTH);
        if (both != null && sizes(rates) == 2 && both.minimum().value() < leastOfOne(fits) - SHOWN) {
            criteria.put(Limit.BOTH, Math.min(both.criterion(), Objects.requireNonNull(criteria.get(Limit.BYTES)) + AS_PROBABLE));
        }
        double best = criteria.values().stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double all = criteria.values().stream().mapToDouble(criterion -> Math.exp((best - criterion) / 2)).sum();
        List<Limit> order = criteria.entrySet().stream().sorted(Map.Entry.comparingByValue()).map(Map.Entry::getKey).toList();
        WindowFit other = order.size() < 2 || 1 / all > SURE ? null
            : Objects.requireNonNull(fits.get(order.get(1))).answer(
                Math.exp((best - Objects.requireNonNull(criteria.get(order.get(1)))) / 2) / all, falls, null);
        return Objects.requireNonNull(fits.get(order.getFirst())).answer(fits.size() > 1 ? 1 / all : Double.NaN, falls, other);
    }

    /** Returns the lesser cost of a window in messages and of one in bytes of bodies alone. */
    private static double leastOfOne(Map<Limit, Fitted> fits) {
        Fitted bytes = Objects.requireNonNull(fits.get(Limit.BYTES));
        double plain = bytes.model().profile(bytes.minimum(), bytes.model().bytesAt() + 1, 0);
        return Math.min(plain, Objects.requireNonNull(fits.get(Limit.MESSAGES)).minimum().value());
    }

    private static long sizes(List<RateOverDistance> rates) {
        return rates.stream().mapToDouble(RateOverDistance::size).distinct().count();
    }

    private static boolean haveOneSize(List<RateOverDistance> rates) {
        return sizes(rates) < 2;
    }

    /** Returns the rate at the longest round trip as a part of that at the shortest, for the size where that part is lowest; at most 1. */
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

    /** Returns whether the rates hardly fall over the longest distance, so that nothing needs to explain the fall. */
    public boolean isUntouched() {
        return falls > UNTOUCHED;
    }

    /**
     * Returns the window of a kind; null when there is none.
     *
     * @param unit {@link Limit#MESSAGES} or {@link Limit#BYTES}
     */
    public @Nullable ConfidenceInterval window(Limit unit) {
        return unit == Limit.MESSAGES ? messages : bytes;
    }

    /** Returns the rate that this explanation predicts for messages of a size over a round trip, at most {@code most}. */
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

    /** The fitted parameters of a model, with minus the logarithm of the likelihood of the rates. */
    private record Fitted(WindowModel model, Simplex.Minimum minimum) {

        static Fitted of(WindowModel model) {
            return new Fitted(model, model.fit());
        }

        double criterion() {
            return 2 * minimum.value() + model.parameters() * Math.log(model.rates.size())
                + (model.limit == Limit.BOTH ? TWO_WINDOWS : 0);
        }

        WindowFit answer(double probability, double falls, @Nullable WindowFit other) {
            double[] at = minimum.at();
            boolean inBytes = model.limit.hasBytes();
            ConfidenceInterval messages = model.limit.hasMessages() ? model.interval(minimum, WindowModel.MESSAGES) : null;
            ConfidenceInterval bytes = inBytes ? model.interval(minimum, model.bytesAt())
                : model.limit == Limit.EITHER && messages != null ? messages.times(model.rates.getFirst().size()) : null;
            double overhead = inBytes ? Math.exp(at[model.bytesAt() + 1]) : bytes != null ? 0 : Double.NaN;
            double extra = model.limit == Limit.NOTHING ? Double.NaN : Math.exp(at[WindowModel.EXTRA]);
            double perMessage = Math.exp(at[WindowModel.SERVICE]);
            double perByte = Math.exp(at[WindowModel.SERVICE + 1]);
            boolean oneSize = haveOneSize(model.rates);
            return new WindowFit(model.limit, probability, messages, bytes, overhead, extra,
                oneSize ? perMessage + perByte * model.rates.getFirst().size() : perMessage, oneSize ? 0 : perByte, falls, other);
        }
    }
}
