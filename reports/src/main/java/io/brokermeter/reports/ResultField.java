package io.brokermeter.reports;

import java.util.EnumSet;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunResult;
import tools.jackson.core.JsonGenerator;

/**
 * The figures of a run's result. A row has a figure's names in all outputs, its unit, and the runs that have it: its label in the summary on the
 * console, its key in files of {@code --json}, and its path in the {@code result.json} of a run, which tables read. An empty name keeps a figure out
 * of an output. Counts are whole numbers; other figures have the given digits behind the point in the two files.
 */
public enum ResultField {

    SENT("total sent", "totalSent", "messages.sent", Where.SENDS, RunResult::sent),
    BLOCKED("total blocked", "totalBlocked", "messages.blocked", Where.SENDS, RunResult::blocked),
    COMPLETED("total completed", "totalCompleted", "messages.completed", Where.SENDS, RunResult::completed),
    FAILED("failed", "failedMessages", "messages.failed", Where.SENDS, RunResult::failed),
    UNCONFIRMED("unconfirmed", "unconfirmedMessages", "messages.unconfirmed", Where.SENDS, RunResult::unconfirmed),
    RECEIVED("total received", "totalReceived", "messages.received", Where.RECEIVES, RunResult::received),
    ROLLED_BACK("rolled back", "rolledBackMessages", "messages.rolledBack", Where.COUNTED, RunResult::rolledBack),
    REQUEUED("given back", "requeuedDeliveries", "messages.requeued", Where.COUNTED, RunResult::requeued),
    REJECTED("rejected", "rejectedDeliveries", "messages.rejected", Where.COUNTED, RunResult::rejected),
    UNANSWERED("unanswered", "unansweredRequests", "messages.unanswered", Where.COUNTED, RunResult::unanswered),
    MEASURED_SENT("", "", "messages.measuredSent", Where.EVERYWHERE, r -> r.part().sent()),
    MEASURED_RECEIVED("", "", "messages.measuredReceived", Where.EVERYWHERE, r -> r.part().received()),
    OVERDUE_SENT("", "overdueSentMessages", "messages.overdueSent", Where.EVERYWHERE, r -> r.part().overdueSent()),
    OVERDUE_RECEIVED("", "overdueReceivedMessages", "messages.overdueReceived", Where.EVERYWHERE, r -> r.part().overdueReceived()),
    RECONNECTS("reconnects", "reconnects", "reconnects", Where.EVERYWHERE, RunResult::reconnects),

