package io.brokermeter.analysis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.analysis.statistics.SerialCorrelation;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.Amounts;
import org.jspecify.annotations.Nullable;

/**
 * The order in which the trials of two sides that count were measured.
 *
 * @param inTurn whether they were measured in pairs, one of each side
 * @param blocks the stretches of trials of one side, in the order of time; empty if the start of a trial is not known
 * @param correlation how alike neighbouring trials are: differences of pairs, or else trials within each side; null if too few have the
 *     deciding figure
 */
record TrialOrder(boolean inTurn, List<Block> blocks, @Nullable SerialCorrelation correlation) {

    /** The name of this condition in options and files. */
    static final String NAME = "order";

    /** The number of blocks up to which each is named. */
    private static final int NAMED = 4;

    /**
     * Trials of one side of which none of the other came in between.
     *
     * @param before time from the start of the trial before to that of the first of these; zero for the first block
     */
    record Block(String letter, int trials, Duration before) {}

    private record Started(String letter, Instant time) {}

    /** Returns the order of the trials of two sides, with the correlation of a figure. */
    static TrialOrder of(Side first, Side second, ComparedFigure figure) {
        List<Side.Pair> pairs = Side.pairs(first, second);
        double[][] series = !pairs.isEmpty()
            ? new double[][] {pairs.stream()
                .mapToDouble(pair -> Math.log(pair.second().figure(figure)) - Math.log(pair.first().figure(figure)))
                .filter(Double::isFinite).toArray()}
            : Stream.of(first, second).map(side -> side.fit().stream().mapToDouble(trial -> Math.log(trial.figure(figure)))
                .filter(Double::isFinite).toArray()).toArray(double[][]::new);
        return new TrialOrder(!pairs.isEmpty(), blocks(first, second), SerialCorrelation.of(series));
    }

    private static List<Block> blocks(Side first, Side second) {
        List<Started> all = new ArrayList<>();
        for (Side side : List.of(first, second)) {
            for (MeasuredTrial trial : side.fit()) {
                if (trial.start() == null) {
                    return List.of();
                }
                all.add(new Started(side.letter(), Objects.requireNonNull(trial.start())));
            }
        }
        all.sort(Comparator.comparing(Started::time));
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Started one = all.get(i);
            Block last = blocks.isEmpty() ? null : blocks.getLast();
            if (last != null && last.letter().equals(one.letter())) {
                blocks.set(blocks.size() - 1, new Block(last.letter(), last.trials() + 1, last.before()));
            } else {
                blocks.add(new Block(one.letter(), 1, i == 0 ? Duration.ZERO : Duration.between(all.get(i - 1).time(), one.time())));
            }
        }
        return blocks;
    }

    /**
     * Returns whether the sides were measured so much one after the other that a drift, or noise that lasts for several trials, looks like a
     * difference between them: the sides change at most half as often as in a random order. (Of sides that are alike, 16 to 19 % differ
     * where all trials of one came first and the noise of neighbouring trials has a correlation of 0.6; in other orders 7 % at most.)
     */
    boolean isBlocked() {
        long first = blocks.stream().filter(block -> block.letter().equals(blocks.getFirst().letter())).mapToLong(Block::trials).sum();
        long all = blocks.stream().mapToLong(Block::trials).sum();
        return !inTurn && blocks.size() > 1 && (blocks.size() - 1) * all <= first * (all - first);
    }

    /** Returns the condition that makes sides incomparable unless it is intended; null for an order that does not. */
    @Nullable Confounder confounder(Side first, Side second) {
        return isBlocked() ? new Confounder(NAME, of(first.letter()), of(second.letter()), false) : null;
    }

    private String of(String letter) {
        return blocks.stream().filter(block -> block.letter().equals(letter))
            .map(block -> block.trials() + (block == blocks.getFirst() ? " first" : " " + later(block)))
            .collect(Collectors.joining(" and "));
    }

    private static String later(Block block) {
        return Amounts.seconds(block.before().toMillis() / 1e3) + " later";
    }

    /** Returns the order in words: {@code in turn}, {@code 6 trials of A, 6 of B 14.0 min later}; empty if it is not known. */
    String text() {
        if (inTurn) {
            return "in turn";
        }
        List<String> named = new ArrayList<>();
        for (Block block : blocks.stream().limit(NAMED).toList()) {
            named.add(named.isEmpty() ? Counted.of(block.trials(), "trial") + " of " + block.letter()
                : block.trials() + " of " + block.letter() + " " + later(block));
        }
        return String.join(", ", named) + (blocks.size() > NAMED ? ", and so on" : "");
    }
}
