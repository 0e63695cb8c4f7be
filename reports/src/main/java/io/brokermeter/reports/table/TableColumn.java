package io.brokermeter.reports.table;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;

/** A figure of a run that a table can show. Times are microseconds. */
public enum TableColumn {

    /** Messages sent; received, where none were sent. */
    MESSAGES("messages", "messages", r -> r.sends() ? r.number(ResultField.SENT) : r.number(ResultField.RECEIVED)),
    /** Sends that the broker took, as a share of those whose fate is known. */
    SUCCESS("success", "success %", r -> r.number(ResultField.SUCCESS_PERCENT)),
    /** From the begin of the load to the last send; from the first delivery to the last, where nothing was sent. */
    SECONDS("seconds", "seconds", r -> r.sends() ? r.number(ResultField.SENDING_SECONDS) : r.number(ResultField.RECEIVING_SECONDS)),
    /** Sends a second that the broker took; those of the measured phase where there was a warm-up. */
    SENT("sent", "sent/s", r -> hasWarmup(r) ? r.number(ResultField.MEAN_SENT) : r.number(ResultField.COMPLETED_PER_SECOND)),
    /** Messages delivered. */
    RECEIVED_MESSAGES("receivedMessages", "received", r -> r.number(ResultField.RECEIVED)),
    /**
     * Messages delivered a second, up to the last delivery, those of the measured phase where there was a warm-up; from the first
     * delivery to the last where nothing was sent. Where there are several groups of consumers, those of the first.
     */
    RECEIVED("received", "received/s", TableColumn::received),
    FAILED("failed", "failed", r -> r.number(ResultField.FAILED)),
    /** Sends whose fate is not known. */
    UNCONFIRMED("unconfirmed", "unconfirmed", r -> r.number(ResultField.UNCONFIRMED)),
    LOST("lost", "lost", r -> r.number(ResultField.LOST)),
    /** Messages that waited in the broker when draining ended. */
    LEFT("left", "left", r -> r.number(ResultField.LEFT)),
    /** Messages that were not delivered when draining ended, where the broker cannot tell whether it has them. */
    NOT_IN_TIME("notInTime", "not in time", r -> r.number(ResultField.UNDELIVERED)),
    DUPLICATES("duplicates", "duplicates", r -> r.number(ResultField.DUPLICATES)),
    BLOCKED("blocked", "blocked/s", r -> r.sends() ? r.number(ResultField.BLOCKED) / r.number(ResultField.SENDING_SECONDS) : Double.NaN),
    DEPTH("depth", "most waiting", r -> r.number("broker", "depthMaxMessages")),
    CPU("brokerCpu", "broker CPU %", r -> r.number("broker", "cpuPercent")),
    MEMORY("brokerMemory", "broker memory %", r -> r.number("broker", "memoryPercent")),
    CPU_PER_MESSAGE("brokerCpuPerMessage", "broker us/msg", r -> r.number("broker", "cpuMicrosPerMessage")),
    OWN_CPU_PER_MESSAGE("ownCpuPerMessage", "own us/msg", r -> r.number("health", "cpuMicrosPerMessage")),
    DELAY_MEAN("delayMean", "delay mean us", time("send-delay", "mean")),
    DELAY_P50("delayP50", "delay p50", time("send-delay", "p50")),
    DELAY_P90("delayP90", "delay p90", time("send-delay", "p90")),
    DELAY_P99("delayP99", "delay p99", time("send-delay", "p99")),
    DELAY_P999("delayP999", "delay p99.9", time("send-delay", "p99.9")),
    DELAY_P9999("delayP9999", "delay p99.99", time("send-delay", "p99.99")),
    DELAY_MAX("delayMax", "delay max", time("send-delay", "max")),
    SEND_MEAN("sendMean", "send mean us", time("send", "mean")),
    SEND_P50("sendP50", "send p50", time("send", "p50")),
    SEND_P90("sendP90", "send p90", time("send", "p90")),
    SEND_P99("sendP99", "send p99", time("send", "p99")),
    SEND_P999("sendP999", "send p99.9", time("send", "p99.9")),
    SEND_P9999("sendP9999", "send p99.99", time("send", "p99.99")),
    SEND_MAX("sendMax", "send max", time("send", "max")),
    TRANSFER_MEAN("transferMean", "transfer mean us", time("transfer", "mean")),
    TRANSFER_P50("transferP50", "transfer p50", time("transfer", "p50")),
    TRANSFER_P90("transferP90", "transfer p90", time("transfer", "p90")),
    TRANSFER_P99("transferP99", "transfer p99", time("transfer", "p99")),
    TRANSFER_P999("transferP999", "transfer p99.9", time("transfer", "p99.9")),
    TRANSFER_P9999("transferP9999", "transfer p99.99", time("transfer", "p99.99")),
    TRANSFER_MAX("transferMax", "transfer max", time("transfer", "max")),
    RESPONSE_MEAN("responseMean", "response mean us", time("response", "mean")),
    RESPONSE_P50("responseP50", "response p50", time("response", "p50")),
    RESPONSE_P90("responseP90", "response p90", time("response", "p90")),
    RESPONSE_P99("responseP99", "response p99", time("response", "p99")),
    RESPONSE_P999("responseP999", "response p99.9", time("response", "p99.9")),
    RESPONSE_P9999("responseP9999", "response p99.99", time("response", "p99.99")),
    RESPONSE_MAX("responseMax", "response max", time("response", "max")),
    ROUND_TRIP_MEAN("roundTripMean", "round trip mean us", time("round-trip", "mean")),
    ROUND_TRIP_P50("roundTripP50", "round trip p50", time("round-trip", "p50")),
    ROUND_TRIP_P90("roundTripP90", "round trip p90", time("round-trip", "p90")),
    ROUND_TRIP_P99("roundTripP99", "round trip p99", time("round-trip", "p99")),
    ROUND_TRIP_P999("roundTripP999", "round trip p99.9", time("round-trip", "p99.9")),
    ROUND_TRIP_P9999("roundTripP9999", "round trip p99.99", time("round-trip", "p99.99")),
    ROUND_TRIP_MAX("roundTripMax", "round trip max", time("round-trip", "max")),
    LATE_MEAN("lateMean", "late delivery mean us", time("late-delivery", "mean")),
    LATE_P99("lateP99", "late delivery p99", time("late-delivery", "p99"));

