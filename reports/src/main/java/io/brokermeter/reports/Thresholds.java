package io.brokermeter.reports;

import java.util.List;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.ResultDocument;

/** Formats the values of a run beside its thresholds, for its document and in words. */
public final class Thresholds {

    private Thresholds() {}

    public static List<ResultDocument.LimitDocument> of(RunResult r) {
        return r.thresholds().stream().map(one -> {
            Threshold threshold = one.threshold();
            return new ResultDocument.LimitDocument(threshold.text(), threshold.phase(), threshold.figure().key(),
                DocumentJson.rounded(one.value(), 6), threshold.comparison().sign(), DocumentJson.rounded(threshold.limit(), 6),
                threshold.figure().unit().suffix(), one.passed(), one.judged(), one.aborted(), sentence(one));
        }).toList();
    }

    /** Returns one sentence: {@code response.p99 < 10ms: 1.20 ms}, or why there is no value. */
    public static String sentence(ThresholdResult one) {
        return one.threshold().text() + ": " + value(one) + (one.judged() ? "" : ", but that may be the generator's");
    }

    private static String value(ThresholdResult one) {
        if (!Double.isNaN(one.value())) {
            return amount(one.threshold(), one.value()) + (one.aborted() ? ", and the run was ended for it" : "");
        }
        if (one.threshold().figure() instanceof Threshold.Time time) {
            return one.samples() <= 0 ? "there are no samples" : "there are " + Amounts.count(one.samples()) + " samples, and p"
                + Numbers.plain(time.percentile()) + " needs " + Amounts.count(needed(time.percentile()));
        }
        return "it is not known";
    }

    /**
     * Formats a value with as many digits as distinguish it from the limit: one that narrowly misses it must not read like one that keeps
     * it.
     */
    static String amount(Threshold threshold, double value) {
        Quantity.Unit unit = threshold.figure().unit();
        String text = Amounts.of(value, unit);
        boolean distinct = value == threshold.limit() || !text.equals(Amounts.of(threshold.limit(), unit));
        return distinct ? text : (Numbers.plain(value) + " " + unit.suffix()).strip();
    }

    /** Returns the number of samples that a percentile needs, as {@link Distribution#supports} requires. */
    private static double needed(double percentile) {
        return percentile <= 50 ? 1 : Math.ceil(1000 / (100 - percentile) - 1e-6);
    }
}
