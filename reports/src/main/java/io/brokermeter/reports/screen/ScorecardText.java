package io.brokermeter.reports.screen;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.ResultDocument.Failover;
import io.brokermeter.reports.document.ResultDocument.FaultDocument;
import io.brokermeter.reports.json.ResultJson;

/**
 * Formats the scorecard of one run, or of several runs of the same fault, as text: at most 79 columns and 20 lines, and for each fault
 * after the first three more lines for one run, seven for several.
 */
public final class ScorecardText {

    private static final int LABEL = 46;
    private static final String WITHOUT_SEND = "longest without a confirmed send";
    private static final String WITHOUT_DELIVERY = "longest without a delivery";
    private static final String TO_95 = "from the fault to 95 % of the rate";
    private static final String CATCH_UP = "from the next delivery to no backlog";
    private static final String NOT_KNOWN = "not known";

    private final List<FaultDocument> cards;

    private ScorecardText(List<FaultDocument> cards) {
        this.cards = cards;
    }

    /**
     * A figure of a scorecard.
     *
     * @param label displayed name
     * @param text value with its unit; for several runs the median with the lowest and the highest behind it, where a time that did not
     *     end counts as longer than all that did
     * @param time whether the figure is a time, and not a number of messages or attempts
     */
    public record Row(String label, String text, boolean time) {}

    /**
     * The content of the scorecard of one or several runs.
     *
     * @param heading whether the runs recovered, and from which rate; or why that cannot be judged
     * @param rows figures, times first
     * @param faults number of the first fault that was felt among those of the run; several if runs differ in it, empty if it is unknown
     * @param further times of each fault that came after the run had got over the one before it; empty as well if runs differ in the
     *     number of such faults
     */
    public record Sheet(String heading, List<Row> rows, SortedSet<Integer> faults, List<Further> further) {

        public Sheet {
            faults = Collections.unmodifiableSortedSet(new TreeSet<>(faults));
            rows = List.copyOf(rows);
            further = List.copyOf(further);
        }

        /** Returns the text of the row with a label; empty if there is none. */
        public String text(String label) {
            return ScorecardText.text(rows, label);
        }
    }

    /**
     * The figures of a later fault.
     *
     * @param faults number of the fault among those of the run, as for the first one
     * @param at time at which the fault took effect
     * @param said whether the runs recovered from it
     * @param rows times, with the labels of those of the first fault
     */
    public record Further(SortedSet<Integer> faults, String at, String said, List<Row> rows) {

        public Further {
            faults = Collections.unmodifiableSortedSet(new TreeSet<>(faults));
            rows = List.copyOf(rows);
        }

        /** Returns the text of the row with a label; empty if there is none. */
        public String text(String label) {
            return ScorecardText.text(rows, label);
        }
    }

    private static String text(List<Row> rows, String label) {
        return rows.stream().filter(row -> row.label().equals(label)).map(Row::text).findFirst().orElse("");
    }

    /**
     * Formats the scorecard of runs; for several runs, each figure is the median with the lowest and the highest behind it.
     *
     * @param results results of the runs; those without a scorecard are left out
     * @return empty if no result has a scorecard
     */
    public static Optional<String> of(List<StoredResult> results) {
        return read(results).map(ScorecardText::text);
    }

    /** Returns the scorecard of runs row by row; empty if no result has one. */
    public static Optional<Sheet> sheet(List<StoredResult> results) {
        return read(results).map(ScorecardText::sheet);
    }

    private static Optional<ScorecardText> read(List<StoredResult> results) {
        List<FaultDocument> cards = results.stream().<FaultDocument>mapMulti((result, add) -> {
            if (result.document().failover() != null) {
                add.accept(result.document().failover());
            }
        }).toList();
        return cards.isEmpty() ? Optional.empty() : Optional.of(new ScorecardText(cards));
    }

    /**
     * Formats the scorecard of runs that have just ended and that send and receive, and says how many have none; empty if none has one.
     */
    public static Optional<String> ofRuns(List<RunResult> results) {
        RunShape shape = new RunShape(true, true, false, Duration.ZERO, 0);
        long without = results.stream().filter(result -> result.scorecard() == null).count();
        return of(results.stream().map(result -> ResultJson.stored(result, shape)).toList())
            .map(text -> without == 0 ? text : text + line("runs without a scorecard, left out", without + " of " + results.size()));
    }

