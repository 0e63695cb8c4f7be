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
import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.GeneratorRow;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.document.ResultDocument.BrokerUsage;
import io.brokermeter.reports.document.ResultDocument.GeneratorUsage;
import io.brokermeter.reports.json.JsonReport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Makes a result in the form of {@code result.json} from the intervals of a run that left none. Figures that intervals do not contain
 * are null.
 */
final class PartialResult {

    private final StoredRun run;
    private final EnvironmentDocument.Workload workload;
    private final List<StoredInterval> all;
    private final List<StoredInterval> measured;
    private final boolean sends;
    private final boolean receives;

    PartialResult(StoredRun run) {
        this.run = run;
        all = run.intervals();
        measured = all.stream().filter(one -> !one.warmup()).toList();
        workload = run.environment().workload();
        sends = all.isEmpty() ? takesPart(workload.producers()) : all.getFirst().sends();
        receives = all.isEmpty() ? takesPart(workload.consumers()) : all.getFirst().receives();
    }

    private static boolean takesPart(@Nullable Long endpoints) {
        return endpoints != null && endpoints > 0;
    }

    StoredResult result() {
        boolean running = run.state() == StoredRun.State.RUNNING;
        double elapsed = all.isEmpty() ? 0 : all.getLast().elapsedSeconds();
        double sending = sendingSeconds(elapsed);
        double measuredSending = seconds(measured, 0, sending);
        List<StoredInterval> delivering = all.stream().filter(one -> one.received() > 0).toList();
        double measuredReceiving = measuredReceivingSeconds(delivering, sending);
        String cause = "The run was cut off after " + plain(elapsed)
            + " s: its process ended without a result, so what became of the messages under way is not known.";
        Map<String, Double> bytes = new LinkedHashMap<>();
        ResultField.ofParts().forEach(count -> put(bytes, ResultField.of(count), sum(all, count)));
        Map<String, Double> lengths = new LinkedHashMap<>();
        put(lengths, ResultField.ELAPSED, elapsed);
        put(lengths, ResultField.SENDING_SECONDS, sends ? sending : Double.NaN);
        put(lengths, ResultField.MEASURED_SECONDS, sends ? measuredSending : measuredReceiving);
        put(lengths, ResultField.MEASURED_RECEIVING_SECONDS, measuredReceiving);
        EnvironmentDocument.Subject subject = run.environment().subject();
        return new StoredResult(new ResultDocument(run.format(), subject.name() == null ? run.directoryName() : subject.name(),
            subject.what(), start(), null, false, (running ? RunOutcome.RUNNING : RunOutcome.CUT_OFF).word(), null,
            running ? List.of() : List.of(cause), List.of(), List.of(), null, false, null, null, Double.NaN, sends, receives, null,
            messages(), bytes, lengths, new ResultDocument.Rates(rates(delivering, sending, measuredSending, measuredReceiving), Map.of()),
            null, null, Map.of(), times(), null, null, null, List.of(), List.of(), List.of(), broker(), null, generator(sending),
            versions(),
            null));
    }

    private static void put(Map<String, Double> figures, ResultField field, double value) {
        figures.put(field.fileKey(), value);
    }

    private Map<String, Double> messages() {
        Map<String, Double> messages = new LinkedHashMap<>();
        put(messages, ResultField.SENT, sum(all, StoredInterval::sent));
        put(messages, ResultField.BLOCKED, sum(all, StoredInterval::blocked));
        put(messages, ResultField.COMPLETED, sum(all, StoredInterval::completed));
        put(messages, ResultField.FAILED, sum(all, StoredInterval::failed));
        put(messages, ResultField.UNCONFIRMED, Double.NaN);
        put(messages, ResultField.RECEIVED, sum(all, StoredInterval::received));
        put(messages, ResultField.MEASURED_SENT, sum(measured, StoredInterval::sent));
        put(messages, ResultField.MEASURED_RECEIVED, sum(measured, StoredInterval::received));
        return messages;
    }

