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

/** The scorecard of one run, or of several runs of the same fault, for people: at most 79 columns and 20 lines, and three for each fault after the first. */
public final class ScorecardText {

    private static final int LABEL = 46;

    private final List<Map<String, @Nullable Object>> cards;

    private ScorecardText(List<Map<String, @Nullable Object>> cards) {
        this.cards = cards;
    }

    /**
     * A figure.
     *
     * @param label its name, for people
     * @param text its value with its unit; of several runs the middle one with the lowest and the highest behind it
     * @param time whether it is a time, and not a number of messages or attempts
     */
    public record Row(String label, String text, boolean time) {}

    /**
     * What the scorecard of runs says.
     *
     * @param heading whether they got over it, and from what
     * @param rows its figures, times first
     */
    public record Sheet(String heading, List<Row> rows) {

        public Sheet {
            rows = List.copyOf(rows);
        }
    }

    /**
     * The scorecard of runs; of several, each figure is the middle one with the lowest and the highest behind it.
     *
     * @param results those that have none are left out
     * @return empty when none has one
     */
    public static Optional<String> of(List<StoredResult> results) {
        return sheet(results).map(ScorecardText::text);
    }

    /** The same, row by row. */
    public static Optional<Sheet> sheet(List<StoredResult> results) {
        List<Map<String, @Nullable Object>> cards = new ArrayList<>();
        results.forEach(result -> {
            Map<String, @Nullable Object> card = JsonText.map(result.values().get(ScorecardJson.NAME));
            if (!card.isEmpty()) {
                cards.add(card);
            }
        });
        return cards.isEmpty() ? Optional.empty() : Optional.of(new ScorecardText(cards).sheet());
    }

    /** The same of runs that have just ended and that send and receive. */
    public static Optional<String> ofRuns(List<RunResult> results) {
        RunShape shape = new RunShape(true, true, false, Duration.ZERO, 0);
        return of(results.stream().map(result -> ResultJson.stored(result, shape)).toList());
    }

    private static String text(Sheet sheet) {
        StringBuilder text = new StringBuilder(sheet.heading()).append('\n');
        boolean times = false;
        for (Row row : sheet.rows()) {
            if (row.time() != times) {
                text.append('\n');
                times = row.time();
            }
            text.append(row.label()).append(" ".repeat(Math.max(2, LABEL + 2 - row.label().length()))).append(row.text()).append('\n');
        }
        return text.toString();
    }

    private Sheet sheet() {
        List<Row> rows = new ArrayList<>();
        boolean known = cards.stream().allMatch(card -> Boolean.TRUE.equals(card.get("faultKnown")));
        String from = known ? "the fault" : "it was noticed";
        if (known) {
            time(rows, "until a client noticed", "detectSeconds", "not noticed");
        }
        time(rows, "longest without a confirmed send", "withoutSendSeconds", "to the end");
        time(rows, "longest without a delivery", "withoutDeliverySeconds", "to the end");
        time(rows, "from " + from + " to 95 % of the rate", "to95PercentSeconds", "never");
        time(rows, "from the next delivery to no backlog", "catchUpSeconds", "never");
        time(rows, "longest wait of a message since it was due", "longestWaitSeconds", "not known");
        count(rows, "attempts to connect again by this tool", "attempts");
        count(rows, "connections restored", "restored");
        count(rows, "sends that failed", "sendsFailed");
        count(rows, "sends that a client tried again, and confirmed", "sendsRetried");
        count(rows, "confirmed and lost", "confirmedLost");
        count(rows, "confirmed, not come, perhaps in the broker", "confirmedUnaccounted");
        pair(rows, "of unknown fate, and delivered of them", "unknown", "unknownDelivered");
        pair(rows, "duplicates flagged as redelivered, not flagged", "duplicatesFlagged", "duplicatesUnflagged");
        count(rows, "duplicates that a client may have sent twice", "duplicatesResent");
        count(rows, "deliveries out of order", "outOfOrder");
        further(rows);
        return new Sheet(heading(), rows);
    }

    /** Of one run: times of the faults that came when it had got over the first. */
    private void further(List<Row> rows) {
        if (cards.size() != 1) {
            return;
        }
        for (Map<String, @Nullable Object> later : JsonText.maps(cards.getFirst().get(ScorecardJson.FURTHER))) {
            boolean over = Boolean.TRUE.equals(later.get("recovered"));
            rows.add(
                new Row("next fault, at " + Amounts.seconds(number(later, "faultSeconds")), over ? "recovered" : "not recovered", true));
            rows.add(new Row("  without a send, without a delivery",
                seconds(later, "withoutSendSeconds", "to the end") + ", " + seconds(later, "withoutDeliverySeconds", "to the end"), true));
            rows.add(new Row("  to 95 % of the rate, then to no backlog",
                seconds(later, "to95PercentSeconds", "never") + ", " + seconds(later, "catchUpSeconds", "never"), true));
        }
    }

    private static String seconds(Map<String, @Nullable Object> card, String name, String missing) {
        double time = number(card, name);
        return Double.isFinite(time) ? Amounts.seconds(time) : missing;
    }

    private String heading() {
        long recovered = cards.stream().filter(card -> Boolean.TRUE.equals(card.get("recovered"))).count();
        String said = cards.size() == 1 ? recovered == 1 ? "RECOVERED" : "NOT RECOVERED"
            : recovered == cards.size() ? "RECOVERED in all of " + cards.size() + " runs"
                : "RECOVERED in " + recovered + " of " + cards.size() + " runs";
        double rate = middle(card -> number(card, "rateBefore"));
        boolean known = cards.stream().allMatch(card -> Boolean.TRUE.equals(card.get("faultKnown")));
        return said + " from " + Amounts.rate(rate) + (known ? ", fault at " : ", noticed at ")
            + Amounts.seconds(middle(card -> number(card, "faultSeconds")));
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

    private void time(List<Row> rows, String label, String name, String missing) {
        double[] sorted = known(card -> number(card, name)).toArray();
        if (sorted.length == 0) {
            boolean receives = cards.stream().anyMatch(card -> Double.isFinite(number(card, "longestWaitSeconds")));
            boolean ofDeliveries = name.startsWith("withoutDel") || name.startsWith("catch") || name.startsWith("longest");
            if (!ofDeliveries || receives) {
                rows.add(new Row(label, missing, true));
            }
            return;
        }
        String text = Amounts.seconds(sorted[(sorted.length - 1) / 2]);
        if (cards.size() > 1) {
            text += sorted.length < cards.size() ? "  (" + missing + " in " + (cards.size() - sorted.length) + ")"
                : "  (" + Amounts.seconds(sorted[0]) + " .. " + Amounts.seconds(sorted[sorted.length - 1]) + ")";
        }
        rows.add(new Row(label, text, true));
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

    private void count(List<Row> rows, String label, String name) {
        rows.add(new Row(label, counted(name), false));
    }

    private void pair(List<Row> rows, String label, String first, String second) {
        rows.add(new Row(label, counted(first) + ", " + counted(second), false));
    }
}
