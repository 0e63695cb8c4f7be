package io.brokermeter.reports;

import java.util.EnumSet;
import java.util.List;

import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Quantity;
import tools.jackson.core.JsonGenerator;

/**
 * The figures of a run's result, each a {@link Quantity} of the same name. A row has a figure's names in all outputs, its unit, and the runs
 * that have it: its label in the summary on the console, its key in files of {@code --json}, and its path in the {@code result.json} of a run,
 * which tables read. An empty name keeps a figure out of an output. Counts are whole numbers; other figures have the given digits behind the point in the two files.
 */
public enum ResultField {

    SENT("total sent", "totalSent", "messages.sent", Where.SENDS),
    BLOCKED("total blocked", "totalBlocked", "messages.blocked", Where.SENDS),
    COMPLETED("total completed", "totalCompleted", "messages.completed", Where.SENDS),
    FAILED("failed", "failedMessages", "messages.failed", Where.SENDS),
    UNCONFIRMED("unconfirmed", "unconfirmedMessages", "messages.unconfirmed", Where.SENDS),
    RECEIVED("total received", "totalReceived", "messages.received", Where.RECEIVES),
    ROLLED_BACK("rolled back", "rolledBackMessages", "messages.rolledBack", Where.COUNTED),
    REQUEUED("given back", "requeuedDeliveries", "messages.requeued", Where.COUNTED),
    REJECTED("rejected", "rejectedDeliveries", "messages.rejected", Where.COUNTED),
    UNANSWERED("unanswered", "unansweredRequests", "messages.unanswered", Where.COUNTED),
    MEASURED_SENT("", "", "messages.measuredSent", Where.EVERYWHERE),
    MEASURED_RECEIVED("", "", "messages.measuredReceived", Where.EVERYWHERE),
    OVERDUE_SENT("", "overdueSentMessages", "messages.overdueSent", Where.EVERYWHERE),
    OVERDUE_RECEIVED("", "overdueReceivedMessages", "messages.overdueReceived", Where.EVERYWHERE),
    RECONNECTS("reconnects", "reconnects", "reconnects", Where.EVERYWHERE),

    ELAPSED("elapsed", "elapsedSeconds", "elapsedSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 3),
    SENDING_SECONDS("", "sendingSeconds", "sendingSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6),
    RECEIVING_SECONDS("", "receivingSeconds", "receivingSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6),
    MEASURED_SECONDS("", "measuredSeconds", "measuredSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6),
    MEASURED_RECEIVING_SECONDS("", "measuredReceivingSeconds", "measuredReceivingSeconds", Where.EVERYWHERE, Unit.SECONDS, 3, 6),
    MEAN_SENT("mean sent", "meanSentPerSecond", "rates.measuredSentPerSecond", Where.SENDS, Unit.PER_SECOND, 3, 3),
    MEAN_RECEIVED("mean received", "meanReceivedPerSecond", "rates.measuredReceivedPerSecond", Where.RECEIVES, Unit.PER_SECOND, 3, 3),
    SENT_PER_SECOND("", "", "rates.sentPerSecond", Where.SENDS, Unit.PER_SECOND, 3, 3),
    COMPLETED_PER_SECOND("", "", "rates.completedPerSecond", Where.SENDS, Unit.PER_SECOND, 3, 3),
    RECEIVED_PER_SECOND("", "", "rates.receivedPerSecond", Where.RECEIVES, Unit.PER_SECOND, 3, 3),
    SUCCESS_PERCENT("", "", "successPercent", Where.SENDS, Unit.PERCENT, 6, 6),

    EXPECTED("", "expectedMessages"),
    LEDGER_RECEIVED("", "receivedMessages"),
    LOST("lost", "lostMessages"),
    LEFT("left", "leftMessages"),
    UNDELIVERED("not in time", "undeliveredMessages"),
    UNTAKEN("not taken", "untakenMessages"),
    BEFORE_SUBSCRIPTION("not due", "beforeSubscriptionMessages"),
    LOST_UNCONFIRMED("", "lostUnconfirmedMessages"),
    UNCONFIRMED_DELIVERED("", "unconfirmedDeliveredMessages"),
    FAILED_DELIVERED("", "failedDeliveredMessages"),
    ROLLED_BACK_DELIVERED("", "rolledBackDeliveredMessages"),
    UNSELECTED("unselected", "unselectedMessages"),
    DUPLICATES("duplicated", "duplicateMessages"),
    REDELIVERED_DUPLICATES("", "redeliveredDuplicateMessages"),
    OUT_OF_ORDER("out of order", "outOfOrderMessages"),
    REORDER_DEPTH("", "reorderDepthMessages"),
    CORRUPT("corrupt", "corruptMessages"),
    FOREIGN("foreign", "foreignMessages"),
    OLD("old", "oldMessages");

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
    private final Quantity quantity;

    /** A count. */
    ResultField(String label, String jsonKey, String path, Where where) {
        this(label, jsonKey, path, where, Unit.MESSAGES, 0, 0);
    }

    /** A count of the ledger, which both files have under the same key. */
    ResultField(String label, String key) {
        this(label, key, "ledger." + key, Where.RECEIVES);
    }

    ResultField(String label, String jsonKey, String path, Where where, Unit unit, int jsonDigits, int fileDigits) {
        this.label = label;
        this.jsonKey = jsonKey;
        this.path = List.of(path.split("\\."));
        this.where = where;
        this.unit = unit;
        this.jsonDigits = jsonDigits;
        this.fileDigits = fileDigits;
        this.quantity = Quantity.valueOf(name());
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
        return Measurements.of(quantity, r);
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
