package io.brokermeter.reports.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;

/**
 * A figure of a run that a table can show. Times are in microseconds.
 *
 * @param key name in published rows and in files of comma-separated values
 * @param figure returns the figure of a run; NaN if it is unknown
 * @param withOverdue returns the substitute for a run in which nothing that was due after the warm-up had that time: the time of all
 *     that was sent and received after it, whenever it was due; NaN if that is unknown, or the figure is known
 * @param confidence returns how sure the figure of a run is
 */
public record TableColumn(
        String key, String heading, ToDoubleFunction<StoredResult> figure, ToDoubleFunction<StoredResult> withOverdue,
        Function<StoredResult, Confidence> confidence) {

    /** Tolerance in seconds: lengths in files are rounded, and those of a run that left no result are sums of rounded ones. */
    private static final double SAME_SECONDS = 0.01;

    TableColumn(String key, String heading, ToDoubleFunction<StoredResult> figure) {
        this(key, heading, figure, r -> Double.NaN, r -> Confidence.UNKNOWN);
    }

    /** Messages sent; messages received, if none were sent. */
    static final TableColumn MESSAGES = new TableColumn("messages", "messages",
        r -> r.sends() ? r.number(ResultField.SENT) : r.number(ResultField.RECEIVED));
    /** Percentage of sends that the broker accepted, among those whose fate is known. */
    static final TableColumn SUCCESS = field("success", "success %", ResultField.SUCCESS_PERCENT);
    /** Seconds from the beginning of the load to the end of sending; from the first delivery to the last, if nothing was sent. */
    static final TableColumn SECONDS = new TableColumn("seconds", "seconds",
        r -> r.sends() ? r.number(ResultField.SENDING_SECONDS) : r.number(ResultField.RECEIVING_SECONDS));
    /**
     * Sends per second that the broker accepted; with a warm-up, all sends after it, since their confirmations are not counted
     * separately.
     */
    public static final TableColumn SENT = new TableColumn("sent", "sent/s",
        r -> hasWarmup(r) ? r.number(ResultField.MEAN_SENT) : r.number(ResultField.COMPLETED_PER_SECOND), r -> Double.NaN,
        r -> r.confidence(ResultField.MEAN_SENT));
    /** Messages delivered. */
    static final TableColumn RECEIVED_MESSAGES = field("receivedMessages", "received msg", ResultField.RECEIVED);
    /**
     * Messages delivered per second, up to the last delivery, those of the measured phase if there was a warm-up; from the first
     * delivery to the last if nothing was sent. If there are several groups of consumers, those of the first.
     */
    public static final TableColumn RECEIVED = new TableColumn("received", "received/s", TableColumn::received, r -> Double.NaN,
        r -> isReceivedByFirst(r) || !r.sends() && !hasWarmup(r) ? Confidence.UNKNOWN : r.confidence(ResultField.MEAN_RECEIVED));
    /** Note for readers of {@link #RECEIVED} if any result has several groups of consumers. */
    public static final String RECEIVED_BY_FIRST =
        "Where there are several groups of consumers, received/s is that of the first of them, from its first "
            + "delivery to its last, warm-up included.";
    public static final TableColumn FAILED = field("failed", "failed msg", ResultField.FAILED);

    /**
     * Columns of problems: sends whose fate is unknown, messages that waited in the broker at the end, that did not arrive in time, and
     * so on.
     */
    static final List<TableColumn> TROUBLES = List.of(FAILED, field("unconfirmed", "unconfirmed msg", ResultField.UNCONFIRMED),
        field("lost", "lost msg", ResultField.LOST), field("left", "left msg", ResultField.LEFT),
        field("notInTime", "not in time msg", ResultField.UNDELIVERED), field("duplicates", "duplicates msg", ResultField.DUPLICATES));

    /** All columns, in the order of files of comma-separated values. */
    static final List<TableColumn> ALL = all();

    private static List<TableColumn> all() {
        List<TableColumn> all = new ArrayList<>(List.of(MESSAGES, SUCCESS, SECONDS, SENT, RECEIVED_MESSAGES, RECEIVED));
        all.addAll(TROUBLES);
        all.add(new TableColumn("blocked", "blocked/s",
            r -> r.sends() ? r.number(ResultField.BLOCKED) / r.number(ResultField.SENDING_SECONDS) : Double.NaN));
        all.add(field("depth", "most waiting msg", ResultField.BROKER_DEPTH_MAX));
        all.add(field("brokerCpu", "broker CPU %", ResultField.BROKER_CPU));
        all.add(new TableColumn("brokerMemory", "broker memory %", r -> r.broker().memoryPercent()));
        all.add(field("brokerCpuPerMessage", "broker us/msg", ResultField.BROKER_CPU_PER_MESSAGE));
        all.add(field("ownCpuPerMessage", "own us/msg", ResultField.CPU_PER_MESSAGE));
        all.add(new TableColumn("sentMegabytes", "sent MB/s", r -> r.number(ResultField.MEAN_SENT_BYTES) / 1e6));
        all.add(new TableColumn("receivedMegabytes", "received MB/s", r -> r.number(ResultField.MEAN_RECEIVED_BYTES) / 1e6));
        times(all, "delay", "delay", Metric.SEND_DELAY, StoredResult.PARTS);
        times(all, "send", "send", Metric.SEND, StoredResult.PARTS);
        times(all, "transfer", "transfer", Metric.TRANSFER, StoredResult.PARTS);
        times(all, "response", "response", Metric.RESPONSE, StoredResult.PARTS);
        times(all, "roundTrip", "round trip", Metric.ROUND_TRIP, StoredResult.PARTS);
        times(all, "late", "late delivery", Metric.LATE_DELIVERY, List.of("mean", "p99"));
        times(all, "handler", "handler", Metric.HANDLER, List.of("mean", "p99"));
        return List.copyOf(all);
    }

    private static void times(List<TableColumn> all, String key, String heading, Metric metric, List<String> parts) {
        for (String part : parts) {
            all.add(new TableColumn(key + Character.toUpperCase(part.charAt(0)) + part.substring(1).replace(".", ""),
                heading + " " + part + " us", r -> r.micros(metric, part), r -> r.microsOfOverdueAlone(metric, part),
                r -> r.confidence(metric, part)));
        }
    }

    private static TableColumn field(String key, String heading, ResultField field) {
        return new TableColumn(key, heading, r -> r.number(field));
    }

    /** Returns the figure of a run; NaN if it is unknown. */
    public double of(StoredResult result) {
        return figure.applyAsDouble(result);
    }

    /** Returns the interval of the figure of a run; unknown if the run has none, or its substitute. */
    public Confidence confidenceOf(StoredResult result) {
        return Double.isFinite(of(result)) ? confidence.apply(result) : Confidence.UNKNOWN;
    }

    /** Returns the substitute for the figure of a run that has none; NaN if there is no substitute. */
    public double withOverdue(StoredResult result) {
        return withOverdue.applyAsDouble(result);
    }

    /** Returns whether the column has a figure, or its substitute, for a run. */
    public boolean isKnownOf(StoredResult result) {
        return Double.isFinite(of(result)) || isOverdueOf(result);
    }

    /** Returns whether the column shows a time with overdue messages for a run, since the run has no other. */
    public boolean isOverdueOf(StoredResult result) {
        return !Double.isFinite(of(result)) && Double.isFinite(withOverdue(result));
    }

    /** Returns the column with a key; empty if there is none. */
    public static Optional<TableColumn> ofKey(String key) {
        return ALL.stream().filter(column -> column.key.equals(key)).findFirst();
    }

    /** Returns whether figures can be divided by published ones: amounts of work cannot, since a run may do a part of it. */
    boolean compares() {
        return this != MESSAGES && this != SECONDS && this != SUCCESS && this != RECEIVED_MESSAGES;
    }

    private static double received(StoredResult r) {
        return isReceivedByFirst(r) ? r.document().groups().stream().filter(group -> !group.isProducing()).findFirst().orElseThrow()
            .messagesPerSecond() : receivedByAll(r);
    }

    /** Returns whether {@link #RECEIVED} is that of one of several groups of consumers. */
    public static boolean isReceivedByFirst(StoredResult r) {
        return r.groups(false).size() > 1;
    }

    /** Returns the messages delivered per second to all groups of consumers together, otherwise as {@link #RECEIVED}. */
    public static double receivedByAll(StoredResult r) {
        return r.sends() || hasWarmup(r) ? r.number(ResultField.MEAN_RECEIVED) : r.number(ResultField.RECEIVED_PER_SECOND);
    }

    /** Returns whether a run had a warm-up. Producers may begin when it is over, so that no send was in it. */
    private static boolean hasWarmup(StoredResult r) {
        return r.sends() ? r.number(ResultField.MEASURED_SENT) < r.number(ResultField.SENT)
            || r.number(ResultField.SENDING_SECONDS) - r.number(ResultField.MEASURED_SECONDS) > SAME_SECONDS
            : r.number(ResultField.MEASURED_RECEIVED) < r.number(ResultField.RECEIVED);
    }
}