    private String text() {
        Sheet sheet = sheet();
        StringBuilder text = new StringBuilder(sheet.heading()).append('\n');
        boolean times = false;
        for (Row row : sheet.rows()) {
            if (row.time() != times) {
                text.append('\n');
                times = row.time();
            }
            text.append(line(row.label(), row.text()));
        }
        text.append(sheet.further().isEmpty() ? "" : "\n");
        for (Further later : sheet.further()) {
            text.append(line("next fault, at " + later.at(), later.said()));
            if (cards.size() == 1 && later.text(TO_95).isEmpty()) {
                continue; // it was not judged
            }
            if (cards.size() == 1) {
                boolean receives = !later.text(WITHOUT_DELIVERY).isEmpty();
                text.append(line(receives ? "  without a send, without a delivery" : "  without a send",
                    later.text(WITHOUT_SEND) + (receives ? ", " + later.text(WITHOUT_DELIVERY) : "")));
                text.append(line(receives ? "  to 95 % of the rate, then to no backlog" : "  to 95 % of the rate",
                    later.text(TO_95) + (receives ? ", " + later.text(CATCH_UP) : "")));
            } else {
                later.rows().forEach(row -> text.append(line("  " + row.label(), row.text())));
            }
        }
        return text.toString();
    }

    private static String line(String label, String value) {
        return label + " ".repeat(Math.max(2, LABEL + 2 - label.length())) + value + '\n';
    }

    private Sheet sheet() {
        List<Row> rows = times(cards.stream().allMatch(card -> card.faultKnown()));
        count(rows, "attempts to connect again by this tool", Failover::attempts);
        count(rows, "connections restored", Failover::restored);
        count(rows, "sends that failed", Failover::sendsFailed);
        count(rows, "sends that a client tried again, and confirmed", Failover::sendsRetried);
        count(rows, "confirmed and lost", Failover::confirmedLost);
        count(rows, "confirmed, not come, perhaps in the broker", Failover::confirmedUnaccounted);
        pair(rows, "of unknown fate, and delivered of them", Failover::unknown, Failover::unknownDelivered);
        pair(rows, "duplicates flagged as redelivered, not flagged", Failover::duplicatesFlagged, Failover::duplicatesUnflagged);
        count(rows, "duplicates that a client may have sent twice", Failover::duplicatesResent);
        count(rows, "deliveries out of order", Failover::outOfOrder);
        return new Sheet(heading(), rows, faults(), further());
    }

    /** @param known whether the times count from the moment of the fault, and not from that at which it was noticed */
    private List<Row> times(boolean known) {
        List<Row> rows = new ArrayList<>();
        if (known) {
            time(rows, "until a client noticed", FaultTime.DETECT, "not noticed");
        }
        time(rows, WITHOUT_SEND, FaultTime.WITHOUT_SEND, "to the end");
        time(rows, WITHOUT_DELIVERY, FaultTime.WITHOUT_DELIVERY, "to the end");
        time(rows, known ? TO_95 : "from it was noticed to 95 % of the rate", FaultTime.TO_95_PERCENT, "never");
        time(rows, CATCH_UP, FaultTime.CATCH_UP, "never");
        time(rows, "longest wait of a message since it was due", FaultTime.LONGEST_WAIT, NOT_KNOWN);
        return rows;
    }

    /**
     * Returns the later faults. Runs of one scenario have the same faults, but a run may not be over the first one when the next comes;
     * runs that differ in the number of later faults cannot be combined, and none is returned.
     */
    private List<Further> further() {
        List<? extends List<? extends FaultDocument>> all =
            cards.stream().map(FaultDocument::further).toList();
        if (all.stream().mapToInt(List::size).distinct().count() != 1) {
            return List.of();
        }
        return IntStream.range(0, all.getFirst().size())
            .mapToObj(i -> new ScorecardText(all.stream().<FaultDocument>map(one -> one.get(i)).toList()).ofLater()).toList();
    }

    private SortedSet<Integer> faults() {
        return cards.stream().map(card -> card.begin().fault()).filter(Double::isFinite).map(Double::intValue)
            .collect(Collectors.toCollection(TreeSet::new));
    }

    private Further ofLater() {
        long recovered = recovered();
        long unjudged = unjudged();
        return new Further(faults(), Amounts.seconds(middle(card -> card.begin().faultSeconds())), cards.size() == 1
            ? recovered == 1 ? "recovered" : unjudged == 1 ? "not judged" : "not recovered"
            : "recovered in " + recovered + " of " + cards.size() + " runs" + (unjudged > 0 ? ", " + unjudged + " not judged" : ""),
            times(true));
    }

    private long recovered() {
        return cards.stream().filter(card -> isJudged(card) && Boolean.TRUE.equals(card.begin().recovered())).count();
    }

    /** Returns the number of runs for which recovery cannot be judged. */
    private long unjudged() {
        return cards.stream().filter(card -> !isJudged(card) || !isSaid(card)).count();
    }

    /**
     * Returns whether a fault of a stored result was judged: there was a rate before it, without which nothing can come back, and the
     * load went on for long enough after it to show whether that came back, as it did if a later fault has times of its own. The times of
     * a fault that was not judged say nothing, except the time until it was noticed and the longest wait of a message.
     *
     * @param card the scorecard, or the object of one of its later faults
     */
    public static boolean isJudged(FaultDocument card) {
        return hasRate(card) && (isSaid(card) || !card.further().isEmpty());
    }

