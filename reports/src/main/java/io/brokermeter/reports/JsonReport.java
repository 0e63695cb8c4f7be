package io.brokermeter.reports;

import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HostEffects;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Count;
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

    private static final Map<Metric, String> TIMES = new EnumMap<>(Map.of(Metric.SEND_DELAY, "delaySendTime", Metric.SEND, "sendTime",
        Metric.TRANSFER, "transferTime", Metric.RESPONSE, "responseTime", Metric.ROUND_TRIP, "roundTripTime",
        Metric.LATE_DELIVERY, "lateDeliveryTime", Metric.HANDLER, "handlerTime"));

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

    /** Returns the key of a time in the object of an interval. */
    public static String key(Metric metric) {
        return Objects.requireNonNull(TIMES.get(metric));
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
    static JsonReport ofRun(Path path, RunShape shape) {
        return new JsonReport(ReportFile.open("", path), true, shape);
    }

    /** Creates a report that writes the array to a stream, which is not closed. */
    public static JsonReport on(PrintStream out, RunShape shape) {
        return new JsonReport(ReportFile.of("--json", out), false, shape);
    }

    @Override
    public void interval(Interval i) throws IOException {
        long nanos = i.endEpochNanos() - i.startEpochNanos();
        lastEpochMillis = i.endEpochNanos() / 1_000_000;
        Map<Metric, Distribution> samples = i.warmup() ? i.warmupSamples() : i.measured();
        write(json -> {
            json.writeStringProperty("sampleType", "interval");
            json.writeBooleanProperty("warmup", i.warmup());
            json.writeNumberProperty("time", lastEpochMillis);
            if (shape.sends()) {
                json.writeNumberProperty("sent", Numbers.perSecond(i.sent(), nanos));
                json.writeNumberProperty("delayed", Numbers.perSecond(i.blocked(), nanos));
                json.writeNumberProperty("completed", Numbers.perSecond(i.completed(), nanos));
            }
            if (shape.receives()) {
                json.writeNumberProperty("received", Numbers.perSecond(i.received(), nanos));
            }
            times(json, "", samples);
            if (!i.phase().isEmpty()) {
                json.writeStringProperty("phase", i.phase());
            }
            if (shape.sends()) {
                json.writeNumberProperty("sentMessages", i.sent());
                json.writeNumberProperty("blockedMessages", i.blocked());
                json.writeNumberProperty("completedMessages", i.completed());
                json.writeNumberProperty("failedMessages", i.failed());
            }
            if (shape.receives()) {
                json.writeNumberProperty("receivedMessages", i.received());
            }
            ResultField.others(json, i, count -> count.isOfSenders() ? shape.sends() : shape.receives());
            number(json, "intervalSeconds", nanos / 1e9, 6);
            number(json, "elapsedSeconds", i.elapsedNanos() / 1e9, 3);
            if (i.broker() != null) {
                BrokerJson.write(json, i.broker());
            }
        });
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
            write(json -> summary(json, r));
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
        json.writeStringProperty("sampleType", "summary");
        if (!shape.id().isEmpty()) {
            json.writeStringProperty("id", shape.id());
        }
        json.writeNumberProperty("time", lastEpochMillis > 0 ? lastEpochMillis : r.start().toEpochMilli());
        if (shape.sends() || shape.seed() != 0) {
            json.writeNumberProperty("seed", shape.seed());
        }
        json.writeStringProperty("result", r.outcome());
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
        ResultJson.warmUp(json, r.warmUp());
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
            ledger(json, r, shape);
        }
        ScorecardJson.write(json, r);
        AgentsJson.write(json, r, shape.sentences());
        health(json, r, shape.sentences());
        BrokerJson.write(json, r);
        NetworkJson.write(json, r);
        JsonText.texts(json, "causes", shape.sentences().of(r.failures()));
        FindingJson.write(json, r, shape.sentences());
        Thresholds.write(json, r);
        JsonText.object(json, "versions", () -> r.versions().forEach(json::writeStringProperty));
        json.writeNumberProperty("signal", r.signal());
        json.writeBooleanProperty("drained", r.drained());
        json.writeNumberProperty("exitCode", r.exitCode(shape.verdictFails()));
    }

    /** Writes the times of Artemis files, and similar ones, that the run has; other times only if they have samples. */
    private void times(JsonGenerator json, String prefix, Map<Metric, Distribution> samples) {
        TIMES.forEach((metric, name) -> {
            Distribution d = samples.get(metric);
            boolean known = switch (metric) {
                case SEND_DELAY -> shape.scheduled();
                case SEND -> shape.sends();
                case TRANSFER, RESPONSE -> shape.receives();
                default -> d != null && d.count() > 0;
            };
            distribution(json, prefix.isEmpty() ? name : prefix + Character.toUpperCase(name.charAt(0)) + name.substring(1),
                known ? d : null);
        });
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
            ResultField.others(json, group, count -> group.producing() || count.isOfPhases());
            number(json, "messageSeconds", group.messageSeconds(), 3);
            number(json, "messagesPerSecond", group.messagesPerSecond(), 3);
            times(json, group.measured());
        });
    }

    static void groupNames(JsonGenerator json, GroupResult group) {
        json.writeStringProperty("name", group.name());
        json.writeStringProperty("kind", group.producing() ? "producers" : "consumers");
        json.writeStringProperty("protocol", group.protocol());
        if (group.publishesCounts()) {
            json.writeBooleanProperty(SentRate.PUBLISHES_COUNTS, true);
        }
    }

    private static void phases(JsonGenerator json, RunResult r) {
        if (r.phases().isEmpty()) {
            return;
        }
        JsonText.objects(json, "phases", r.phases(), phase -> {
            json.writeStringProperty("name", phase.name());
            number(json, "seconds", phase.seconds(), 3);
            number(json, StoredResult.RECEIVING_SECONDS, phase.receivingSeconds(), 3);
            count(json, "sentMessages", phase.sent());
            count(json, "receivedMessages", phase.received());
            ResultField.others(json, phase, Count::isOfPhases);
            times(json, phase.measured());
        });
    }

    private static void times(JsonGenerator json, Map<Metric, Distribution> measured) {
        TIMES.forEach((metric, name) -> {
            Distribution d = measured.get(metric);
            distribution(json, name, d == null || d.count() == 0 ? null : d);
        });
    }

    static void ledger(JsonGenerator json, RunResult r, RunShape shape) {
        LedgerReport ledger = r.ledger();
        if (ledger == null) {
            json.writeNullProperty("ledger");
            return;
        }
        JsonText.object(json, "ledger", () -> {
            ResultField.file(json, r, shape, "ledger");
            json.writeBooleanProperty("closes", ledger.closes());
        });
    }

    static void health(JsonGenerator json, RunResult r, Sentences sentences) {
        Health h = r.health();
        json.writeObjectPropertyStart("health");
        json.writeStringProperty("verdict", h.verdict().word());
        JsonText.texts(json, "reasons", sentences.of(h.verdict().reasons()));
        known(json, "cpuSeconds", h.cpuSeconds(), 3);
        number(json, "cpuPercent", Health.cpuPercent(h.cpuSeconds(), r.part().costSeconds()), 4);
        ResultField.CPU_PER_MESSAGE.file(json, r, true);
        known(json, "machineBusyPercent", h.machineBusyPercent(), 2);
        known(json, "stealPercent", h.stealPercent(), 2);
        json.writeNumberProperty("gcPauses", h.gcPauses());
        json.writeNumberProperty("gcPauseMillis", h.gcPauseMillis());
        json.writeNumberProperty("gcLongestPauseMillis", h.gcLongestPauseMillis());
        known(json, "hiccup999Millis", h.hiccup999Millis(), 3);
        known(json, "hiccupMaxMillis", h.hiccupMaxMillis(), 3);
        known(json, "lateness99Millis", h.lateness99Millis(), 3);
        known(json, "achievedRatio", h.achievedRatio(), 6);
        number(json, "askedPerSecond", h.schedule().askedPerSecond(), 3);
        number(json, "reachedPerSecond", h.schedule().reachedPerSecond(), 3);
        HostEffects host = h.host();
        known(json, "waitingPercent", host.waitingPercent(), 2);
        json.writeStringProperty("busiestThread", host.busiestThread());
        known(json, "busiestThreadPercent", host.busiestThreadPercent(), 2);
        known(json, "throttledPercent", host.throttledPercent(), 2);
        json.writeStringProperty("clockSource", host.clockSource());
        known(json, "clockReadingNanos", host.clockReadingNanos(), 1);
        known(json, "clockAndWakeMicros", host.clockAndWakeMicros(), 2);
        known(json, "residentBytes", h.residentBytes(), 0);
        json.writeEndObject();
    }

    private static void distribution(JsonGenerator json, String name, @Nullable Distribution d) {
        if (d == null) {
            return;
        }
        json.writeObjectPropertyStart(name);
        number(json, "mean", d.meanNanos() / 1e3, 2);
        for (double percentile : Distribution.PERCENTILES) {
            number(json, key(percentile), d.nanosAt(percentile) / 1e3, 3);
        }
        number(json, "max", d.maxNanos() / 1e3, 3);
        json.writeNumberProperty("count", d.count());
        fewSamples(json, d);
        if (d.negative() > 0) {
            json.writeNumberProperty("negativeCount", d.negative());
        }
        if (d.clamped() > 0) {
            json.writeNumberProperty("clampedCount", d.clamped());
        }
        json.writeEndObject();
    }

    /** Writes the names of the percentiles with too few samples, if there are any. */
    static void fewSamples(JsonGenerator json, Distribution d) {
        List<String> few = Distribution.PERCENTILES.stream().filter(percentile -> !d.supports(percentile)).map(JsonReport::key).toList();
        if (!few.isEmpty()) {
            JsonText.texts(json, "fewSamples", few);
        }
    }

    /** Formats a percentile as a part of a key: {@code 99.9}. */
    public static String key(double percentile) {
        return BigDecimal.valueOf(percentile).stripTrailingZeros().toPlainString();
    }

    /** Writes a figure of {@link Health}, where -1 means unknown and becomes null. */
    private static void known(JsonGenerator json, String name, double value, int decimals) {
        number(json, name, value < 0 ? Double.NaN : value, decimals);
    }

    /** Writes a count; null if it is unknown. */
    static void count(JsonGenerator json, String name, long count) {
        if (count == Counts.UNKNOWN) {
            json.writeNullProperty(name);
        } else {
            json.writeNumberProperty(name, count);
        }
    }

    /** Writes a number without an exponent; null if it is not finite. */
    static void number(JsonGenerator json, String name, double value, int decimals) {
        if (!Double.isFinite(value)) {
            json.writeNullProperty(name);
            return;
        }
        BigDecimal exact = BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP);
        json.writeName(name);
        // As text, because a number with an exponent is harder on scripts than one without.
        json.writeNumber(exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString());
    }

    private void write(Consumer<JsonGenerator> properties) throws IOException {
        String text = JsonText.object(properties);
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