    private Map<String, Double> rates(List<StoredInterval> delivering, double sending, double measuredSending, double measuredReceiving) {
        Map<String, Double> rates = new LinkedHashMap<>();
        put(rates, ResultField.MEAN_SENT, sends ? perSecond(sum(measured, StoredInterval::sent), measuredSending) : Double.NaN);
        put(rates, ResultField.MEAN_RECEIVED,
            receives ? perSecond(sum(measured, StoredInterval::received), measuredReceiving) : Double.NaN);
        put(rates, ResultField.MEAN_SENT_BYTES, perSecond(sum(measured, Count.SENT_BYTES), measuredSending));
        put(rates, ResultField.MEAN_RECEIVED_BYTES, perSecond(sum(measured, Count.RECEIVED_BYTES), measuredReceiving));
        put(rates, ResultField.SENT_PER_SECOND, sends ? perSecond(sum(all, StoredInterval::sent), sending) : Double.NaN);
        put(rates, ResultField.COMPLETED_PER_SECOND, sends ? perSecond(sum(all, StoredInterval::completed), sending) : Double.NaN);
        put(rates, ResultField.RECEIVED_PER_SECOND,
            receives && !delivering.isEmpty() ? perSecond(sum(all, StoredInterval::received),
                seconds(all, begin(delivering.getFirst()), delivering.getLast().elapsedSeconds())) : Double.NaN);
        return rates;
    }

    /**
     * Returns the rate that was reached of the asked one, which is that of all producers from their start on; NaN if it is not known, since
     * groups start at different times, or since the counts of consumers are among the sends.
     *
     * @param sending length of sending so far, in seconds from the start of the run
     */
    private double reachedPerSecond(double sending) {
        if (workload.publishesCounts()) {
            return Double.NaN;
        }
        // Earlier versions did not write the start.
        Double said = workload.producersStartSeconds();
        double start = said == null ? 0 : said;
        return perSecond(sum(all, StoredInterval::sent), sending - start);
    }

    /**
     * Returns the length of sending so far, in seconds: all of the run, or up to the last sends of a load that is over.
     *
     * @param elapsed length of the run so far, in seconds
     */
    private double sendingSeconds(double elapsed) {
        double planned = workload.durationSeconds();
        Long count = workload.plannedMessages();
        if (!(elapsed > planned) && !(count != null && sum(all, StoredInterval::sent) >= count)) {
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
        double opened = workload.consumersStartSeconds();
        double from = first.elapsedSeconds() > sending + 1e-6 ? begin(first) : opened > 0 ? opened : 0;
        return seconds(measured, from, sends ? Math.max(sending, last) : last);
    }

    private Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>(run.environment().atEnd().versions());
        EnvironmentDocument.Machine machine = run.environment().machine();
        if (machine.tool() != null) {
            versions.putIfAbsent("tool", machine.tool());
        }
        if (machine.java() != null) {
            versions.putIfAbsent("java", machine.java());
        }
        return versions;
    }

    /** Returns the start of the load, from the first interval; without one, the start of the program. */
    private @Nullable String start() {
        if (all.isEmpty()) {
            return run.environment().machine().time();
        }
        StoredInterval first = all.getFirst();
        return Instant.ofEpochMilli(first.endEpochMillis() - Math.round(first.elapsedSeconds() * 1e3)).toString();
    }

