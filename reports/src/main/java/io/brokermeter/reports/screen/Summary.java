package io.brokermeter.reports.screen;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HostEffects;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.AgentResult;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Floors;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.recording.WarmUp;
import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.Thresholds;
import io.brokermeter.reports.json.ResultJson;
import org.jspecify.annotations.Nullable;

/** Formats the text at the end of a run: first the lines of Artemis {@code perf}, then brokermeter's own. */
public final class Summary {

    private static final int NAME_WIDTH = 20;
    private static final int VALUE_WIDTH = 12;

    private final RunResult result;
    private final RunShape shape;
    private final boolean verbose;
    private final StringBuilder b = new StringBuilder();

    public Summary(RunResult result, RunShape shape, boolean verbose) {
        this.result = result;
        this.shape = shape;
        this.verbose = verbose;
    }

    /** Returns the whole summary, led by an empty line and ended by a line end. */
    public String text() {
        b.setLength(0);
        b.append("\n--- SUMMARY\n");
        Schedule schedule = result.health().schedule();
        line("result", result.outcome().word(), schedule.kept() ? null : "("
            + Sentences.rate(schedule.ratio(), schedule.reachedPerSecond(), schedule.askedPerSecond()) + ")");
        totals();
        latencies();
        margins();
        floors();
        overdue();
        ledger();
        rates();
        parts();
        generator();
        judgement();
        return b.toString();
    }

    private void totals() {
        line(ResultField.SENT, null);
        line(ResultField.BLOCKED, null);
        line(ResultField.COMPLETED, result.confirms() ? null : "(written; the broker confirms no sends here)");
        line(ResultField.RECEIVED, null);
    }

    private void latencies() {
        Map<Metric, Distribution> d = result.measured();
        if (shape.scheduled()) {
            LatencyLine.append(b, "--- aggregated delay send time:", d.get(Metric.SEND_DELAY));
        }
        if (shape.sends()) {
            LatencyLine.append(b, "--- aggregated send time:      ", d.get(Metric.SEND));
        }
        if (shape.receives()) {
            if (result.agents().isEmpty()) {
                LatencyLine.append(b, "--- aggregated transfer time:  ", d.get(Metric.TRANSFER));
            } else {
                // Times between clocks may be left out, and a number would be a wrong one. No script of Artemis reads a run of agents.
                LatencyLine.appendOwn(b, "--- aggregated transfer time:  ", d.get(Metric.TRANSFER));
            }
            LatencyLine.appendOwn(b, "--- aggregated response time:  ", d.get(Metric.RESPONSE));
        }
        sentence("few samples", LatencyLine.few(shape, "send", d));
        whereSampled(b, "--- aggregated round trip:     ", d.get(Metric.ROUND_TRIP));
        whereSampled(b, "--- aggregated late delivery:  ", d.get(Metric.LATE_DELIVERY));
        whereSampled(b, "--- aggregated handler time:   ", d.get(Metric.HANDLER));
        d.forEach((metric, samples) -> {
            if (samples.negative() > 0) {
                line("below zero", samples.negative(), "(" + metric.tag() + " times, left out)");
            }
            if (samples.clamped() > 0) {
                line("above range", samples.clamped(), "(" + metric.tag() + " times, counted at its upper end)");
            }
        });
    }

    /** Appends how sure the percentiles are. */
    private void margins() {
        result.measured().forEach((metric, d) -> sentence("95% in " + metric.tag() + " time", Distribution.PERCENTILES.stream()
            .filter(d::supports).filter(percentile -> result.confidences().of(metric, percentile).isKnown()
                || result.confidences().of(metric, percentile).isTooFew())
            .map(percentile -> Numbers.fixed(percentile, 2) + "%: "
                + Margin.inMicros(d.nanosAt(percentile) / 1e3, result.confidences().of(metric, percentile)))
            .collect(Collectors.joining(" - "))));
    }

