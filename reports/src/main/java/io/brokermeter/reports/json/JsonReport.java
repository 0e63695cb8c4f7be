package io.brokermeter.reports.json;

import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.HasCounts;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ReportFile;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.IntervalDocument;
import io.brokermeter.reports.document.IntervalDocument.TimeInInterval;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.ResultDocument;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes one JSON object for each interval and one for the summary: the keys of Artemis {@code perf} first, with the same
 * meaning and units, then brokermeter's own. A file whose name ends in {@code .jsonl} has one object a line and nothing
 * else; any other is one array, one object a line, that is complete after every interval where the file is a regular one.
 *
 * <p>Times in distributions are microseconds. Every percentile is a number, as in Artemis files; {@code fewSamples} beside
 * them names those without enough samples. Any other unknown figure is null. Rates are whole messages per second.
 */
public final class JsonReport implements RunObserver {

    private final ReportFile file;
    private final boolean lines;
    private final RunShape shape;
    private long objects;
    private long lastEpochMillis;
    /** Value of {@link RunDirectory#ONE_WAY}, the accuracy of times between machines; null if there are none. */
    private @Nullable String oneWay;
    private boolean failed;

    private JsonReport(ReportFile file, boolean lines, RunShape shape) {
        this.file = file;
        this.lines = lines;
        this.shape = shape;
    }

    /** Returns the key of a time in the object of an interval, Artemis' own where it has the time. */
    public static String key(Metric metric) {
        return metric == Metric.SEND_DELAY ? "delaySendTime" : metric.key() + "Time";
    }

    /**
     * Creates the file or empties it.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be written
     */
    public static JsonReport open(Path path, RunShape shape) {
        boolean lines = path.toString().toLowerCase(Locale.ROOT).endsWith(".jsonl");
        return new JsonReport(ReportFile.open("--json", path), lines, shape);
    }

    /** Creates a report of one object a line in a file that no option named. */
    public static JsonReport ofRun(Path path, RunShape shape) {
        return new JsonReport(ReportFile.open("", path), true, shape);
    }

    /** Creates a report that writes the array to a stream, which is not closed. */
    public static JsonReport on(PrintStream out, RunShape shape) {
        return new JsonReport(ReportFile.of("--json", out), false, shape);
    }

    @Override
    public void interval(Interval i) throws IOException {
        lastEpochMillis = i.endEpochNanos() / 1_000_000;
        write(DocumentJson.text(document(i, shape)));
    }

    /** Returns an interval as the files of a run with this shape have it. */
    public static IntervalDocument document(Interval i, RunShape shape) {
        long nanos = i.endEpochNanos() - i.startEpochNanos();
        Map<Metric, Distribution> samples = i.warmup() ? i.warmupSamples() : i.measured();
        boolean sends = shape.sends();
        boolean receives = shape.receives();
        return new IntervalDocument("interval", i.warmup(), i.endEpochNanos() / 1_000_000,
            sends ? Numbers.perSecond(i.sent(), nanos) : Double.NaN,
            sends ? Numbers.perSecond(i.blocked(), nanos) : Double.NaN, sends ? Numbers.perSecond(i.completed(), nanos) : Double.NaN,
            receives ? Numbers.perSecond(i.received(), nanos) : Double.NaN, time(shape, Metric.SEND_DELAY, samples),
            time(shape, Metric.SEND, samples),
            time(shape, Metric.TRANSFER, samples), time(shape, Metric.RESPONSE, samples), time(shape, Metric.ROUND_TRIP, samples),
            time(shape, Metric.LATE_DELIVERY, samples), time(shape, Metric.HANDLER, samples), i.phase(), sends ? i.sent() : Double.NaN,
            sends ? i.blocked() : Double.NaN, sends ? i.completed() : Double.NaN, sends ? i.failed() : Double.NaN,
            receives ? i.received() : Double.NaN, ResultField.others(i, count -> count.isOfSenders() ? sends : receives),
            DocumentJson.rounded(nanos / 1e9, 6), DocumentJson.rounded(i.elapsedNanos() / 1e9, 3),
            i.broker() == null ? null : BrokerJson.of(i.broker()));
    }

    @Override
    public void event(Event event) throws IOException {
        // Readers of Artemis files know two sample types only, so events go to the console alone, except for what they say about the
        // figures.
        String worth = RunDirectory.oneWay(event);
        oneWay = worth == null ? oneWay : worth;
    }

