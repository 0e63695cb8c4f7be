package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.AgentRows;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.SentRate;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/** The content at the top of the page of a run: the conclusion and the tiles, from its result. */
final class RunFacts {

    private final StoredRun run;
    private final StoredResult result;
    private final ResultWords words;
    /** The rate of sends; for a run that only receives, that of its deliveries without the warm-up. */
    private final SentRate rate;
    /** The time shown first, the response time or the nearest to it; null if nothing was timed. */
    private final @Nullable Metric timed;

    RunFacts(StoredRun run) {
        this.run = run;
        this.result = run.result();
        this.words = new ResultWords(result);
        this.rate = result.sends() ? SentRate.of(result) : new SentRate(result.number(ResultField.MEAN_RECEIVED), Double.NaN);
        this.timed = Metric.MAIN.stream().filter(time -> result.samples(time) > 0).findFirst().orElse(null);
    }

    /** Returns a figure of the time that is shown first, in microseconds. */
    private double micros(String figure) {
        return timed == null ? Double.NaN : result.micros(timed, figure);
    }

    /** Returns whether the run left a result; otherwise the asked rate and the fate of its messages are unknown. */
    private boolean ended() {
        return run.state() == StoredRun.State.ENDED;
    }

    Conclusion conclusion() {
        // The cause in a result that was made of intervals is in the notes as well.
        List<String> reasons = new ArrayList<>(ended() ? words.reasons() : List.of());
        reasons.addAll(run.notes());
        return new Conclusion(words.verdict(), figures(), reasons);
    }

    /** Returns the result in one sentence. */
    private String figures() {
        double messages = Math.max(known(result.number(ResultField.SENT)), known(result.number(ResultField.RECEIVED)));
        if (messages == 0) {
            return "no message was sent or received.";
        }
        List<String> parts = new ArrayList<>();
        if (!ended()) {
            parts.add("after " + Amounts.seconds(result.number(ResultField.ELAPSED)));
        }
        if (Double.isFinite(rate.perSecond())) {
            parts.add(rate.words());
        } else {
            parts.add(Amounts.count(messages) + (messages == 1 ? " message" : " messages"));
        }
        if (timed != null) {
            boolean p99 = Double.isFinite(micros("p99"));
            parts.add(timed.words() + (p99 ? " p99 " + Margin.time(result, timed, "p99")
                : Double.isFinite(micros("p50")) ? " p50 " + Margin.time(result, timed, "p50") : " n/a"));
        }
        if (result.document().ledger() != null) {
            double lost = known(result.number(ResultField.LOST));
            double duplicated = known(result.number(ResultField.DUPLICATES));
            parts.add(lost == 0 && duplicated == 0
                ? "nothing lost or duplicated" + (known(result.number(ResultField.OTHER_DESTINATION)) > 0 ? " of what was expected" : "")
                : Amounts.count(lost) + " lost and " + Amounts.count(duplicated) + " duplicated");
        }
        return Sentences.list(parts) + "."
            + (!ended() || !result.success() ? ""
                : result.isGeneratorDoubted() ? " The generator may have been the limit."
                    : words.reasons().isEmpty()
                        ? " " + Character.toUpperCase(words.soundness().charAt(0)) + words.soundness().substring(1) + "."
                        : " Nothing speaks against the generator.");
    }

    private static double known(double value) {
        return Double.isFinite(value) ? value : 0;
    }

    List<Tile> tiles() {
        return List.of(rateTile(), timeTile(), ledgerTile(), brokerTile(), thresholdTile());
    }

    private Tile rateTile() {
        double asked = result.generator().askedPerSecond();
        String title = result.sends() ? "Sent a second" : "Received a second";
        String value = rate.isAsked() ? Amounts.rate(rate.perSecond())
            : Margin.rate(result, result.sends() ? ResultField.MEAN_SENT : ResultField.MEAN_RECEIVED);
        if (!Double.isFinite(asked)) {
            double received = result.number(ResultField.MEAN_RECEIVED);
            return new Tile("tile-rate", title, value, bytes() + (result.sends() && Double.isFinite(received)
                ? "received " + Amounts.rate(received) + "; " : "") + (ended() ? "no rate was asked" : "what was asked is not known"),
                Tile.Mark.NONE);
        }
        double share = result.generator().achievedRatio();
        return new Tile("tile-rate", title, value,
            bytes() + (rate.isAsked() ? "of " + Amounts.rate(asked) + " asked" : ofSome(asked))
                + (Double.isFinite(share) ? ", " + share(share) + " sent in time" : ""),
            kept(share));
    }

    /** Returns the rate of bytes of bodies, to stand before a description; empty where there is none, as in files of earlier versions. */
    private String bytes() {
        double perSecond = result.number(result.sends() ? ResultField.MEAN_SENT_BYTES : ResultField.MEAN_RECEIVED_BYTES);
        return perSecond > 0 ? Amounts.byteRate(perSecond) + "; " : "";
    }

