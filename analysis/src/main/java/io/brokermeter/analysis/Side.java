package io.brokermeter.analysis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Trials of one thing.
 *
 * @param letter how it is called in a comparison: A, B, C
 * @param title which runs these are, for people
 * @param trials in the order of time, as far as that is known; at least one
 */
public record Side(String letter, String title, List<MeasuredTrial> trials) {

    public Side {
        trials =
            trials.stream().sorted(Comparator.comparing(MeasuredTrial::start, Comparator.nullsLast(Comparator.<Instant>naturalOrder())))
                .toList();
    }

    /** Those whose figures count. */
    public List<MeasuredTrial> fit() {
        return trials.stream().filter(trial -> trial.unfit() == null).toList();
    }

    /** How many trials do not count, by the reason: {@code 2 failed, 1 cut off}; empty for none. */
    public String leftOut() {
        Map<String, Integer> all = new LinkedHashMap<>();
        for (MeasuredTrial trial : trials) {
            String reason = trial.unfit();
            if (reason != null) {
                all.merge(reason, 1, Integer::sum);
            }
        }
        return all.entrySet().stream().map(reason -> reason.getValue() + " " + reason.getKey()).collect(Collectors.joining(", "));
    }

    /** How many of the trials that count missed the rate that was asked of them. */
    int missedRates() {
        return (int) fit().stream().filter(MeasuredTrial::missesRate).count();
    }

    /** The figure of each trial that has it. */
    public double[] values(ComparedFigure figure) {
        return trials.stream().mapToDouble(trial -> trial.figure(figure)).filter(Double::isFinite).toArray();
    }

    /**
     * The trials of two sides two by two, when they were measured in turn: every first and every second one, in whichever order, before the
     * next of both. Drift of the machine then falls on both alike. Empty when they were not; a last one without a partner is left over.
     */
    static List<Pair> pairs(Side first, Side second) {
        List<Pair> pairs = new ArrayList<>();
        int count = Math.min(first.trials.size(), second.trials.size());
        if (Math.max(first.trials.size(), second.trials.size()) > count + 1) {
            return List.of();
        }
        Instant before = Instant.MIN;
        for (int i = 0; i < count; i++) {
            MeasuredTrial one = first.trials.get(i);
            MeasuredTrial other = second.trials.get(i);
            Instant start = one.start();
            Instant end = other.start();
            if (start == null || end == null || start.isBefore(before) || end.isBefore(before)) {
                return List.of();
            }
            before = start.isAfter(end) ? start : end;
            pairs.add(new Pair(one, other));
        }
        // One without a partner that ran earlier says that another one's partner is missing.
        Instant last = before;
        boolean isEarlier = Stream.of(first, second).flatMap(side -> side.trials.stream().skip(count)).map(MeasuredTrial::start)
            .anyMatch(start -> start != null && start.isBefore(last));
        return isEarlier ? List.of() : pairs;
    }

    /** Trials that were measured one after the other. */
    record Pair(MeasuredTrial first, MeasuredTrial second) {}
}