    private Map<String, ResultDocument.Times> times() {
        Map<String, ResultDocument.Times> times = new LinkedHashMap<>();
        run.times().forEach((metric, micros) -> times.put(metric.fileKey(), times(micros)));
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

    private static ResultDocument.Times times(Histogram micros) {
        Distribution counts = new Distribution(micros, 0, 0);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("meanMicros", micros.getMean());
        List<String> few = new ArrayList<>();
        for (double percentile : Distribution.PERCENTILES) {
            String name = JsonReport.key(percentile);
            figures.put("p" + name + "Micros", counts.supports(percentile) ? micros.getValueAtPercentile(percentile) : Double.NaN);
            if (!counts.supports(percentile)) {
                few.add(name);
            }
        }
        figures.put("maxMicros", (double) micros.getMaxValue());
        return new ResultDocument.Times(figures, micros.getTotalCount(), Double.NaN, Double.NaN, few, Map.of(), Map.of(), List.of());
    }

    /** Returns the generator's own figures over the measured part; without a verdict on them, which needs the whole run. */
    private GeneratorUsage generator(double sending) {
        double seconds = 0;
        double cpuSeconds = 0;
        double most = 0;
        for (GeneratorRow row : run.generator()) {
            if (!row.warmup() && Double.isFinite(row.cpuPercent())) {
                seconds += row.seconds();
                cpuSeconds += row.cpuPercent() / 100 * row.seconds();
            }
            most = Math.max(most, known(row.residentBytes()));
        }
        long messages = sum(measured, sends ? StoredInterval::sent : StoredInterval::received);
        double asked = workload.ratePerSecond();
        double unknown = Double.NaN;
        return new GeneratorUsage("unknown", List.of(), seconds > 0 ? cpuSeconds : unknown,
            seconds > 0 ? 100 * cpuSeconds / seconds : unknown,
            seconds > 0 && messages > 0 ? cpuSeconds * 1e6 / messages : unknown, unknown, unknown, unknown, unknown, unknown, unknown,
            unknown, unknown, null, unknown, asked, Double.isNaN(asked) ? unknown : reachedPerSecond(sending), unknown, "", unknown,
            unknown, "",
            unknown, unknown, most > 0 ? most : unknown);
    }

    private @Nullable BrokerUsage broker() {
        List<StoredInterval> seen = measured.stream().filter(one -> one.document().broker() != null).toList();
        if (seen.isEmpty()) {
            return null;
        }
        List<StoredInterval> timed =
            seen.stream().filter(one -> Double.isFinite(one.broker("cpuPercent") * one.broker("seconds"))).toList();
        double cpu = timed.stream().mapToDouble(one -> one.broker("cpuPercent") * one.broker("seconds")).sum()
            / timed.stream().mapToDouble(one -> one.broker("seconds")).sum();
        return new BrokerUsage("", seen.stream().mapToDouble(one -> known(one.broker("seconds"))).sum(), Double.NaN, Double.NaN, cpu,
            most(seen, "cpuPercent"), mean(seen, "residentBytes"), most(seen, "residentBytes"), mean(seen, "memoryPercent"),
            most(seen, "memoryPercent"), Double.NaN, most(seen, "threads"), "", Double.NaN, most(seen, "openFiles"),
            total(seen, "diskReadBytes"),
            total(seen, "diskWrittenBytes"), total(seen, "voluntarySwitches"), total(seen, "involuntarySwitches"),
            most(seen, "heapUsedBytes"), Double.NaN, total(seen, "gcPauses"), total(seen, "gcPauseMillis"), most(seen, "depthMessages"),
            Map.of());
    }

    private static double mean(List<StoredInterval> intervals, String figure) {
        return intervals.stream().mapToDouble(one -> one.broker(figure)).filter(Double::isFinite).average().orElse(Double.NaN);
    }

    private static double known(double value) {
        return Double.isFinite(value) ? value : 0;
    }

    private static double most(List<StoredInterval> intervals, String figure) {
        return intervals.stream().mapToDouble(one -> one.broker(figure)).filter(Double::isFinite).max().orElse(Double.NaN);
    }

    private static double total(List<StoredInterval> intervals, String figure) {
        double[] values = intervals.stream().mapToDouble(one -> one.broker(figure)).filter(Double::isFinite).toArray();
        return values.length == 0 ? Double.NaN : Arrays.stream(values).sum();
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

    /** Returns the sum of a count; NaN where an interval does not have it. */
    private static double sum(List<StoredInterval> intervals, Count count) {
        return intervals.stream().mapToDouble(one -> one.count(count)).sum();
    }

    private static double perSecond(double messages, double seconds) {
        return seconds > 0 ? messages / seconds : Double.NaN;
    }

    private static String plain(double seconds) {
        return String.format(Locale.ROOT, "%.1f", seconds);
    }
}