    private static boolean hasRate(FaultDocument card) {
        return card.cost().rateBefore() > 0;
    }

    /** Returns whether a card says that the run recovered, or that it did not. */
    private static boolean isSaid(FaultDocument card) {
        return card.begin().recovered() != null;
    }

    /** Explains why none of the runs was judged, and for which of their faults. */
    private String unjudged(String first) {
        boolean later = cards.stream().allMatch(ScorecardText::isJudged);
        List<? extends FaultDocument> of =
            !later ? cards : cards.stream().flatMap(card -> card.further().stream()).filter(one -> !isSaid(one)).toList();
        String why = of.stream().allMatch(ScorecardText::hasRate) ? "the load ended too soon after "
            : of.stream().allMatch(card -> card.cost().rateBefore() == 0) ? "nothing was confirmed before "
                : "no rate is known from before ";
        return why + (later ? "a later fault" : first);
    }

    private String heading() {
        long recovered = recovered();
        long unjudged = unjudged();
        boolean known = cards.stream().allMatch(card -> card.faultKnown());
        String at = Amounts.seconds(middle(card -> card.begin().faultSeconds()));
        if (unjudged == cards.size()) {
            return (cards.size() == 1 ? "NOT JUDGED: " : "NOT JUDGED in any of " + cards.size() + " runs: ")
                + unjudged(known ? "the fault at " + at : "the loss noticed at " + at);
        }
        String said = cards.size() == 1 ? recovered == 1 ? "RECOVERED" : "NOT RECOVERED"
            : recovered == cards.size() ? "RECOVERED in all of " + cards.size() + " runs"
                : "RECOVERED in " + recovered + " of " + cards.size() + " runs" + (unjudged > 0 ? ", " + unjudged + " not judged," : "");
        double rate = middle(card -> isJudged(card) ? card.cost().rateBefore() : Double.NaN);
        return said + " from " + Amounts.rate(rate) + (known ? ", fault at " : ", noticed at ") + at;
    }

    private static DoubleStream known(List<FaultDocument> cards, ToDoubleFunction<FaultDocument> figure) {
        return cards.stream().mapToDouble(figure).filter(Double::isFinite).sorted();
    }

    /** Returns the median of a figure, the lower of the two middle values of an even number; NaN if it is unknown. */
    private double middle(ToDoubleFunction<FaultDocument> figure) {
        double[] sorted = known(cards, figure).toArray();
        return sorted.length == 0 ? Double.NaN : sorted[(sorted.length - 1) / 2];
    }

    private void time(List<Row> rows, String label, FaultTime time, String missing) {
        List<FaultDocument> cards = time.isAlone() ? this.cards : this.cards.stream().filter(ScorecardText::isJudged).toList();
        if (cards.isEmpty()) {
            return;
        }
        double[] sorted = known(cards, time::of).toArray();
        if (sorted.length == 0) {
            boolean receives = cards.stream().anyMatch(
                card -> Double.isFinite(card.cost().longestWaitSeconds()) || Double.isFinite(card.deliveriesStoppedSeconds()));
            if (!time.isOfDeliveries() || receives) {
                rows.add(new Row(label, missing, true));
            }
            return;
        }
        // A time that did not end before the run is longer than all that did; of an unknown time that cannot be said.
        int middle = ((missing.equals(NOT_KNOWN) ? sorted.length : cards.size()) - 1) / 2;
        int without = cards.size() - sorted.length;
        String text = middle < sorted.length ? Amounts.seconds(sorted[middle]) : missing;
        if (cards.size() > 1) {
            text += middle >= sorted.length ? "  (in " + without + " of " + cards.size() + ")"
                : without > 0 ? "  (" + missing + " in " + without + ")"
                    : "  (" + Amounts.seconds(sorted[0]) + " .. " + Amounts.seconds(sorted[sorted.length - 1]) + ")";
        }
        rows.add(new Row(label, text, true));
    }

    private String counted(ToDoubleFunction<Failover> count) {
        double[] sorted = known(cards, card -> card instanceof Failover whole ? count.applyAsDouble(whole) : Double.NaN).toArray();
        if (sorted.length == 0) {
            return Amounts.UNKNOWN;
        }
        String text = Amounts.count(sorted[(sorted.length - 1) / 2]);
        return sorted[0] == sorted[sorted.length - 1] ? text
            : text + " (" + Amounts.count(sorted[0]) + " .. " + Amounts.count(sorted[sorted.length - 1]) + ")";
    }

    private void count(List<Row> rows, String label, ToDoubleFunction<Failover> count) {
        rows.add(new Row(label, counted(count), false));
    }

    private void pair(List<Row> rows, String label, ToDoubleFunction<Failover> first, ToDoubleFunction<Failover> second) {
        rows.add(new Row(label, counted(first) + ", " + counted(second), false));
    }
}
