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
 * One side of a comparison: trials of the same thing.
 *
 * @param letter name of the side in a comparison: A, B, C
 * @param title description of the runs, for people
 * @param trials the trials in the order of time, as far as it is known; at least one
 */
public record Side(String letter, String title, List<MeasuredTrial> trials) {

    public Side {
        trials =
            trials.stream().sorted(Comparator.comparing(MeasuredTrial::start, Comparator.nullsLast(Comparator.<Instant>naturalOrder())))
                .toList();
    }

    /** Returns the trials whose figures count. */
    public List<MeasuredTrial> fit() {
        return trials.stream().filter(trial -> trial.unfit() == null).toList();
    }

    /** Returns the numbers of trials that do not count, by reason: {@code 2 failed, 1 cut off}; empty for none. */
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

    /** Returns the number of trials that count but missed their requested rate. */
    int missedRates() {
        return (int) fit().stream().filter(MeasuredTrial::missesRate).count();
    }

    /** Returns the figure of each trial that has it. */
    public double[] values(ComparedFigure figure) {
        return trials.stream().mapToDouble(trial -> trial.figure(figure)).filter(Double::isFinite).toArray();
    }

    /**
     * Pairs the trials of two sides if they were measured in turn: the n-th trial of each side, in whichever order, before the next trial
     * of both. Drift of the machine then affects both sides alike. Returns an empty list if the trials were not measured in turn; a last
     * trial without a partner is left out.
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
        // A trial without a partner that began earlier shows that the partner of another trial is missing.
        Instant last = before;
        boolean isEarlier = Stream.of(first, second).flatMap(side -> side.trials.stream().skip(count)).map(MeasuredTrial::start)
            .anyMatch(start -> start != null && start.isBefore(last));
        return isEarlier ? List.of() : pairs;
    }

    /** Two trials that were measured one after the other. */
    record Pair(MeasuredTrial first, MeasuredTrial second) {}
}