    /** Appends what the generator's own stalls alone would have made of percentiles, where that explains them. */
    private void floors() {
        Floors floors = result.floors();
        result.measured().forEach((metric, d) -> sentence("own stalls in " + metric.tag() + " time",
            Stream.concat(Distribution.PERCENTILES.stream().filter(d::supports), Stream.of(100.0))
                .filter(percentile -> metric != Metric.SEND_DELAY && floors.isMarked(metric, d, percentile))
                .map(percentile -> (percentile == 100 ? "max" : Numbers.fixed(percentile, 2) + "%") + ": "
                    + Numbers.fixed(floors.nanos(metric, d, percentile) / 1e3, 2) + " us")
                .collect(Collectors.joining(" - "))));
    }

    /** Appends a time that only some runs have. */
    private static void whereSampled(StringBuilder b, String name, @Nullable Distribution d) {
        if (d != null && d.count() > 0) {
            LatencyLine.appendOwn(b, name, d);
        }
    }

    /**
     * Appends the times with overdue messages, if many messages of the measured part were due before it, which the times of
     * {@link #latencies} leave out.
     */
    private void overdue() {
        MeasuredPart part = result.part();
        if (!part.isOverdue()) {
            return;
        }
        // As on the screen, the greater of both: beside many late deliveries there may be a few sends at the end of the warm-up.
        boolean sent = part.overdueSent() >= part.overdueReceived();
        line("overdue", sent ? part.overdueSent() : part.overdueReceived(), "(of " + (sent ? part.sent() + " sent" : part.received()
            + " received") + " after the warm-up were due in it; the times above leave them out, those below do not)");
        Map<Metric, Distribution> d = part.times();
        whereSampled(b, "--- with overdue delay send time:", d.get(Metric.SEND_DELAY));
        whereSampled(b, "--- with overdue send time:      ", d.get(Metric.SEND));
        whereSampled(b, "--- with overdue transfer time:  ", d.get(Metric.TRANSFER));
        whereSampled(b, "--- with overdue response time:  ", d.get(Metric.RESPONSE));
        whereSampled(b, "--- with overdue round trip:     ", d.get(Metric.ROUND_TRIP));
    }

    private void ledger() {
        LedgerReport l = result.ledger();
        line(ResultField.FAILED, delivered(l == null ? 0 : l.failedDelivered()));
        line(ResultField.UNCONFIRMED, delivered(l == null ? 0 : l.unconfirmedDelivered()));
        ResultField.otherCounts().forEach(count -> line(count, null));
        if (!shape.receives()) {
            return;
        }
        if (l == null) {
            line("ledger", "not kept");
            return;
        }
        line(ResultField.LOST, l.lostUnconfirmed() == 0 ? null
            : "(and " + l.lostUnconfirmed() + " that were never confirmed)");
        where(ResultField.LEFT, "(in the broker when draining ended)");
        where(ResultField.UNDELIVERED, "(not delivered when draining ended; the broker may have them)");
        where(ResultField.UNTAKEN, "(the consumers had as many as they were to take)");
        where(ResultField.BEFORE_SUBSCRIPTION, "(sent before the subscription)");
        where(ResultField.UNSELECTED, "(delivered against the selector)");
        where(ResultField.OTHER_DESTINATION, "(sent to other destinations of this run)");
        line(ResultField.DUPLICATES, "(" + l.redeliveredDuplicates() + " flagged as redelivered)");
        line(ResultField.OUT_OF_ORDER, "(depth " + l.reorderDepth() + ")");
        line(ResultField.CORRUPT, null);
        line(ResultField.FOREIGN, null);
        line(ResultField.OLD, null);
        if (!l.closes()) {
            line("ledger", "open", "(" + l.expected() + " expected is not " + l.received() + " received - "
                + l.duplicates() + " duplicated + " + l.lost() + " lost"
                + term(ResultField.LEFT, "+") + term(ResultField.UNDELIVERED, "+") + term(ResultField.UNTAKEN, "+")
                + term(ResultField.UNSELECTED, "-") + term(ResultField.OTHER_DESTINATION, "-") + ")");
        }
    }

