package io.brokermeter.analysis.limit;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.LimitPosterior;
import org.jspecify.annotations.Nullable;

/**
 * The search for the highest load that holds: which load to try next, from the outcomes so far, and when enough is known. It doubles or halves
 * the load until both outcomes were seen, and then tries, in turn, the median of what is believed of the limit and loads somewhat below and
 * above it, which also show how much the limit differs from one trial to the next. The next load is a function of the outcomes alone, so a
 * search that was interrupted goes on from its files. Mutable; used by one thread.
 */
public final class LimitSearch {

    /** The fewest trials after which the answer may be clear. */
    private static final int FEWEST = 8;
    /** The number of trials that were not valid, one after the other, after which no more are made. */
    private static final int NOT_VALID = 2;
    /** How far from the median the trials beside it are, in spreads. */
    private static final double BESIDE = 0.8;

    /** What a trial said. */
    public enum Outcome {
        HELD, FAILED,
        /** The generator and not the broker was the limit, or nothing was measured; it says nothing about the limit. */
        NOT_VALID
    }

    /** Why a search is over. */
    public enum End {
        /** The interval is narrow enough. */
        CLEAR,
        /** As many trials as were allowed were made. */
        TRIALS_USED,
        /** The last trials were not valid. */
        NOT_VALID,
        /** The greatest load of the range held. */
        ABOVE_RANGE,
        /** The smallest load of the range failed. */
        BELOW_RANGE
    }

    /**
     * The rules of a search.
     *
     * @param least smallest load, above 0
     * @param most greatest load
     * @param start load of the first trial, within the range
     * @param width the relative width of the interval that ends the search: by how much its upper end may be above its lower end
     * @param confidence probability that the interval contains the limit
     * @param trials the greatest number of trials
     * @param whole whether the load is a whole number, such as a number of producers
     */
    public record Rules(double least, double most, double start, double width, double confidence, int trials, boolean whole) {

        public Rules {
            if (!(least > 0 && least <= start && start <= most && width > 0 && confidence > 0 && confidence < 1 && trials > 0)) {
                throw new IllegalArgumentException("No rules of a search: " + least + " <= " + start + " <= " + most + ", " + width + ", "
                    + confidence + ", " + trials);
            }
        }

        /** Returns these rules with another load of the first trial. */
        public Rules from(double load) {
            return new Rules(least, most, load, width, confidence, trials, whole);
        }
    }

    private final Rules rules;
    private final LimitPosterior posterior;
    private final List<Outcome> outcomes = new ArrayList<>();
    private double greatestHeld = Double.NaN;
    private double smallestFailed = Double.NaN;
    private int valid;

    /** Creates a search without any trial. */
    public LimitSearch(Rules rules) {
        this.rules = rules;
        // The limit may lie outside of the loads that can be tried; a part of the grid there keeps the ends from looking certain.
        posterior = new LimitPosterior(rules.least / 1.5, rules.most * 1.5);
    }

    /** Adds the outcome of a trial at a load. */
    public void add(double load, Outcome outcome) {
        outcomes.add(outcome);
        if (outcome == Outcome.NOT_VALID) {
            return;
        }
        valid++;
        count(load, outcome == Outcome.HELD, 1);
    }

    /**
     * Adds the outcome of a long trial at the lower end of the interval. One that holds changes nothing, since that is what was expected; one
     * that fails counts as {@code times} trials.
     */
    public void confirm(double load, boolean held, int times) {
        if (!held) {
            valid += times;
            count(load, false, times);
        }
    }

    private void count(double load, boolean held, int times) {
        posterior.add(load, held, times);
        if (held) {
            greatestHeld = Double.isNaN(greatestHeld) ? load : Math.max(greatestHeld, load);
        } else {
            smallestFailed = Double.isNaN(smallestFailed) ? load : Math.min(smallestFailed, load);
        }
    }

    /** Returns the load of the next trial, also when the search is over. */
    public double next() {
        if (Double.isNaN(greatestHeld) && Double.isNaN(smallestFailed)) {
            return whole(rules.start);
        }
        if (Double.isNaN(smallestFailed)) {
            return whole(Math.min(rules.most, greatestHeld * 2));
        }
        if (Double.isNaN(greatestHeld)) {
            return whole(Math.max(rules.least, smallestFailed / 2));
        }
        double beside = BESIDE * posterior.spread();
        double middle = posterior.limit(rules.confidence).estimate();
        double load = middle * Math.exp(switch (valid % 3) {
            case 0 -> 0;
            case 1 -> -beside;
            default -> beside;
        });
        return whole(Math.clamp(load, rules.least, rules.most));
    }

    private double whole(double load) {
        return rules.whole ? Math.max(1, Math.rint(load)) : load;
    }

    /** Returns why the search is over; null as long as it is not. */
    public @Nullable End end() {
        int size = outcomes.size();
        if (size >= NOT_VALID && outcomes.subList(size - NOT_VALID, size).stream().allMatch(one -> one == Outcome.NOT_VALID)) {
            return End.NOT_VALID;
        }
        // Whatever came before: a trial of the other outcome may be an accident. So may one trial alone.
        if (valid > 1 && posterior.below(rules.most) < (1 - rules.confidence) / 2) {
            return End.ABOVE_RANGE;
        }
        if (valid > 1 && 1 - posterior.below(rules.least) < (1 - rules.confidence) / 2) {
            return End.BELOW_RANGE;
        }
        if (isBracketed() && valid >= FEWEST) {
            ConfidenceInterval limit = limit();
            boolean narrow = limit.high() / limit.low() - 1 <= rules.width
                || rules.whole && Math.floor(limit.high()) - Math.floor(limit.low()) < 1;
            if (narrow) {
                return End.CLEAR;
            }
        }
        return size >= rules.trials ? End.TRIALS_USED : null;
    }

    private boolean isBracketed() {
        return !Double.isNaN(greatestHeld) && !Double.isNaN(smallestFailed);
    }

    /** Returns whether there is a limit: some trial held and some trial failed, and the limit is not outside of the range. */
    public boolean hasLimit() {
        End end = end();
        return isBracketed() && end != End.ABOVE_RANGE && end != End.BELOW_RANGE;
    }

    /** Returns what is believed of the limit; as wide as the range before the first trial. */
    public ConfidenceInterval limit() {
        return posterior.limit(rules.confidence);
    }

    /** Returns by which share the limit differs from one trial to the next, as far as it is known. */
    public double spread() {
        return posterior.spread();
    }

    /** Returns the probability that the limit is at most {@code load}. */
    public double below(double load) {
        return posterior.below(load);
    }

    /** Returns the rules. */
    public Rules rules() {
        return rules;
    }

    /** Returns the outcomes so far. */
    public List<Outcome> outcomes() {
        return List.copyOf(outcomes);
    }
}
