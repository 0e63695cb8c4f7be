package io.brokermeter.reports.stored;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.scenario.Count;
import io.brokermeter.reports.JsonReport;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.ResultJson;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.StoredResult;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Makes a result in the form of {@code result.json} from the intervals of a run that left none. Figures that intervals do not contain
 * are null.
 */
final class PartialResult {

    private final StoredRun run;
    private final Map<String, @Nullable Object> workload;
    private final List<StoredInterval> all;
    private final List<StoredInterval> measured;
    private final boolean sends;
    private final boolean receives;

    PartialResult(StoredRun run) {
        this.run = run;
        all = run.intervals();
        measured = all.stream().filter(one -> !one.warmup()).toList();
        workload = JsonText.map(run.environment().get("workload"));
        sends = all.isEmpty() ? StoredResult.number(workload, List.of("producers")) > 0 : all.getFirst().sends();
        receives = all.isEmpty() ? StoredResult.number(workload, List.of("consumers")) > 0 : all.getFirst().receives();
    }

    StoredResult result() {
        boolean running = run.state() == StoredRun.State.RUNNING;
        double elapsed = all.isEmpty() ? 0 : all.getLast().elapsedSeconds();
        double sending = sendingSeconds(elapsed);
        double measuredSending = seconds(measured, 0, sending);
        List<StoredInterval> delivering = all.stream().filter(one -> one.received() > 0).toList();
        double measuredReceiving = measuredReceivingSeconds(delivering, sending);
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("format", (long) run.format());
        values.put("name", String.valueOf(run.environment().getOrDefault("name", run.directoryName())));
        if (run.environment().get("what") instanceof String what) {
            values.put("what", what);
        }
        values.put("start", start());
        values.put("success", false);
        values.put("result", running ? "running" : "cut off");
        values.put("causes", running ? List.of() : List.of("The run was cut off after " + plain(elapsed)
            + " s: its process ended without a result, so what became of the messages under way is not known."));
        values.put("findings", List.of());
        values.put("drained", false);
        values.put("sends", sends);
        values.put("receives", receives);
        Map<String, @Nullable Object> messages = new LinkedHashMap<>();
        messages.put(ResultField.SENT.fileKey(), sum(all, StoredInterval::sent));
        messages.put(ResultField.BLOCKED.fileKey(), sum(all, StoredInterval::blocked));
        messages.put(ResultField.COMPLETED.fileKey(), sum(all, StoredInterval::completed));
        messages.put(ResultField.FAILED.fileKey(), sum(all, StoredInterval::failed));
        messages.put(ResultField.UNCONFIRMED.fileKey(), null);
        messages.put(ResultField.RECEIVED.fileKey(), sum(all, StoredInterval::received));
        messages.put(ResultField.MEASURED_SENT.fileKey(), sum(measured, StoredInterval::sent));
        messages.put(ResultField.MEASURED_RECEIVED.fileKey(), sum(measured, StoredInterval::received));
        values.put("messages", messages);
        Map<String, @Nullable Object> bytes = new LinkedHashMap<>();
        ResultField.ofParts().map(ResultField::of).forEach(field -> bytes.put(field.fileKey(), sum(all, (Count) field.quantity())));
        values.put("bytes", bytes);
        values.put(ResultField.ELAPSED.fileKey(), elapsed);
        values.put(ResultField.SENDING_SECONDS.fileKey(), sends ? sending : null);
        values.put(ResultField.MEASURED_SECONDS.fileKey(), sends ? measuredSending : measuredReceiving);
        values.put(ResultField.MEASURED_RECEIVING_SECONDS.fileKey(), measuredReceiving);
        Map<String, @Nullable Object> rates = new LinkedHashMap<>();
        rates.put(ResultField.MEAN_SENT.fileKey(), sends ? perSecond(sum(measured, StoredInterval::sent), measuredSending) : null);
        rates.put(ResultField.MEAN_RECEIVED.fileKey(),
            receives ? perSecond(sum(measured, StoredInterval::received), measuredReceiving) : null);
        rates.put(ResultField.MEAN_SENT_BYTES.fileKey(), mean(Count.SENT_BYTES, measuredSending));
        rates.put(ResultField.MEAN_RECEIVED_BYTES.fileKey(), mean(Count.RECEIVED_BYTES, measuredReceiving));
        rates.put(ResultField.SENT_PER_SECOND.fileKey(), sends ? perSecond(sum(all, StoredInterval::sent), sending) : null);
        rates.put(ResultField.COMPLETED_PER_SECOND.fileKey(), sends ? perSecond(sum(all, StoredInterval::completed), sending) : null);
        rates.put(ResultField.RECEIVED_PER_SECOND.fileKey(),
            receives && !delivering.isEmpty() ? perSecond(sum(all, StoredInterval::received),
                seconds(all, begin(delivering.getFirst()), delivering.getLast().elapsedSeconds())) : null);
        values.put("rates", rates);
        values.put("failureCauses", Map.of());
        values.put("times", times());
        values.put("ledger", null);
        values.put("groups", List.of());
        values.put("phases", List.of());
        values.put("broker", broker());
        Map<String, @Nullable Object> health = generator();
        Object asked = workload.get("ratePerSecond");
        health.put("askedPerSecond", asked);
        health.put("reachedPerSecond", asked == null ? null : reachedPerSecond(sending));
        values.put("health", health);
        values.put("versions", versions());
        return new StoredResult(values);
    }