    /** Describes the asked rate of a part of those whose rate the tile shows, with the rate that this part reached. */
    private String ofSome(double asked) {
        double reached = result.generator().reachedPerSecond();
        return (Double.isFinite(reached) ? Amounts.rate(reached) + " of " : "") + Amounts.rate(asked) + " asked of "
            + (AgentRows.isAnyLost(result) ? "the other agents" : "producers with a schedule");
    }

    /** Returns the mark of the rate; none before the end, or if it is unknown how much was sent in time. */
    private Tile.Mark kept(double share) {
        if (result.isRateMissed()) {
            return Tile.Mark.BAD;
        }
        return !ended() || Double.isNaN(share) ? Tile.Mark.NONE : share < Schedule.KEPT ? Tile.Mark.BAD : Tile.Mark.GOOD;
    }

    /** Formats a share in percent, which is 100 only for the whole. */
    private static String share(double share) {
        return share >= 1 ? "100 %" : String.format(Locale.ROOT, "%.1f %%", Math.min(99.9, 100 * share));
    }

    private Tile timeTile() {
        if (timed == null) {
            return new Tile("tile-time", "Response time", Amounts.UNKNOWN, "nothing was timed", Tile.Mark.NONE);
        }
        String words = timed.words();
        return new Tile("tile-time", Character.toUpperCase(words.charAt(0)) + words.substring(1) + " p50 / p99 / p99.9",
            Amounts.time(micros("p50")) + " / " + Amounts.time(micros("p99")) + " / " + Amounts.time(micros("p99.9")),
            margins(timed, "p50", "p99", "p99.9") + "at most " + Amounts.time(micros("max")) + ", of "
                + Amounts.count(result.samples(timed))
                + (Double.isFinite(micros("p99.9")) ? "" : "; n/a for too few samples")
                + (result.marked(timed).isEmpty() ? "" : "; own stalls explain " + String.join(", ", result.marked(timed))),
            Tile.Mark.NONE);
    }

    /** Returns the margins of some figures of a time; empty if there are none. */
    private String margins(Metric time, String... figures) {
        List<String> margins = Stream.of(figures).map(figure -> Margin.ofTime(micros(figure), result.confidence(time, figure), true))
            .filter(margin -> !margin.isEmpty()).toList();
        return margins.isEmpty() ? "" : "95 %: " + String.join(" / ", margins) + "; ";
    }

    private Tile ledgerTile() {
        if (result.document().ledger() == null) {
            return new Tile("tile-ledger", "Lost / duplicated", Amounts.UNKNOWN,
                ended() ? "no ledger was kept" : "not known without a result",
                Tile.Mark.NONE);
        }
        double lost = known(result.number(ResultField.LOST));
        double duplicated = known(result.number(ResultField.DUPLICATES));
        double missing = known(result.number(ResultField.LEFT)) + known(result.number(ResultField.UNDELIVERED));
        double others = known(result.number(ResultField.OTHER_DESTINATION));
        return new Tile("tile-ledger", "Lost / duplicated", Amounts.count(lost) + " / " + Amounts.count(duplicated),
            "of " + Amounts.count(result.number(ResultField.EXPECTED)) + " expected"
                + (AgentRows.isAnyLost(result) ? " of the other agents" : "")
                + (missing > 0 ? "; " + Amounts.count(missing) + " left or not in time" : "")
                + (others > 0 ? "; " + Amounts.count(others) + " came from other destinations" : ""),
            // A duplicate fails no run, nor does a loss that was allowed.
            lost + duplicated + missing == 0 ? Tile.Mark.GOOD : lost + missing > 0 && !result.success() ? Tile.Mark.BAD : Tile.Mark.NONE);
    }

    private Tile brokerTile() {
        double cpu = result.number(ResultField.BROKER_CPU);
        if (!Double.isFinite(cpu)) {
            return new Tile("tile-broker", "Broker CPU", Amounts.UNKNOWN, "the broker was not observed", Tile.Mark.NONE);
        }
        double most = result.number(ResultField.BROKER_CPU_MAX);
        double each = result.number(ResultField.BROKER_CPU_PER_MESSAGE);
        return new Tile("tile-broker", "Broker CPU", Amounts.percent(cpu),
            "of a core" + (Double.isFinite(most) ? ", at most " + Amounts.percent(most) : "")
                + (Double.isFinite(each) ? "; " + Amounts.time(each) + " a message" : ""),
            Tile.Mark.NONE);
    }

    private Tile thresholdTile() {
        List<StoredResult.StoredThreshold> thresholds = result.thresholds();
        int all = thresholds.size();
        long missed = thresholds.stream().filter(one -> !one.passed() || !one.judged()).count();
        if (all == 0) {
            return new Tile("tile-thresholds", "Thresholds", "none", ended() ? "set them with --threshold" : "checked at the end",
                Tile.Mark.NONE);
        }
        return new Tile("tile-thresholds", "Thresholds", all - missed + " of " + all + " met", "",
            missed == 0 ? Tile.Mark.GOOD : Tile.Mark.BAD);
    }
}
