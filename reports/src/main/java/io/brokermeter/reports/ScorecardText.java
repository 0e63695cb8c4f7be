package io.brokermeter.reports;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

import io.brokermeter.engine.recording.RunResult;
import org.jspecify.annotations.Nullable;

/** The scorecard of one run, or of several runs of the same fault, for people: at most 79 columns and 20 lines. */
public final class ScorecardText {

    private static final int LABEL = 46;

    private final List<Map<String, @Nullable Object>> cards;

    private ScorecardText(List<Map<String, @Nullable Object>> cards) {
        this.cards = cards;
    }

    /**
     * The scorecard of runs; of several, each figure is the middle one with the lowest and the highest behind it.
     *
     * @param results those that have none are left out
     * @return empty when none has one
     */
    public static Optional<String> of(List<StoredResult> results) {
        List<Map<String, @Nullable Object>> cards = new ArrayList<>();
        results.forEach(result -> {
            Map<String, @Nullable Object> card = JsonText.map(result.values().get(ScorecardJson.NAME));
            if (!card.isEmpty()) {
                cards.add(card);
            }
        });
        return cards.isEmpty() ? Optional.empty() : Optional.of(new ScorecardText(cards).text());
    }

    /** The same of runs that have just ended and that send and receive. */
    public static Optional<String> ofRuns(List<RunResult> results) {
        RunShape shape = new RunShape(true, true, false, Duration.ZERO, 0);
        return of(results.stream().map(result -> ResultJson.stored(result, shape)).toList());
    }

    private String text() {
        List<String> lines = new ArrayList<>();
        boolean known = cards.stream().allMatch(card -> Boolean.TRUE.equals(card.get("faultKnown")));
        String from = known ? "the fault" : "it was noticed";
        lines.add(heading());
        lines.add("");
        if (known) {
            time(lines, "until a client noticed", "detectSeconds", "not noticed");
        }
        time(lines, "longest without a confirmed send", "withoutSendSeconds", "to the end");
        time(lines, "longest without a delivery", "withoutDeliverySeconds", "to the end");
        time(lines, "from " + from + " to 95 % of the rate", "to95PercentSeconds", "never");
        time(lines, "from the next delivery to no backlog", "catchUpSeconds", "never");
        time(lines, "longest wait of a message since it was due", "longestWaitSeconds", "not known");
        lines.add("");
        count(lines, "attempts to connect again by this tool", "attempts");
        count(lines, "connections restored", "restored");
        count(lines, "sends that failed", "sendsFailed");
        count(lines, "sends that a client tried again, and confirmed", "sendsRetried");
        count(lines, "confirmed and lost", "confirmedLost");
        count(lines, "confirmed, not come, perhaps in the broker", "confirmedUnaccounted");
        pair(lines, "of unknown fate, and delivered of them", "unknown", "unknownDelivered");
        pair(lines, "duplicates flagged as redelivered, not flagged", "duplicatesFlagged", "duplicatesUnflagged");
        count(lines, "duplicates that a client may have sent twice", "duplicatesResent");
        count(lines, "deliveries out of order", "outOfOrder");
        return String.join("\n", lines) + "\n";
    }

    private String heading() {
        long recovered = cards.stream().filter(card -> Boolean.TRUE.equals(card.get("recovered"))).count();
        String said = cards.size() == 1 ? recovered == 1 ? "RECOVERED" : "NOT RECOVERED"
            : recovered == cards.size() ? "RECOVERED in all of " + cards.size() + " runs"
                : "RECOVERED in " + recovered + " of " + cards.size() + " runs";
        double rate = middle(card -> number(card, "rateBefore"));
        return said + " from " + Amounts.rate(rate) + ", fault at " + Amounts.seconds(middle(card -> number(card, "faultSeconds")));
    }

    private static double number(Map<String, @Nullable Object> card, String name) {
        return StoredResult.number(card, List.of(name));
    }

    private DoubleStream known(ToDoubleFunction<Map<String, @Nullable Object>> figure) {
        return cards.stream().mapToDouble(figure).filter(Double::isFinite).sorted();
    }

    /** The lower of the two middle ones of an even number. */
    private double middle(ToDoubleFunction<Map<String, @Nullable Object>> figure) {
        double[] sorted = known(figure).toArray();
        return sorted.length == 0 ? Double.NaN : sorted[(sorted.length - 1) / 2];
    }

    private void time(List<String> lines, String label, String name, String missing) {
        double[] sorted = known(card -> number(card, name)).toArray();
        if (sorted.length == 0) {
            boolean receives = cards.stream().anyMatch(card -> Double.isFinite(number(card, "longestWaitSeconds")));
            boolean ofDeliveries = name.startsWith("withoutDel") || name.startsWith("catch") || name.startsWith("longest");
            if (!ofDeliveries || receives) {
                lines.add(row(label, missing));
            }
            return;
        }
        String text = Amounts.seconds(sorted[(sorted.length - 1) / 2]);
        if (cards.size() > 1) {
            text += sorted.length < cards.size() ? "  (" + missing + " in " + (cards.size() - sorted.length) + ")"
                : "  (" + Amounts.seconds(sorted[0]) + " .. " + Amounts.seconds(sorted[sorted.length - 1]) + ")";
        }
        lines.add(row(label, text));
    }

    private String counted(String name) {
        double[] sorted = known(card -> number(card, name)).toArray();
        if (sorted.length == 0) {
            return Amounts.UNKNOWN;
        }
        String text = Amounts.count(sorted[(sorted.length - 1) / 2]);
        return sorted[0] == sorted[sorted.length - 1] ? text
            : text + " (" + Amounts.count(sorted[0]) + " .. " + Amounts.count(sorted[sorted.length - 1]) + ")";
    }

    private void count(List<String> lines, String label, String name) {
        lines.add(row(label, counted(name)));
    }

    private void pair(List<String> lines, String label, String first, String second) {
        lines.add(row(label, counted(first) + ", " + counted(second)));
    }

    private static String row(String label, String text) {
        return label + " ".repeat(Math.max(2, LABEL + 2 - label.length())) + text;
    }
}