    /**
     * Returns the rate that was reached of the asked one, which is that of all producers from their start on; null if it is not known, since
     * groups start at different times, or since the counts of consumers are among the sends.
     *
     * @param sending length of sending so far, in seconds from the start of the run
     */
    private @Nullable Double reachedPerSecond(double sending) {
        if (Boolean.TRUE.equals(workload.get("publishesCounts"))) {
            return null;
        }
        // Earlier versions did not write the start.
        double start = workload.containsKey("producersStartSeconds") ? StoredResult.number(workload, List.of("producersStartSeconds")) : 0;
        return perSecond(sum(all, StoredInterval::sent), sending - start);
    }

    /**
     * Returns the length of sending so far, in seconds: all of the run, or up to the last sends of a load that is over.
     *
     * @param elapsed length of the run so far, in seconds
     */
    private double sendingSeconds(double elapsed) {
        double planned = StoredResult.number(workload, List.of("durationSeconds"));
        double count = StoredResult.number(workload, List.of("plannedMessages"));
        if (!(elapsed > planned) && !(sum(all, StoredInterval::sent) >= count)) {
            return elapsed;
        }
        double last = all.stream().filter(one -> one.sent() > 0).mapToDouble(StoredInterval::elapsedSeconds).max().orElse(0);
        return elapsed > planned ? Math.max(planned, last) : last;
    }

    /**
     * Returns the length of the stretch in which messages were received in the measured part and after it, in seconds: to the end of
     * sending, or to the last delivery where that came later or nothing is sent. Begins with the first delivery if sending was over by
     * then, and with the first consumers where all have a start delay.
     *
     * @param delivering intervals with deliveries
     * @param sending length of sending, in seconds
     */
    private double measuredReceivingSeconds(List<StoredInterval> delivering, double sending) {
        if (delivering.isEmpty()) {
            return seconds(measured, 0, sending);
        }
        StoredInterval first = delivering.getFirst();
        double last = delivering.getLast().elapsedSeconds();
        double opened = StoredResult.number(workload, List.of("consumersStartSeconds"));
        double from = first.elapsedSeconds() > sending + 1e-6 ? begin(first) : opened > 0 ? opened : 0;
        return seconds(measured, from, sends ? Math.max(sending, last) : last);
    }

    private Map<String, String> versions() {
        Map<String, String> versions = StoredRun.texts(run.environment().get("versions"));
        for (String name : List.of("tool", "java")) {
            if (run.environment().get(name) instanceof String version) {
                versions.putIfAbsent(name, version);
            }
        }
        return versions;
    }