    private final String key;
    private final String heading;
    private final ToDoubleFunction<StoredResult> figure;

    TableColumn(String key, String heading, ToDoubleFunction<StoredResult> figure) {
        this.key = key;
        this.heading = heading;
        this.figure = figure;
    }

    /** Its name in published rows and in files of comma-separated values. */
    public String key() {
        return key;
    }

    String heading() {
        return heading;
    }

    /** The figure of a run; NaN when it is not known. */
    public double of(StoredResult result) {
        return figure.applyAsDouble(result);
    }

    /** The column of that key. */
    public static Optional<TableColumn> ofKey(String key) {
        return Arrays.stream(values()).filter(column -> column.key.equals(key)).findFirst();
    }

    /** Whether a published figure can be divided by: amounts of work cannot, since a run may do a part of it. */
    boolean compares() {
        return this != MESSAGES && this != SECONDS && this != SUCCESS && this != RECEIVED_MESSAGES;
    }

    private static double received(StoredResult r) {
        List<String> consumers = r.groups("consumers");
        if (consumers.size() > 1) {
            return r.group("consumers", consumers.getFirst(), "messagesPerSecond");
        }
        return r.sends() || hasWarmup(r) ? r.number(ResultField.MEAN_RECEIVED) : r.number(ResultField.RECEIVED_PER_SECOND);
    }

    private static boolean hasWarmup(StoredResult r) {
        return r.sends() ? r.number(ResultField.MEASURED_SENT) < r.number(ResultField.SENT)
                : r.number(ResultField.MEASURED_RECEIVED) < r.number(ResultField.RECEIVED);
    }

    private static ToDoubleFunction<StoredResult> time(String metric, String which) {
        return r -> r.number("times", metric, which + "Micros");
    }
}