    private String term(ResultField field, String sign) {
        long count = (long) field.of(result);
        return count == 0 ? "" : " " + sign + " " + count + " " + field.label();
    }

    private static @Nullable String delivered(long count) {
        return count == 0 ? null : "(" + count + " of them delivered all the same)";
    }

    private void where(ResultField field, @Nullable String after) {
        if (field.of(result) > 0) {
            line(field, after);
        }
    }

    /** Appends groups, if there are more than one of senders and one of receivers, agents, and phases. */
    private void parts() {
        for (GroupResult group : result.groups()) {
            if (result.groups().size() > 2 || result.groups().size() == 2
                && result.groups().getFirst().producing() == result.groups().getLast().producing()) {
                Distribution times = group.measured().get(group.producing() ? Metric.SEND : Metric.TRANSFER);
                sentence("group " + group.name(), group.protocol() + ", " + (group.producing()
                    ? "sent " + known(group.sent()) + (group.received() > 0 ? ", replies " + group.received() : "")
                    : "received " + known(group.received()) + (group.sent() > 0 ? ", replies " + group.sent() : ""))
                    + ", " + Numbers.fixed(group.messagesPerSecond(), 2) + " msg/sec"
                    + percentiles(group.producing() ? "send" : "transfer", times));
            }
        }
        for (AgentResult agent : result.agents()) {
            sentence("agent " + agent.name(), "sent " + known(agent.sent()) + ", received " + known(agent.received())
                + (agent.lost() != null ? ", lost: " + agent.lost()
                    : ", cpu " + Numbers.fixed(agent.cpuPercent(), 1) + " %"
                        + (Double.isNaN(agent.lateMicros()) ? "" : ", started " + Numbers.fixed(agent.lateMicros(), 0) + " us late")
                        + (agent.clockBoundMicros() == 0 ? "" : ", clock within " + Numbers.fixed(agent.clockBoundMicros(), 1) + " us")
                        + (agent.doubts().isEmpty() ? ", sound" : ", doubtful")));
        }
        for (PhaseResult phase : result.phases()) {
            sentence("phase " + phase.name(), Numbers.fixed(phase.seconds(), 1) + " s, sent " + known(phase.sent())
                + (shape.receives() ? ", received " + known(phase.received()) : "") + ", "
                + Numbers.fixed(phase.sentPerSecond(), 2) + " msg/sec"
                + percentiles("send", phase.measured().get(Metric.SEND))
                + percentiles("response", phase.measured().get(Metric.RESPONSE)));
        }
    }

    private static String known(long count) {
        return count < 0 ? "n/a" : Long.toString(count);
    }

    private static String percentiles(String name, @Nullable Distribution d) {
        if (d == null || d.count() == 0) {
            return "";
        }
        return ", " + name + " p50 " + Numbers.fixed(d.nanosAt(50) / 1e3, 2) + " us p99 "
            + (d.supports(99) ? Numbers.fixed(d.nanosAt(99) / 1e3, 2) : "n/a") + " us";
    }

    private void rates() {
        ResultField.meanRates().forEach(this::rate);
        WarmUp warmUp = result.warmUp();
        if (warmUp != null) {
            line("warm-up", Numbers.fixed(warmUp.seconds(), 3), "s (auto, "
                + (warmUp.settled() ? "steady from " + Numbers.fixed(warmUp.steadyFromSeconds(), 3) + " s on"
                    : warmUp.known() ? "not settled by then" : "too few samples to tell whether the run had settled")
                + ")");
        }
        line(ResultField.ELAPSED, 3);
        line(ResultField.RECONNECTS, null);
    }

