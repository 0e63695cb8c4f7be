package io.brokermeter.analysis.limit;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

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

    /** The use of a processor, in percent, from which on nothing is left of it. */
    private static final double FULL = 90;
    /** The part of the time, in percent, from which on pauses of a broker count. */
    private static final double COLLECTING = 5;
    /** The part of the limit up to which a load is well below it, and how much of the strain there is too much for a cause. */
    private static final double LOW = 0.6;
    private static final double HARDLY = 0.9;

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
     * @param reached the rate that was received, or sent where nothing receives, per second; NaN if unknown
     * @param p50 median of the time that counts, in microseconds; NaN if unknown
     * @param p99 its 99th percentile
     * @param p999 its 99.9th percentile
     * @param time the name of that time, as {@code response}
     * @param strain how busy the broker and its machine were
     */
    public record Tried(int number, double load, Outcome outcome, List<String> missed, List<String> reasons, double reached, double p50,
            double p99, double p999, String time, Strain strain) {

        public Tried {
            missed = List.copyOf(missed);
            reasons = List.copyOf(reasons);
        }

        /** Returns what the reached rate is one of: {@code received}, or {@code sent}. */
        String flow() {
            return time.equals("send") ? "sent" : "received";
        }
    }

    /**
     * How busy a broker and its machine were in a trial; what is not known is NaN.
     *
     * @param thread name of the busiest thread of the broker; empty if unknown
     * @param threadPercent its use of a processor
     * @param collectionPercent the part of the time for which garbage collection stopped the broker
     * @param machinePercent use of all processors of this machine
     */
    public record Strain(String thread, double threadPercent, double collectionPercent, double machinePercent) {

        /** Nothing is known. */
        public static final Strain UNKNOWN = new Strain("", Double.NaN, Double.NaN, Double.NaN);
    }

    /**
     * What is believed at a load.
     *
     * @param higher probability that the limit is higher than the load
     */
    public record Believed(double load, double higher) {}

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

    /**
     * Returns why trials near the limit failed, as far as the broker's use of its machine shows it: {@code one of the broker's threads is at 99 %};
     * empty where nothing was used up, and where it was so at loads well below the limit, too.
     */
    public Optional<String> cause() {
        String thread = failedNear().stream().map(tried -> tried.strain().thread()).filter(name -> !name.isEmpty()).findFirst().orElse("");
        double busy = strained(FULL, Strain::threadPercent);
        double collecting = strained(COLLECTING, Strain::collectionPercent);
        double machine = strained(FULL, Strain::machinePercent);
        return busy > 0 ? Optional.of(String.format(Locale.ROOT, "one of the broker's threads (%s) is at %.0f %%", thread.strip(), busy))
            : collecting > 0
                ? Optional.of(String.format(Locale.ROOT, "garbage collection stops the broker for %.0f %% of the time", collecting))
                : machine > 0 ? Optional.of(String.format(Locale.ROOT, "the machine's processors are %.0f %% busy", machine))
                    : Optional.empty();
    }

    /** Returns the median of a strain in the trials that failed near the limit; 0 where it is small, or hardly less at low loads. */
    private double strained(double least, ToDoubleFunction<Strain> kind) {
        double high = median(failedNear().stream(), kind);
        double most = limit == null ? 0 : LOW * limit.estimate();
        double low = median(Stream.of(trials, curve).flatMap(List::stream).filter(tried -> tried.load() <= most), kind);
        return high >= least && !(low >= HARDLY * high) ? high : 0;
    }

    private static double median(Stream<Tried> trials, ToDoubleFunction<Strain> kind) {
        double[] values = trials.map(Tried::strain).mapToDouble(kind).filter(Double::isFinite).sorted().toArray();
        return values.length == 0 ? Double.NaN : values[values.length / 2];
    }

    /** Returns the last of the long trials that was valid. */
    public Optional<Tried> confirmation() {
        return confirmations.reversed().stream().filter(tried -> tried.outcome() != Outcome.NOT_VALID).findFirst();
    }
}
