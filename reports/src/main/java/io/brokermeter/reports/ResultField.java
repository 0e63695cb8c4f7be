package io.brokermeter.reports;

import java.util.EnumSet;
import java.util.List;

import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Quantity;
import tools.jackson.core.JsonGenerator;

/**
 * The figures of a run's result, each of which is the {@link Quantity} of the same name, which knows its unit and its value. A constant
 * defines the names of a figure in all outputs and the runs that have it: its label in the summary on the console, its key in files of
 * {@code --json}, and its path in the {@code result.json} of a run, which tables and comparisons read. An empty name keeps a figure out
 * of an output. Counts are whole numbers; other figures have the given digits behind the point in the two files.
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

    ELAPSED("elapsed", "elapsedSeconds", "elapsedSeconds", Where.EVERYWHERE, 3, 3),
    SENDING_SECONDS("", "sendingSeconds", "sendingSeconds", Where.EVERYWHERE, 3, 6),
    RECEIVING_SECONDS("", "receivingSeconds", "receivingSeconds", Where.EVERYWHERE, 3, 6),
    MEASURED_SECONDS("", "measuredSeconds", "measuredSeconds", Where.EVERYWHERE, 3, 6),
    MEASURED_RECEIVING_SECONDS("", "measuredReceivingSeconds", "measuredReceivingSeconds", Where.EVERYWHERE, 3, 6),
    MEAN_SENT("mean sent", "meanSentPerSecond", "rates.measuredSentPerSecond", Where.SENDS, 3, 3),
    MEAN_RECEIVED("mean received", "meanReceivedPerSecond", "rates.measuredReceivedPerSecond", Where.RECEIVES, 3, 3),
    SENT_PER_SECOND("", "", "rates.sentPerSecond", Where.SENDS, 3, 3),
    COMPLETED_PER_SECOND("", "", "rates.completedPerSecond", Where.SENDS, 3, 3),
    RECEIVED_PER_SECOND("", "", "rates.receivedPerSecond", Where.RECEIVES, 3, 3),
    SUCCESS_PERCENT("", "", "successPercent", Where.SENDS, 6, 6),

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
    OTHER_DESTINATION("other destination", "otherDestinationMessages"),
    DUPLICATES("duplicated", "duplicateMessages"),
    REDELIVERED_DUPLICATES("", "redeliveredDuplicateMessages"),
    OUT_OF_ORDER("out of order", "outOfOrderMessages"),
    REORDER_DEPTH("", "reorderDepthMessages"),
    CORRUPT("corrupt", "corruptMessages"),
    FOREIGN("foreign", "foreignMessages"),
    OLD("old", "oldMessages"),

    CPU_PER_MESSAGE("health.cpuMicrosPerMessage", 3),
    BROKER_CPU_PER_MESSAGE("broker.cpuMicrosPerMessage", 3),
    BROKER_CPU("broker.cpuPercent", 4),
    BROKER_CPU_MAX("broker.cpuMaxPercent", 4),
    BROKER_MEMORY("broker.residentBytes", 0),
    BROKER_MEMORY_MAX("broker.residentMaxBytes", 0),
    BROKER_HEAP_MAX("broker.heapUsedMaxBytes", 0),
    BROKER_DEPTH_MAX("broker.depthMaxMessages", 0);

    /** The runs that have a figure; {@link #COUNTED} are those where it is not 0. */
    private enum Where {
        EVERYWHERE, SENDS, RECEIVES, COUNTED
    }

    private final String label;
    private final String jsonKey;
    private final List<String> path;
    private final Where where;
    private final int jsonDigits;
    private final int fileDigits;
    private final Quantity quantity;

    /** Creates a count. */
    ResultField(String label, String jsonKey, String path, Where where) {
        this(label, jsonKey, path, where, 0, 0);
    }

    /** Creates a count of the ledger, which both files have under the same key. */
    ResultField(String label, String key) {
        this(label, key, "ledger." + key, Where.RECEIVES);
    }

    /** Creates a figure of the broker or the generator, whose object both files have. */
    ResultField(String path, int digits) {
        this("", "", path, Where.EVERYWHERE, digits, digits);
    }

    ResultField(String label, String jsonKey, String path, Where where, int jsonDigits, int fileDigits) {
        this.label = label;
        this.jsonKey = jsonKey;
        this.path = List.of(path.split("\\."));
        this.where = where;
        this.jsonDigits = jsonDigits;
        this.fileDigits = fileDigits;
        this.quantity = Quantity.valueOf(name());
    }

    /** Returns the name of the figure on the console. */
    String label() {
        return label;
    }

    /** Returns the quantity that the figure shows in every output. */
    public Quantity quantity() {
        return quantity;
    }

    /** Returns the path of the figure in the {@code result.json} of a run. */
    List<String> path() {
        return path;
    }

    /** Returns the key of the figure in the part of {@code result.json} that contains it. */
    public String fileKey() {
        return path.getLast();
    }

    /** Returns the value of the figure in a run; NaN if it is unknown. A count is exact up to 2^53. */
    double of(RunResult r) {
        return Measurements.of(quantity, r);
    }

    /** Returns whether the outputs of a run have the figure. */
    boolean isIn(RunResult r, RunShape shape) {
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
                field.json(json, r, true);
            }
        }
    }

    /** Writes the figure under its key of {@code --json}, null unless it is known. */
    void json(JsonGenerator json, RunResult r, boolean known) {
        JsonReport.number(json, jsonKey, known ? of(r) : Double.NaN, jsonDigits);
    }

    /**
     * Writes neighbouring figures under their keys of {@code result.json}. Counts are in every file; a rate that a run does not
     * have is null.
     */
    static void file(JsonGenerator json, RunResult r, RunShape shape, ResultField first, ResultField last) {
        for (ResultField field : EnumSet.range(first, last)) {
            field.file(json, r, field.quantity.unit() == Quantity.Unit.MESSAGES || field.isIn(r, shape));
        }
    }

    /** Writes the figure under its key of {@code result.json}, null unless it is known. */
    void file(JsonGenerator json, RunResult r, boolean known) {
        JsonReport.number(json, fileKey(), known ? of(r) : Double.NaN, fileDigits);
    }
}