    ELAPSED("elapsed", "elapsedSeconds", "elapsedSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 3, r -> r.elapsed().toNanos() / 1e9),
    SENDING_SECONDS("", "sendingSeconds", "sendingSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6, r -> r.sending().toNanos() / 1e9),
    RECEIVING_SECONDS("", "receivingSeconds", "receivingSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6, RunResult::receivingSeconds),
    MEASURED_SECONDS("", "measuredSeconds", "measuredSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6, r -> r.part().seconds()),
    MEASURED_RECEIVING_SECONDS("", "measuredReceivingSeconds", "measuredReceivingSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6,
        r -> r.part().receivingSeconds()),
    MEAN_SENT("mean sent", "meanSentPerSecond", "rates.measuredSentPerSecond", Where.SENDS, Unit.PER_SECOND, 3, 3, RunResult::meanSent),
    MEAN_RECEIVED("mean received", "meanReceivedPerSecond", "rates.measuredReceivedPerSecond", Where.RECEIVES, Unit.PER_SECOND, 3, 3,
        RunResult::meanReceived),
    SENT_PER_SECOND("", "", "rates.sentPerSecond", Where.SENDS, Unit.PER_SECOND, 3, 3, r -> perSecond(r, r.sent())),
    COMPLETED_PER_SECOND("", "", "rates.completedPerSecond", Where.SENDS, Unit.PER_SECOND, 3, 3, r -> perSecond(r, r.completed())),
    RECEIVED_PER_SECOND("", "", "rates.receivedPerSecond", Where.RECEIVES, Unit.PER_SECOND, 3, 3, RunResult::receivedPerSecond),
    SUCCESS_PERCENT("", "", "successPercent", Where.SENDS, Unit.PERCENT, 6, 6, r -> r.successRatio() * 100),

    EXPECTED("", "expectedMessages", LedgerReport::expected),
    LEDGER_RECEIVED("", "receivedMessages", LedgerReport::received),
    LOST("lost", "lostMessages", LedgerReport::lost),
    LEFT("left", "leftMessages", LedgerReport::left),
    UNDELIVERED("not in time", "undeliveredMessages", LedgerReport::undelivered),
    UNTAKEN("not taken", "untakenMessages", LedgerReport::untaken),
    BEFORE_SUBSCRIPTION("not due", "beforeSubscriptionMessages", LedgerReport::beforeSubscription),
    LOST_UNCONFIRMED("", "lostUnconfirmedMessages", LedgerReport::lostUnconfirmed),
    UNCONFIRMED_DELIVERED("", "unconfirmedDeliveredMessages", LedgerReport::unconfirmedDelivered),
    FAILED_DELIVERED("", "failedDeliveredMessages", LedgerReport::failedDelivered),
    ROLLED_BACK_DELIVERED("", "rolledBackDeliveredMessages", LedgerReport::rolledBackDelivered),
    UNSELECTED("unselected", "unselectedMessages", LedgerReport::unselected),
    DUPLICATES("duplicated", "duplicateMessages", LedgerReport::duplicates),
    REDELIVERED_DUPLICATES("", "redeliveredDuplicateMessages", LedgerReport::redeliveredDuplicates),
    OUT_OF_ORDER("out of order", "outOfOrderMessages", LedgerReport::outOfOrder),
    REORDER_DEPTH("", "reorderDepthMessages", LedgerReport::reorderDepth),
    CORRUPT("corrupt", "corruptMessages", LedgerReport::corrupt),
    FOREIGN("foreign", "foreignMessages", LedgerReport::foreign),
    OLD("old", "oldMessages", LedgerReport::old);

    /** The runs that have a figure; {@link #COUNTED} are those where it is not 0. */
    private enum Where {
        EVERYWHERE, SENDS, RECEIVES, COUNTED
    }

    /** What a figure is a number of, and how the console names that. */
    enum Unit {
        MESSAGES(""), SECONDS("s"), PER_SECOND("msg/sec"), PERCENT("%");

        private final String suffix;

        Unit(String suffix) {
            this.suffix = suffix;
        }

        String suffix() {
            return suffix;
        }
    }

    private final String label;
    private final String jsonKey;
    private final List<String> path;
    private final Where where;
    private final Unit unit;
    private final int jsonDigits;
    private final int fileDigits;
    private final ToDoubleFunction<RunResult> figure;

    /** A count. */
    ResultField(String label, String jsonKey, String path, Where where, ToLongFunction<RunResult> count) {
        this(label, jsonKey, path, where, Unit.MESSAGES, 0, 0, count::applyAsLong);
    }

    /** A count of the ledger, which both files have under the same key. */
    ResultField(String label, String key, ToLongFunction<LedgerReport> count) {
        this(label, key, "ledger." + key, Where.RECEIVES, r -> r.ledger() == null ? 0 : count.applyAsLong(r.ledger()));
    }

    ResultField(String label, String jsonKey, String path, Where where, Unit unit, int jsonDigits, int fileDigits,
            ToDoubleFunction<RunResult> figure) {
        this.label = label;
        this.jsonKey = jsonKey;
        this.path = List.of(path.split("\\."));
        this.where = where;
        this.unit = unit;
        this.jsonDigits = jsonDigits;
        this.fileDigits = fileDigits;
        this.figure = figure;
    }

    private static double perSecond(RunResult r, long messages) {
        return r.sending().toNanos() > 0 ? messages / (r.sending().toNanos() / 1e9) : Double.NaN;
    }

    /** Its name on the console. */
    String label() {
        return label;
    }

    Unit unit() {
        return unit;
    }

    /** Its place in the {@code result.json} of a run. */
    List<String> path() {
        return path;
    }

    /** Its value, NaN where it is not known; a count is exact up to 2^53. */
    double of(RunResult r) {
        return figure.applyAsDouble(r);
    }

    private boolean isIn(RunResult r, RunShape shape) {
        return switch (where) {
            case EVERYWHERE -> true;
            case SENDS -> shape.sends();
            case RECEIVES -> shape.receives();
            case COUNTED -> of(r) > 0;
        };
    }

    /** Writes some figures under their keys of {@code --json}, without those that this run does not have. */
    static void json(JsonGenerator json, RunResult r, RunShape shape, ResultField... fields) {
        for (ResultField field : fields) {
            if (field.isIn(r, shape)) {
                field.write(json, field.jsonKey, field.of(r), field.jsonDigits);
            }
        }
    }

    /** Writes the figure under its key of {@code --json}, null unless it is known. */
    void json(JsonGenerator json, RunResult r, boolean known) {
        write(json, jsonKey, known ? of(r) : Double.NaN, jsonDigits);
    }

    /**
     * Writes neighbouring figures under the last names of their paths in {@code result.json}. A count stands in every file; a rate that a run does
     * not have is null.
     */
    static void file(JsonGenerator json, RunResult r, RunShape shape, ResultField first, ResultField last) {
        for (ResultField field : EnumSet.range(first, last)) {
            boolean known = field.unit == Unit.MESSAGES || field.isIn(r, shape);
            field.write(json, field.path.getLast(), known ? field.of(r) : Double.NaN, field.fileDigits);
        }
    }

    private void write(JsonGenerator json, String name, double value, int digits) {
        if (unit == Unit.MESSAGES) {
            json.writeNumberProperty(name, (long) value);
        } else {
            JsonReport.number(json, name, value, digits);
        }
    }
}