    @Override
    public void finished(RunResult r) throws IOException {
        boolean before = failed;
        try {
            write(JsonText.object(json -> summary(json, r)));
        } catch (IOException e) {
            // A failure of the file that was already reported needs no second report.
            if (!before) {
                throw e;
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (objects == 0 && !lines && !failed) {
            file.append("[", "\n]\n");
        }
        file.close();
    }

    private void summary(JsonGenerator json, RunResult r) {
        Map<Metric, Distribution> d = r.measured();
        ResultDocument document = ResultJson.document(r, shape, null);
        json.writeStringProperty("sampleType", "summary");
        if (!shape.id().isEmpty()) {
            json.writeStringProperty("id", shape.id());
        }
        json.writeNumberProperty("time", lastEpochMillis > 0 ? lastEpochMillis : r.start().toEpochMilli());
        if (shape.sends() || shape.seed() != 0) {
            json.writeNumberProperty("seed", shape.seed());
        }
        json.writeStringProperty("result", r.outcome().word());
        if (oneWay != null) {
            json.writeStringProperty(RunDirectory.ONE_WAY, oneWay);
        }
        ResultField.json(json, r, shape, ResultField.SENT, ResultField.BLOCKED, ResultField.COMPLETED, ResultField.RECEIVED);
        times(json, "total", d);
        MarginJson.write(json, r, shape);
        if (shape.sends()) {
            json.writeBooleanProperty("sendsConfirmed", r.confirms());
        }
        ResultField.json(json, r, shape, ResultField.FAILED, ResultField.UNCONFIRMED);
        ResultField.json(json, r, shape, ResultField.meanRates());
        json.writeStringProperty("start", r.start().toString());
        part(json, "warmUp", document.warmUp());
        ResultField.json(json, r, shape, ResultField.ELAPSED, ResultField.SENDING_SECONDS, ResultField.MEASURED_SECONDS);
        if (r.part().isOverdue()) {
            ResultField.json(json, r, shape, ResultField.OVERDUE_SENT, ResultField.OVERDUE_RECEIVED);
            JsonText.object(json, "withOverdue", () -> times(json, r.part().times()));
        }
        ResultField.MEASURED_RECEIVING_SECONDS.json(json, r, shape.receives());
        ResultField.json(json, r, shape, ResultField.RECONNECTS);
        ResultField.json(json, r, shape, ResultField.otherCounts());
        if (!r.failureCauses().isEmpty()) {
            JsonText.object(json, "failureCauses", () -> r.failureCauses().forEach(json::writeNumberProperty));
        }
        ResultField.RECEIVING_SECONDS.json(json, r, shape.receives());
        groups(json, r);
        phases(json, r);
        if (shape.receives()) {
            json.writeName("ledger");
            JsonText.write(json, document.ledger());
        }
        part(json, "failover", document.failover());
        part(json, "agents", document.agents().isEmpty() ? null : document.agents());
        part(json, "health", document.health());
        json.writeName("broker");
        JsonText.write(json, document.broker());
        part(json, "network", document.network());
        part(json, "causes", document.causes());
        part(json, "findings", document.findings());
        part(json, "thresholds", document.thresholds());
        JsonText.object(json, "versions", () -> r.versions().forEach(json::writeStringProperty));
        json.writeNumberProperty("signal", r.signal());
        json.writeBooleanProperty("drained", r.drained());
        json.writeNumberProperty("exitCode", r.exitCode(shape.verdictFails()));
    }

    /** Writes the times of Artemis files, and similar ones, that the run has; other times only if they have samples. */
    private void times(JsonGenerator json, String prefix, Map<Metric, Distribution> samples) {
        for (Metric metric : Metric.values()) {
            String name = key(metric);
            part(json, prefix + Character.toUpperCase(name.charAt(0)) + name.substring(1), time(shape, metric, samples));
        }
    }

    /** Returns a time that the run has, or that has samples; null for any other. */
    private static @Nullable TimeInInterval time(RunShape shape, Metric metric, Map<Metric, Distribution> samples) {
        Distribution d = samples.get(metric);
        boolean known = switch (metric) {
            case SEND_DELAY -> shape.scheduled();
            case SEND -> shape.sends();
            case TRANSFER, RESPONSE -> shape.receives();
            default -> d != null && d.count() > 0;
        };
        return known && d != null ? time(d) : null;
    }

    private static void groups(JsonGenerator json, RunResult r) {
        JsonText.objects(json, "groups", r.groups(), group -> {
            groupNames(json, group);
            count(json, "sentMessages", group.sent());
            if (group.producing()) {
                count(json, "completedMessages", group.completed());
                count(json, "failedMessages", group.failed());
            }
            count(json, "receivedMessages", group.received());
            others(json, group, count -> group.producing() || count.isOfPhases());
            number(json, "messageSeconds", group.messageSeconds(), 3);
            number(json, "messagesPerSecond", group.messagesPerSecond(), 3);
            times(json, group.measured());
        });
    }

    private static void groupNames(JsonGenerator json, GroupResult group) {
        json.writeStringProperty("name", group.name());
        json.writeStringProperty("kind", group.kind());
        json.writeStringProperty("protocol", group.protocol());
        if (group.publishesCounts()) {
            json.writeBooleanProperty("publishesCounts", true);
        }
    }

    private static void phases(JsonGenerator json, RunResult r) {
        if (r.phases().isEmpty()) {
            return;
        }
        JsonText.objects(json, "phases", r.phases(), phase -> {
            json.writeStringProperty("name", phase.name());
            number(json, "seconds", phase.seconds(), 3);
            number(json, "receivingSeconds", phase.receivingSeconds(), 3);
            count(json, "sentMessages", phase.sent());
            count(json, "receivedMessages", phase.received());
            others(json, phase, Count::isOfPhases);
            times(json, phase.measured());
        });
    }

    private static void times(JsonGenerator json, Map<Metric, Distribution> measured) {
        for (Metric metric : Metric.values()) {
            Distribution d = measured.get(metric);
            part(json, key(metric), d == null || d.count() == 0 ? null : time(d));
        }
    }

    private static void others(JsonGenerator json, HasCounts part, Predicate<Count> which) {
        ResultField.others(part, which).forEach((key, count) -> number(json, key, count, 0));
    }

    /** Writes a part of {@code result.json}, which the summary has as well; nothing if it is null. */
    private static void part(JsonGenerator json, String name, @Nullable Object part) {
        if (part != null) {
            json.writeName(name);
            JsonText.write(json, part);
        }
    }

    private static TimeInInterval time(Distribution d) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("mean", DocumentJson.rounded(d.meanNanos() / 1e3, 2));
        Distribution.PERCENTILES.forEach(percentile -> figures.put(key(percentile), DocumentJson.rounded(d.nanosAt(percentile) / 1e3, 3)));
        figures.put("max", DocumentJson.rounded(d.maxNanos() / 1e3, 3));
        return new TimeInInterval(figures, d.count(), fewSamples(d), d.negative() > 0 ? d.negative() : Double.NaN,
            d.clamped() > 0 ? d.clamped() : Double.NaN);
    }

    /** Returns the names of the percentiles with too few samples. */
    static List<String> fewSamples(Distribution d) {
        return Distribution.PERCENTILES.stream().filter(percentile -> !d.supports(percentile)).map(JsonReport::key).toList();
    }

    /** Formats a percentile as a part of a key: {@code 99.9}. */
    public static String key(double percentile) {
        return BigDecimal.valueOf(percentile).stripTrailingZeros().toPlainString();
    }

    /** Writes a count; null if it is unknown. */
    private static void count(JsonGenerator json, String name, long count) {
        if (count == Counts.UNKNOWN) {
            json.writeNullProperty(name);
        } else {
            json.writeNumberProperty(name, count);
        }
    }

    /** Writes a number without an exponent; null if it is not finite. */
    public static void number(JsonGenerator json, String name, double value, int decimals) {
        if (!Double.isFinite(value)) {
            json.writeNullProperty(name);
            return;
        }
        BigDecimal exact = BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP);
        json.writeName(name);
        // As text, because a number with an exponent is harder on scripts than one without.
        json.writeNumber(exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString());
    }

    private void write(String text) throws IOException {
        try {
            if (lines) {
                file.append(text + "\n");
            } else {
                file.append((objects == 0 ? "[\n" : ",\n") + text, "\n]\n");
            }
        } catch (IOException e) {
            failed = true;
            throw e;
        }
        objects++;
    }
}