    /** Returns the start of the load, from the first interval; without one, the start of the program. */
    private @Nullable Object start() {
        if (all.isEmpty()) {
            return run.environment().get("time");
        }
        StoredInterval first = all.getFirst();
        return Instant.ofEpochMilli(first.endEpochMillis() - Math.round(first.elapsedSeconds() * 1e3)).toString();
    }

    private Map<String, @Nullable Object> times() {
        Map<String, @Nullable Object> times = new LinkedHashMap<>();
        run.times().forEach((metric, micros) -> times.put(ResultJson.key(metric), times(micros)));
        if (run.state() == StoredRun.State.CUT_OFF) {
            missingTimes();
        }
        return times;
    }

    /**
     * Adds a note if times are missing: a full disk may end one file earlier than the other, so that there are fewer times than messages.
     */
    private void missingTimes() {
        long expected = 0;
        long there = 0;
        for (Metric metric : Metric.values()) {
            if (run.isShown(metric)) {
                long counted = sum(measured, one -> one.samples(metric));
                Histogram micros = run.times().get(metric);
                long logged = micros == null ? 0 : micros.getTotalCount();
                if (counted - logged > expected - there) {
                    expected = counted;
                    there = logged;
                }
            }
        }
        if (there < expected) {
            run.note(RunDirectory.HISTOGRAMS + " ends earlier than " + RunDirectory.INTERVALS + ": the times of the whole run are those of "
                + there + " of " + expected + " samples.");
        }
    }

    private static Map<String, @Nullable Object> times(Histogram micros) {
        Distribution counts = new Distribution(micros, 0, 0);
        Map<String, @Nullable Object> one = new LinkedHashMap<>();
        one.put("meanMicros", micros.getMean());
        List<String> few = new ArrayList<>();
        for (double percentile : Distribution.PERCENTILES) {
            String name = JsonReport.key(percentile);
            one.put("p" + name + "Micros", counts.supports(percentile) ? (double) micros.getValueAtPercentile(percentile) : null);
            if (!counts.supports(percentile)) {
                few.add(name);
            }
        }
        one.put("maxMicros", (double) micros.getMaxValue());
        one.put("count", micros.getTotalCount());
        if (!few.isEmpty()) {
            one.put("fewSamples", few);
        }
        return one;
    }

    /** Returns the generator's own figures over the measured part; without a verdict on them, which needs the whole run. */
    private Map<String, @Nullable Object> generator() {
        double seconds = 0;
        double cpuSeconds = 0;
        double most = 0;
        for (Map<String, String> row : run.generator()) {
            double percent = number(row.get("cpu_percent"));
            if ("false".equals(row.get("warmup")) && Double.isFinite(percent)) {
                seconds += number(row.get("seconds"));
                cpuSeconds += percent / 100 * number(row.get("seconds"));
            }
            most = Math.max(most, known(number(row.get("resident_bytes"))));
        }
        long messages = sum(measured, sends ? StoredInterval::sent : StoredInterval::received);
        Map<String, @Nullable Object> health = new LinkedHashMap<>();
        health.put("verdict", "unknown");
        health.put("reasons", List.of());
        health.put("cpuSeconds", seconds > 0 ? cpuSeconds : null);
        health.put("cpuPercent", seconds > 0 ? 100 * cpuSeconds / seconds : null);
        health.put(ResultField.CPU_PER_MESSAGE.fileKey(), seconds > 0 && messages > 0 ? cpuSeconds * 1e6 / messages : null);
        health.put("residentBytes", most > 0 ? most : null);
        return health;
    }

