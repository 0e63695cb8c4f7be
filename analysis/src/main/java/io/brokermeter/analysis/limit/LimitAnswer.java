package io.brokermeter.analysis.limit;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

import io.brokermeter.analysis.limit.LimitSearch.End;
import io.brokermeter.analysis.limit.LimitSearch.Outcome;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import org.jspecify.annotations.Nullable;

/**
 * What a search found. Immutable.
 *
 * @param quantity what was searched
 * @param goals the goals that a trial must meet, as the user wrote them
 * @param limit the limit with its interval; null as long as no trial held or none failed
 * @param spread by which share the limit differs from one trial to the next
 * @param end why the search is over; null when it is not, as its time was up or a signal came
 * @param trials the trials of the search, in their order
 * @param confirmations the long trials at the lower end of the interval, in their order
 * @param curve the trials below the limit, from the smallest load to the greatest
 * @param posterior what is believed of the limit, from the smallest load to the greatest; empty where it is not known
 */
public record LimitAnswer(Quantity quantity, List<String> goals, @Nullable ConfidenceInterval limit, double spread, @Nullable End end,
        List<Tried> trials, List<Tried> confirmations, List<Tried> curve, List<Believed> posterior) {

    /**
     * What is searched.
     *
     * @param key path of its key in a scenario file
     * @param words its name for people, as {@code producers}; empty for the rate
     */
    public record Quantity(String key, String words) {

        /** The rate of all producers together. */
        public static final Quantity RATE = new Quantity("load.rate", "");

        public boolean isRate() {
            return equals(RATE);
        }
    }

    /**
     * A trial.
     *
     * @param number its number in the sweep, from 1
     * @param load its load
     * @param missed what it missed, in the words of the goals; empty when it held
     * @param reasons further words about a trial that failed or was not valid: its causes, or why it was not valid
     * @param reached the rate that was received, per second; NaN if unknown
     * @param p50 median of the time that counts, in microseconds; NaN if unknown
     * @param p99 its 99th percentile
     * @param p999 its 99.9th percentile
     * @param time the name of that time, as {@code response}
     */
    public record Tried(int number, double load, Outcome outcome, List<String> missed, List<String> reasons, double reached, double p50,
            double p99, double p999, String time) {

        public Tried {
            missed = List.copyOf(missed);
            reasons = List.copyOf(reasons);
        }
    }

    /**
     * What is believed at a load.
     *
     * @param higher probability that the limit is higher than the load
     */
    public record Believed(double load, double higher) {}

    /** The components of an answer by name, for {@link #of}. */
    @SuppressWarnings("NullAway.Init") // components without a default are checked when all are set
    public static final class Values {

        public Quantity quantity;
        public List<String> goals = List.of();
        public @Nullable ConfidenceInterval limit;
        public double spread;
        public @Nullable End end;
        public List<Tried> trials = List.of();
        public List<Tried> confirmations = List.of();
        public List<Tried> curve = List.of();
        public List<Believed> posterior = List.of();

        private Values() {}
    }

    /** Creates an answer with the values that {@code change} sets. */
    public static LimitAnswer of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new LimitAnswer(Objects.requireNonNull(its.quantity, "quantity"), its.goals, its.limit, its.spread, its.end, its.trials,
            its.confirmations, its.curve, its.posterior);
    }

    public LimitAnswer {
        goals = List.copyOf(goals);
        trials = List.copyOf(trials);
        confirmations = List.copyOf(confirmations);
        posterior = List.copyOf(posterior);
        curve = List.copyOf(curve.stream().sorted(Comparator.comparingDouble(Tried::load)).toList());
    }

    /**
     * Returns what the trials near the limit missed, with the number of trials that missed it, the most frequent first: of those that failed at
     * a load up to one and a half times the limit, or of all that failed where there is none.
     */
    public List<Map.Entry<String, Integer>> missedFirst() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        failedNear().forEach(tried -> tried.missed().forEach(missed -> counts.merge(missed, 1, Integer::sum)));
        return counts.entrySet().stream().sorted(Map.Entry.<String, Integer>comparingByValue().reversed()).toList();
    }

    /** Returns the trials that failed near the limit. */
    public List<Tried> failedNear() {
        double most = limit == null ? Double.POSITIVE_INFINITY : 1.5 * limit.estimate();
        return trials.stream().filter(tried -> tried.outcome() == Outcome.FAILED && tried.load() <= most).toList();
    }

    /** Returns the last of the long trials that was valid. */
    public Optional<Tried> confirmation() {
        return confirmations.reversed().stream().filter(tried -> tried.outcome() != Outcome.NOT_VALID).findFirst();
    }
}