    /** Appends a rate in the words of Artemis perf, and how sure it is. */
    private void rate(ResultField field) {
        if (field.isIn(result, shape)) {
            boolean bytes = field.quantity().unit() == Quantity.Unit.BYTES_PER_SECOND;
            double value = bytes ? field.of(result) / 1e6 : field.of(result);
            String margin = Margin.of(value, field == ResultField.MEAN_SENT ? result.confidences().sent()
                : field == ResultField.MEAN_RECEIVED ? result.confidences().received() : Confidence.UNKNOWN);
            line(field.label(), Double.isNaN(value) ? "n/a" : Numbers.fixed(value, 2),
                Margin.behind(bytes ? "MB/sec" : "msg/sec", margin.isEmpty() ? "" : "(" + margin + ")"));
        }
    }

    private void generator() {
        Health h = result.health();
        double broker = result.brokerCpuMicrosPerMessage();
        line("cpu per message", known(h.cpuMicrosPerMessage(), 2),
            Double.isFinite(broker) ? "us (and " + Numbers.fixed(broker, 2) + " us of the broker)" : "us");
        if (h.host().clockAndWakeMicros() >= 0) {
            sentence("clock and wake-up of the generator", Numbers.fixed(h.host().clockAndWakeMicros(), 2) + " us");
        }
        if (h.ticks().isKnown()) {
            line("tick wait", Numbers.fixed(h.ticks().meanNanos() / 1e3, 2), "us (max " + Numbers.fixed(h.ticks().maxNanos() / 1e3, 2)
                + " us, ticks of " + Numbers.fixed(h.ticks().tickNanos() / 1e3, 0) + " us)");
        }
        if (result.connects() != null) {
            sentence("connects", new ResultWords(ResultJson.stored(result, shape)).connects());
        }
        broker();
        network();
        if (!verbose) {
            return;
        }
        line("cpu", known(h.cpuSeconds(), 2), "s");
        line("machine busy", known(h.machineBusyPercent(), 1), "%");
        line("stolen", known(h.stealPercent(), 1), "%");
        line("gc pauses", h.gcPauses(), "(" + h.gcPauseMillis() + " ms, longest " + h.gcLongestPauseMillis() + " ms)");
        line("hiccups 99.90%", known(h.hiccup999Millis(), 2), "ms (max " + known(h.hiccupMaxMillis(), 2) + " ms)");
        line("lateness 99.00%", known(h.lateness99Millis(), 2), "ms");
        host(h.host());
        line("schedule kept", known(h.achievedRatio() * 100, 2), "%");
        line("peak memory", h.residentBytes() < 0 ? "n/a" : Numbers.fixed(h.residentBytes() / 1048576.0, 1), "MiB");
    }

    private void host(HostEffects host) {
        line("waited for cpu", known(host.waitingPercent(), 1), "% (all threads added up)");
        if (!host.busiestThread().isEmpty()) {
            line("busiest thread", known(host.busiestThreadPercent(), 1), "% (" + host.busiestThread() + ")");
        }
        line("throttled", known(host.throttledPercent(), 1), "%");
        line("clock reading", known(host.clockReadingNanos(), 0),
            "ns" + (host.clockSource().isEmpty() ? "" : " (" + host.clockSource() + ")"));
    }

    private void broker() {
        BrokerFigures f = result.broker();
        if (f == null) {
            return;
        }
        if (!f.observed().isEmpty()) {
            line("broker cpu", Numbers.fixed(f.cpuPercent(), 1), Double.isFinite(f.cpuPercentMax())
                ? "% (max " + Numbers.fixed(f.cpuPercentMax(), 1) + " %)" : "%");
            line("broker memory", mebi(f.residentBytes()), "MiB" + (Double.isFinite(f.memoryPercent())
                ? " (" + Numbers.fixed(f.memoryPercent(), 1) + " % of the machine, max " + mebi(f.residentBytesMax()) + " MiB)"
                : ""));
        }
        if (!verbose) {
            return;
        }
        count("broker threads", f.threadsMax(), "(most)");
        count("broker files", f.openFilesMax(), "(most)");
        if (f.diskReadBytes() >= 0 || f.diskWrittenBytes() >= 0) {
            line("broker disk", mebi(f.diskWrittenBytes()), "MiB written (" + mebi(f.diskReadBytes()) + " MiB read)");
        }
        if (f.voluntarySwitches() >= 0) {
            line("broker switches", f.voluntarySwitches(), "(and " + known(f.involuntarySwitches()) + " involuntary)");
        }
        if (f.heapUsedBytesMax() >= 0) {
            line("broker heap", mebi(f.heapUsedBytesMax()), "MiB (most, of " + mebi(f.heapMaxBytes()) + " MiB)");
        }
        if (f.gcCount() >= 0) {
            line("broker gc", f.gcCount(), "(" + known(f.gcMillis()) + " ms)");
        }
        count("broker depth", f.depthMax(), "(most messages waiting)");
        f.metrics().forEach((name, value) -> line(name, Numbers.plain(value)));
        sentence("broker", f.observed());
    }

