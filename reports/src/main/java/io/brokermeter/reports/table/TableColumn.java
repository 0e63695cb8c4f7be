package io.brokermeter.reports.table;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

import io.brokermeter.reports.StoredResult;

/** A figure of a run that a table can show. Times are microseconds. */
public enum TableColumn {

    /** Messages sent; received, where none were sent. */
    MESSAGES("messages", "messages", r -> r.sends() ? r.number("messages", "sent") : r.number("messages", "received")),
    /** Sends that the broker took, as a share of those whose fate is known. */
    SUCCESS("success", "success %", r -> r.number("successPercent")),
    /** From the begin of the load to the last send; from the first delivery to the last, where nothing was sent. */
    SECONDS("seconds", "seconds", r -> r.sends() ? r.number("sendingSeconds") : r.number("receivingSeconds")),
    /** Messages sent a second: without the warm-up where there was one. */
    SENT("sent", "sent/s", r -> hasWarmup(r) ? r.number("rates", "measuredSentPerSecond") : r.number("rates", "sentPerSecond")),
    /** Messages delivered a second, from the first to the last; without the warm-up where there was one. */
    RECEIVED("received", "received/s",
            r -> hasWarmup(r) ? r.number("rates", "measuredReceivedPerSecond") : r.number("rates", "receivedPerSecond")),
    /** Sent a second, or received where nothing was sent. */
    RATE("rate", "msg/s", r -> r.sends() ? SENT.of(r) : RECEIVED.of(r)),
    FAILED("failed", "failed", r -> r.number("messages", "failed")),
    LOST("lost", "lost", r -> r.number("ledger", "lostMessages")),
    DUPLICATES("duplicates", "duplicates", r -> r.number("ledger", "duplicateMessages")),
    BLOCKED("blocked", "blocked %", r -> r.number("messages", "blocked") / r.number("messages", "sent") * 100),
    DEPTH("depth", "most waiting", r -> r.number("broker", "depthMaxMessages")),
    CPU("cpu", "broker CPU %", r -> r.number("broker", "cpuPercent")),
    MEMORY("memory", "broker memory %", r -> r.number("broker", "memoryPercent")),
    CPU_PER_MESSAGE("cpuPerMessage", "broker us/msg", r -> r.number("broker", "cpuMicrosPerMessage")),
    OWN_CPU_PER_MESSAGE("ownCpuPerMessage", "own us/msg", r -> r.number("health", "cpuMicrosPerMessage")),
    DELAY_MEAN("delay.mean", "delay mean us", time("send-delay", "mean")),
    DELAY_P50("delay.p50", "delay p50", time("send-delay", "p50")),
    DELAY_P99("delay.p99", "delay p99", time("send-delay", "p99")),
    SEND_MEAN("send.mean", "send mean us", time("send", "mean")),
    SEND_P50("send.p50", "send p50", time("send", "p50")),
    SEND_P99("send.p99", "send p99", time("send", "p99")),
    SEND_P9999("send.p99.99", "send p99.99", time("send", "p99.99")),
    TRANSFER_MEAN("transfer.mean", "transfer mean us", time("transfer", "mean")),
    TRANSFER_P50("transfer.p50", "transfer p50", time("transfer", "p50")),
    TRANSFER_P99("transfer.p99", "transfer p99", time("transfer", "p99")),
    ROUND_TRIP_MEAN("roundTrip.mean", "round trip mean us", time("round-trip", "mean")),
    ROUND_TRIP_P50("roundTrip.p50", "round trip p50", time("round-trip", "p50")),
    ROUND_TRIP_P99("roundTrip.p99", "round trip p99", time("round-trip", "p99")),
    LATE_MEAN("late.mean", "late delivery mean us", time("late-delivery", "mean")),
    LATE_P99("late.p99", "late delivery p99", time("late-delivery", "p99"));

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

    private static boolean hasWarmup(StoredResult r) {
        return r.sends() ? r.number("messages", "measuredSent") < r.number("messages", "sent")
                : r.number("messages", "measuredReceived") < r.number("messages", "received");
    }

    private static ToDoubleFunction<StoredResult> time(String metric, String which) {
        return r -> r.number("times", metric, which + "Micros");
    }
}