    /** Parses a cell; returns NaN for an empty one, or one that was cut off. */
    private static double number(@Nullable String cell) {
        try {
            return cell == null || cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private @Nullable Map<String, @Nullable Object> broker() {
        List<StoredInterval> seen = measured.stream().filter(one -> one.has("broker")).toList();
        if (seen.isEmpty()) {
            return null;
        }
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        double seconds = seen.stream().mapToDouble(one -> known(one.broker("seconds"))).sum();
        figures.put("seconds", seconds);
        List<StoredInterval> timed =
            seen.stream().filter(one -> Double.isFinite(one.broker("cpuPercent") * one.broker("seconds"))).toList();
        double cpu = timed.stream().mapToDouble(one -> one.broker("cpuPercent") * one.broker("seconds")).sum()
            / timed.stream().mapToDouble(one -> one.broker("seconds")).sum();
        figures.put(ResultField.BROKER_CPU.fileKey(), finite(cpu));
        figures.put(ResultField.BROKER_CPU_MAX.fileKey(), finite(most(seen, "cpuPercent")));
        figures.put(ResultField.BROKER_MEMORY.fileKey(),
            finite(seen.stream().mapToDouble(one -> one.broker("residentBytes")).filter(Double::isFinite).average()
                .orElse(Double.NaN)));
        figures.put(ResultField.BROKER_MEMORY_MAX.fileKey(), finite(most(seen, "residentBytes")));
        figures.put("memoryPercent", finite(seen.stream().mapToDouble(one -> one.broker("memoryPercent")).filter(Double::isFinite).average()
            .orElse(Double.NaN)));
        figures.put("memoryMaxPercent", finite(most(seen, "memoryPercent")));
        figures.put("threadsMax", finite(most(seen, "threads")));
        figures.put("openFilesMax", finite(most(seen, "openFiles")));
        for (String amount : List.of("diskReadBytes", "diskWrittenBytes", "voluntarySwitches", "involuntarySwitches", "gcPauses",
            "gcPauseMillis")) {
            figures.put(amount, total(seen, amount));
        }
        figures.put(ResultField.BROKER_HEAP_MAX.fileKey(), finite(most(seen, "heapUsedBytes")));
        figures.put(ResultField.BROKER_DEPTH_MAX.fileKey(), finite(most(seen, "depthMessages")));
        return figures;
    }

    private static double known(double value) {
        return Double.isFinite(value) ? value : 0;
    }

    private static double most(List<StoredInterval> intervals, String figure) {
        return intervals.stream().mapToDouble(one -> one.broker(figure)).filter(Double::isFinite).max().orElse(Double.NaN);
    }

    private static @Nullable Double total(List<StoredInterval> intervals, String figure) {
        double[] values = intervals.stream().mapToDouble(one -> one.broker(figure)).filter(Double::isFinite).toArray();
        return values.length == 0 ? null : Arrays.stream(values).sum();
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** Returns the begin of an interval, in seconds since the start of the load. */
    private static double begin(StoredInterval interval) {
        return interval.elapsedSeconds() - interval.seconds();
    }

    private static double seconds(List<StoredInterval> intervals) {
        return seconds(intervals, 0, Double.POSITIVE_INFINITY);
    }

    /** Returns the length of the parts of intervals that lie between two moments, all in seconds since the start of the load. */
    private static double seconds(List<StoredInterval> intervals, double from, double to) {
        return intervals.stream().mapToDouble(one -> Math.min(one.elapsedSeconds(), to) - Math.max(begin(one), from))
            .filter(length -> length > 0).sum();
    }

    private static long sum(List<StoredInterval> intervals, ToLongFunction<StoredInterval> figure) {
        return intervals.stream().mapToLong(figure).sum();
    }

    /** Returns the sum of a count; null where an interval does not have it. */
    private static @Nullable Long sum(List<StoredInterval> intervals, Count count) {
        double sum = intervals.stream().mapToDouble(one -> one.count(count)).sum();
        return Double.isFinite(sum) ? (long) sum : null;
    }

    private @Nullable Double mean(Count count, double seconds) {
        Long sum = sum(measured, count);
        return sum == null ? null : perSecond(sum, seconds);
    }

    private static @Nullable Double perSecond(long messages, double seconds) {
        return seconds > 0 ? messages / seconds : null;
    }

    private static String plain(double seconds) {
        return String.format(Locale.ROOT, "%.1f", seconds);
    }
}