    private void network() {
        NetworkFigures network = result.network();
        if (network != null) {
            line("network cpu", known(network.cpuPercent(), 1),
                "% (of the " + network.way() + ", neither the generator's nor the broker's)");
        }
    }

    private void count(String name, long value, String after) {
        if (value >= 0) {
            line(name, value, after);
        }
    }

    private static String mebi(long bytes) {
        return bytes < 0 ? "n/a" : BrokerLine.mebi(bytes);
    }

    /** Formats a figure of health, which is -1 if it is unknown. */
    private static String known(double value, int decimals) {
        return value < 0 ? "n/a" : Numbers.fixed(value, decimals);
    }

    private void judgement() {
        StoredResult stored = ResultJson.stored(result, shape);
        if (result.health().verdict() instanceof GeneratorVerdict.Sound && !result.isInvalid()) {
            line("verdict", "sound", "(" + new ResultWords(stored).soundness().replaceFirst("^sound ", "") + ")");
        } else {
            line("verdict", result.isInvalid() ? "invalid" : "doubtful");
            shape.sentences().of(result.health().verdict().reasons()).forEach(reason -> sentence("doubt", reason));
        }
        for (ThresholdResult one : result.thresholds()) {
            line("threshold", !one.judged() ? "not judged" : one.passed() ? "kept" : "missed", "(" + Thresholds.sentence(one) + ")");
        }
        if (result.signal() != 0) {
            line("ended by", switch (result.signal()) {
                case 1 -> "SIGHUP";
                case 2 -> "SIGINT";
                case 15 -> "SIGTERM";
                default -> "signal " + result.signal();
            } + (result.drained() ? "" : " before draining was over"));
        }
        shape.sentences().of(result.failures()).forEach(cause -> sentence("cause", cause));
        sentence("versions", result.versions().entrySet().stream()
            .map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", ")));
    }

    private void sentence(String name, String text) {
        if (!text.isEmpty()) {
            b.append("--- ").append(name).append(": ").append(Wrapping.oneLine(text)).append('\n');
        }
    }

    /** Appends a count, if the run has it. */
    private void line(ResultField field, @Nullable String after) {
        if (field.isIn(result, shape) && !field.label().isEmpty()) {
            line(field.label(), Long.toString((long) field.of(result)), after);
        }
    }

    /** Appends a figure with digits behind the point and its unit, if the run has it. */
    private void line(ResultField field, int digits) {
        if (field.isIn(result, shape)) {
            double value = field.of(result);
            line(field.label(), Double.isNaN(value) ? "n/a" : Numbers.fixed(value, digits), field.quantity().unit().suffix());
        }
    }

    private void line(String name, String value) {
        line(name, value, null);
    }

    private void line(String name, long value, @Nullable String after) {
        line(name, Long.toString(value), after);
    }

    private void line(String name, String value, @Nullable String after) {
        String start = "--- " + name + ":";
        b.append(start).append(" ".repeat(Math.max(0, NAME_WIDTH - start.length())))
            .append(Numbers.padded(value, VALUE_WIDTH));
        if (after != null) {
            b.append(' ').append(after);
        }
        b.append('\n');
    }
}
