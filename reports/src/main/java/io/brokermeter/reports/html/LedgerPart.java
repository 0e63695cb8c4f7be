package io.brokermeter.reports.html;

import java.util.List;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.ResultDocument;

/** Shows the fate of every message: the equation of the ledger in a sentence, and all counts that are not zero. */
final class LedgerPart {

    private final StoredResult result;

    LedgerPart(StoredResult result) {
        this.result = result;
    }

    Markup markup() {
        Markup m = new Markup();
        ResultDocument.Balance ledger = result.document().ledger();
        if (ledger == null) {
            m.element("p", result.document().exitCode() != null ? "No ledger was kept." : "The run left no ledger.", "class", "empty");
        } else {
            m.element("p", equation() + (Boolean.FALSE.equals(ledger.closes()) ? " The books do not close." : ""), "id", "equation");
        }
        Table table = new Table("ledger-table", "messages", "");
        table.known("sent", Amounts.count(result.number(ResultField.SENT)));
        table.known("confirmed", Amounts.count(result.number(ResultField.COMPLETED)));
        table.known("received", Amounts.count(result.number(ResultField.RECEIVED)));
        ResultField.ofParts().forEach(count -> table.known(count.words(), Amounts.of(result.number(ResultField.of(count)), count.unit())));
        for (Line line : LINES) {
            double count = result.number(line.field());
            if (count > 0) {
                table.row(line.name(), Amounts.count(count));
            }
        }
        result.document().failureCauses().forEach((cause, count) -> table.row("failed: " + cause, Amounts.count(count)));
        return m.add(table.markup());
    }

    private record Line(ResultField field, String name) {}

    private static final List<Line> LINES = List.of(new Line(ResultField.BLOCKED, "found the window full"),
        new Line(ResultField.FAILED, "failed"), new Line(ResultField.UNCONFIRMED, "unconfirmed"),
        new Line(ResultField.ROLLED_BACK, "rolled back"), new Line(ResultField.REQUEUED, "given back"),
        new Line(ResultField.REJECTED, "rejected"), new Line(ResultField.UNANSWERED, "without a reply"), new Line(ResultField.LOST, "lost"),
        new Line(ResultField.LEFT, "left in the broker"), new Line(ResultField.UNDELIVERED, "not in time"),
        new Line(ResultField.UNTAKEN, "not taken"), new Line(ResultField.BEFORE_SUBSCRIPTION, "not due"),
        new Line(ResultField.LOST_UNCONFIRMED, "lost, never confirmed"),
        new Line(ResultField.UNCONFIRMED_DELIVERED, "unconfirmed but delivered"),
        new Line(ResultField.FAILED_DELIVERED, "failed but delivered"),
        new Line(ResultField.ROLLED_BACK_DELIVERED, "rolled back but delivered"),
        new Line(ResultField.UNSELECTED, "delivered against the selector"),
        new Line(ResultField.OTHER_DESTINATION, "from other destinations"), new Line(ResultField.DUPLICATES, "duplicated"),
        new Line(ResultField.REDELIVERED_DUPLICATES, "duplicated, flagged as redelivered"),
        new Line(ResultField.OUT_OF_ORDER, "out of order"), new Line(ResultField.REORDER_DEPTH, "greatest depth of that"),
        new Line(ResultField.CORRUPT, "corrupt"), new Line(ResultField.FOREIGN, "foreign"), new Line(ResultField.OLD, "of another run"),
        new Line(ResultField.RECONNECTS, "restored connections"));

    /**
     * Returns {@code expected = received - duplicates - unselected - other destination + lost + left + not in time + not taken}, without
     * zeros.
     */
    private String equation() {
        StringBuilder text = new StringBuilder(Amounts.count(result.number(ResultField.EXPECTED))).append(" expected = ")
            .append(Amounts.count(result.number(ResultField.LEDGER_RECEIVED))).append(" received");
        parts(text, "−", ResultField.DUPLICATES, ResultField.UNSELECTED, ResultField.OTHER_DESTINATION);
        parts(text, "+", ResultField.LOST, ResultField.LEFT, ResultField.UNDELIVERED, ResultField.UNTAKEN);
        return text.append('.').toString();
    }

    private void parts(StringBuilder text, String sign, ResultField... fields) {
        for (ResultField field : fields) {
            double count = result.number(field);
            if (count > 0) {
                text.append(' ').append(sign).append(' ').append(Amounts.count(count)).append(' ').append(ResultWords.words(field, count));
            }
        }
    }
}
