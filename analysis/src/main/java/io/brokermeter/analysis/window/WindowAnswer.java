package io.brokermeter.analysis.window;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.analysis.statistics.RateOverDistance;
import io.brokermeter.analysis.statistics.WindowFit;
import io.brokermeter.analysis.window.WindowChange.Tried;
import org.jspecify.annotations.Nullable;

/**
 * The findings about one side, the producer or the consumer, over distance.
 *
 * @param protocol the protocol of the trials
 * @param broker the name of the broker; empty when it is not known
 * @param rates the measured rates, in the order of the plan; trials without a result are missing
 * @param missing number of the missing trials that were run but gave no result
 * @param notRun number of the trials that were not run to their end, since the time was up or a user interrupted them
 * @param fit the explanation of the rates; null when they are too few
 * @param at the point at which changes were tried
 * @param unchanged the rate at that point without a change; NaN when it is not known
 * @param tried the changes that were tried, in their order
 */
public record WindowAnswer(FarSide side, String protocol, String broker, List<Measured> rates, int missing, int notRun,
        @Nullable WindowFit fit,
        DistantTrial at,
        double unchanged, List<Tried> tried) {

    /**
     * The factor by which a change must raise the rate to be called the governing setting; trials are short, and there is one for each
     * change.
     */
    public static final double GAIN = 1.3;

    /** The factor from which on a difference of rates that should agree exceeds what a busy machine does to a rate. */
    private static final double APART = 2;

    /** The share down to which a rate may fall without a window that explains it, as on a busy machine. */
    private static final double FALLS = 0.5;

    /** The share of the requested rate from which on a rate counts as keeping up with it. */
    private static final double ASKED = 0.9;

    /** The share of the rates that may differ from their explanation. */
    private static final double OFF = 0.25;

    /**
     * A trial with its rate.
     *
     * @param rate messages per second
     * @param number number of the trial in its sweep, from 1; 0 where that is not known
     * @param doubtful whether the result of the trial lists doubts
     * @param held longest time for which the machine stalled the generator, in seconds; 0 where that is not known
     */
    public record Measured(DistantTrial trial, double rate, int number, boolean doubtful, double held) {

        public Measured(DistantTrial trial, double rate) {
            this(trial, rate, 0, false, 0);
        }

        /** Returns the rate for the fit, at most the requested one: late messages of the warm-up may raise it above that. */
        RateOverDistance forFit() {
            return new RateOverDistance(trial.roundTrip(), trial.size(), Math.min(rate, trial.most()), trial.most(), trial.seconds(),
                held);
        }
    }

    /** Creates an answer with the explanation of the rates. */
    public static WindowAnswer of(FarSide side, DistantTrial at, String protocol, String broker, List<Measured> rates, int missing,
            int notRun, double unchanged, List<Tried> tried) {
        return new WindowAnswer(side, protocol, broker, rates, missing, notRun, fit(rates), at, unchanged, tried);
    }

    public WindowAnswer {
        rates = List.copyOf(rates);
        tried = List.copyOf(tried);
    }

    /** Returns the explanation of some rates; null when they are too few. */
    public static @Nullable WindowFit fit(List<Measured> rates) {
        List<RateOverDistance> all = fitted(rates);
        long distances = all.stream().mapToDouble(RateOverDistance::roundTrip).distinct().count();
        return all.size() < WindowFit.FEWEST || distances < 2 ? null : WindowFit.of(all);
    }

    /**
     * Returns the explanation of some rates if it can be claimed; null when the rates are too few, contradict each other, or fall without
     * a window that explains it.
     */
    public static @Nullable WindowFit claim(List<Measured> rates) {
        return claim(rates, fit(rates));
    }

    private static @Nullable WindowFit claim(List<Measured> rates, @Nullable WindowFit found) {
        return found == null || contradict(rates, found) || isUnexplained(found) ? null : found;
    }

    private static List<RateOverDistance> fitted(List<Measured> rates) {
        return rates.stream().filter(one -> one.rate() > 0).map(Measured::forFit).toList();
    }

    /** Returns the first change whose gain is at least {@link #GAIN} and at least 90 % of the highest gain; null when there is none. */
    public @Nullable Tried governing() {
        double most = tried.stream().mapToDouble(Tried::gain).filter(Double::isFinite).max().orElse(0);
        return tried.stream().filter(one -> one.gain() >= GAIN && one.gain() >= 0.9 * most).findFirst().orElse(null);
    }

    /** Returns the explanation if it can be claimed, as {@link #claim(List)}. */
    public @Nullable WindowFit claim() {
        return claim(rates, fit);
    }

    /** Returns whether a rate falls over distance by more than a busy machine makes it fall, and no window explains how. */
    public boolean isUnexplained() {
        return fit != null && !contradicts() && isUnexplained(fit);
    }

    private static boolean isUnexplained(WindowFit found) {
        return found.limit() == WindowFit.Limit.NOTHING && found.falls() < FALLS;
    }

    /**
     * Returns whether the measured curves contradict each other, so that nothing can be claimed: one rises over distance, or one falls and
     * another does not. An explanation by a window is valid nevertheless, unless {@link #OFF} of the rates differ from it by more than
     * {@link #APART}: a busy machine makes some rates lower, and so does a message that takes more than one round trip, which is no
     * contradiction where all curves fall.
     */
    public boolean contradicts() {
        return fit != null && contradict(rates, fit);
    }

    private static boolean contradict(List<Measured> rates, WindowFit found) {
        if (found.limit() != WindowFit.Limit.NOTHING) {
            List<RateOverDistance> all = fitted(rates);
            if (all.stream().filter(one -> Math.abs(Math.log(one.rate() / found.rate(one.roundTrip(), one.size(), one.most()))) > Math
                .log(APART)).count() < OFF * all.size()) {
                return false;
            }
        }
        List<List<Point>> curves = curves(rates);
        return rise(curves) != null || disagreement(curves) != null;
    }

    /**
     * Returns the two points of a size between which the rate rises most over distance, by {@link #APART} or more; null when no rate rises
     * by that.
     */
    @Nullable Apart rise() {
        return rise(curves(rates));
    }

    private static @Nullable Apart rise(List<List<Point>> curves) {
        return curves.stream().flatMap(curve -> IntStream.range(0, curve.size()).boxed()
            .flatMap(i -> curve.subList(i + 1, curve.size()).stream().map(later -> new Apart(curve.get(i), later))))
            .filter(pair -> pair.ratio() >= APART).max(Comparator.comparingDouble(Apart::ratio)).orElse(null);
    }

    /**
     * Returns the farthest points of the size whose rate falls most and of the size whose rate falls least, with each rate as a part of
     * that at the shortest distance; null unless the two disagree.
     */
    @Nullable Apart disagreement() {
        return disagreement(curves(rates));
    }

    private static @Nullable Apart disagreement(List<List<Point>> curves) {
        List<List<Point>> all = curves.stream().filter(curve -> curve.size() > 1).toList();
        if (all.isEmpty()) {
            return null;
        }
        List<Point> falling = mostFallen(all);
        List<Point> keeping = all.stream().max(Comparator.comparingDouble(WindowAnswer::kept)).orElseThrow();
        return kept(falling) < 1 / APART && kept(keeping) >= Math.max(1 / APART, APART * kept(falling))
            ? new Apart(share(falling), share(keeping)) : null;
    }

    private static List<Point> mostFallen(List<List<Point>> curves) {
        return curves.stream().min(Comparator.comparingDouble(WindowAnswer::kept)).orElseThrow();
    }

    /** Returns the farthest point of the size whose rate falls most, with the rate as a part of that at the shortest distance. */
    Point mostFallen() {
        return share(mostFallen(curves(rates)));
    }

    private static double kept(List<Point> curve) {
        return curve.getLast().rate() / curve.getFirst().rate();
    }

    private static Point share(List<Point> curve) {
        return new Point(curve.getLast().size(), curve.getLast().roundTrip(), kept(curve));
    }

    /** Returns the median rates of each size, by round trip. */
    private static List<List<Point>> curves(List<Measured> rates) {
        Map<Double, Map<Double, List<Double>>> all = new TreeMap<>();
        for (RateOverDistance one : fitted(rates)) {
            all.computeIfAbsent(one.size(), _ -> new TreeMap<>()).computeIfAbsent(one.roundTrip(), _ -> new ArrayList<>()).add(one.rate());
        }
        return all.entrySet().stream().map(size -> size.getValue().entrySet().stream()
            .map(way -> new Point(size.getKey(), way.getKey(), median(way.getValue().stream())))
            .toList()).toList();
    }

    /** The rate, or a part of a rate, of messages of a size over a round trip. */
    record Point(double size, double roundTrip, double rate) {}

    /** Two points that contradict each other. */
    record Apart(Point one, Point other) {

        double ratio() {
            return other.rate / one.rate;
        }
    }

    /** Returns the settings that may be the cause and that only a person can change, including those whose trial does not decide. */
    public List<WindowSetting> others() {
        WindowFit found = claim();
        if (found == null || governing() != null) {
            return List.of();
        }
        return WindowSettings.of(side, protocol, broker).stream()
            .filter(row -> {
                List<Tried> own = tried.stream().filter(one -> one.change().setting().equals(row)).toList();
                return own.isEmpty() ? !row.canBeTried() || row.key().contains("broker.") : own.stream().noneMatch(Tried::isJudged);
            })
            .filter(row -> found.window(row.unit()) != null).toList();
    }

    /** Returns the sizes of the messages, ascending. */
    List<Double> sizes() {
        return rates.stream().map(one -> one.trial().size()).distinct().sorted().toList();
    }

    /** Returns the sizes whose messages do not keep up with the requested rate, ascending. */
    List<Double> slowSizes() {
        return sizes().stream().filter(size -> !keepsUp(size)).toList();
    }

    /** Returns whether messages of a size reach the requested rate in at least half of their trials; a busy machine slows others down. */
    private boolean keepsUp(double size) {
        double[] shares = rates.stream().filter(one -> one.trial().size() == size)
            .mapToDouble(one -> one.rate() / one.trial().most()).sorted().toArray();
        return shares[shares.length / 2] >= ASKED;
    }

    /**
     * The time of a message that does not depend on the distance, in seconds.
     *
     * @param perMessage time for each message; all of its time where {@code perByte} is NaN
     * @param perByte time for each byte of a body; NaN where the rates of only one size tell the time
     */
    record ServiceTime(double perMessage, double perByte) {}

    /**
     * Returns the service time of an explanation. Where nothing limits by the distance and messages of one size of several do not keep up,
     * it is the median of theirs, since the explanation is that of all sizes.
     */
    ServiceTime serviceTime(WindowFit found) {
        if (sizes().size() == 1) {
            return new ServiceTime(found.perMessage(), Double.NaN);
        }
        List<Double> slow = slowSizes();
        return found.limit() == WindowFit.Limit.NOTHING && slow.size() == 1
            ? new ServiceTime(1 / median(rates.stream().filter(one -> slow.contains(one.trial().size())).map(Measured::rate)), Double.NaN)
            : new ServiceTime(found.perMessage(), found.perByte());
    }

    private static double median(Stream<Double> rates) {
        return HodgesLehmann.median(rates.mapToDouble(Double::doubleValue).sorted().toArray());
    }

    /** Returns the trial over the longest distance with the smallest messages; null when there is none. */
    @Nullable Measured farthest() {
        return rates.stream()
            .max(Comparator.comparingDouble((Measured one) -> one.trial().roundTrip()).thenComparing(one -> -one.trial().size()))
            .orElse(null);
    }
}
