package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;

/**
 * The rule that decides when interleaved pairs of trials are enough: at fixed numbers of pairs the interval of the ratio is examined, and
 * only its width ends the measurement. Stopping as soon as a difference is significant would find differences too often, with intervals
 * that cover the true value too rarely.
 *
 * @param pairs the numbers of pairs at which the interval is examined, ascending; the last is the maximum
 * @param width relative width of an interval that is narrow enough: its upper end is at most this share above its lower end, such as 0.03
 */
public record StoppingRule(List<Integer> pairs, double width) {

    /**
     * The confidence of the interval at each look. Of several intervals the first that is narrow is taken, and one that is narrow by chance
     * covers the truth less often than its confidence says; with this one they cover it in {@value FigureComparison#CONFIDENCE} of all
     * cases at least, also where every number of pairs from 8 to 30 is a look (simulated). Six pairs have no interval of a higher one.
     */
    public static final double OF_EACH_LOOK = 0.968;

    /** The default rule: 8, 12, 18 and 30 pairs, a width of 3 %. */
    public static final StoppingRule USUAL = new StoppingRule(List.of(8, 12, 18, 30), 0.03);

    public StoppingRule {
        pairs = List.copyOf(pairs);
        if (pairs.isEmpty() || pairs.getFirst() < HodgesLehmann.FEWEST) {
            throw new IllegalArgumentException("The first look is at " + HodgesLehmann.FEWEST + " pairs or later");
        }
    }

    /**
     * Creates a rule with other numbers of pairs and another width.
     *
     * @param text numbers separated by commas, like {@code 8,12,18,30}
     * @throws UsageException when the text is not such a list
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
        return new StoppingRule(pairs, width);
    }

    /** Returns the maximum number of pairs. */
    public int most() {
        return pairs.getLast();
    }

    /** Returns whether the interval is examined after this number of pairs. */
    public boolean isLook(int count) {
        return pairs.contains(count);
    }

    /** Returns whether an interval is narrow enough to end the measurement. */
    public boolean isNarrow(ConfidenceInterval ratio) {
        return ratio.high() <= ratio.low() * (1 + width);
    }
}
