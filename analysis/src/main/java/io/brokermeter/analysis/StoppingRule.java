package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;

/**
 * When interleaved pairs of trials are enough: at fixed numbers of pairs the interval of the ratio is looked at, and it is its width alone that ends the
 * measurement. Who stops as soon as a difference is significant finds one too often, and his intervals cover the truth too seldom. For the several looks the interval is one of 96 %.
 *
 * @param pairs the numbers of pairs, rising; the last is the most
 * @param width an interval is narrow enough when its upper end is at most this share above its lower one, such as 0.03
 * @param confidence of the interval at each look
 */
public record StoppingRule(List<Integer> pairs, double width, double confidence) {

    /** 8, 12, 18 and 30 pairs, 3 %, 96 %. */
    public static final StoppingRule USUAL = new StoppingRule(List.of(8, 12, 18, 30), 0.03, 0.96);

    public StoppingRule {
        pairs = List.copyOf(pairs);
        if (pairs.isEmpty() || pairs.getFirst() < HodgesLehmann.FEWEST) {
            throw new IllegalArgumentException("The first look is at " + HodgesLehmann.FEWEST + " pairs or later");
        }
    }

    /**
     * Looks at other numbers of pairs, or with another width.
     *
     * @param text numbers with commas between, like {@code 8,12,18,30}
     * @throws UsageException with one sentence
     */
    public static StoppingRule of(String text, double width) {
        List<Integer> pairs = new ArrayList<>();
        for (String number : text.split(",")) {
            long count = Units.count(number.strip());
            if (count < HodgesLehmann.FEWEST || count > HodgesLehmann.MOST || !pairs.isEmpty() && count <= pairs.getLast()) {
                throw new UsageException("'" + text + "' must be rising numbers from " + HodgesLehmann.FEWEST + " to " + HodgesLehmann.MOST
                    + " with commas between, like 8,12,18,30.");
            }
            pairs.add((int) count);
        }
        return new StoppingRule(pairs, width, USUAL.confidence());
    }

    /** The most pairs that are ever measured. */
    public int most() {
        return pairs.getLast();
    }

    /** Whether there is a look after this number of pairs. */
    public boolean isLook(int count) {
        return pairs.contains(count);
    }

    /** Whether an interval is narrow enough to end at. */
    public boolean isNarrow(ConfidenceInterval ratio) {
        return ratio.high() <= ratio.low() * (1 + width);
    }
}
