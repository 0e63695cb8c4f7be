package io.brokermeter.reports;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HostEffects;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Made-up intervals and results. */
public final class Samples {

    /** Metrics without samples in plain runs, which have no replies, no delayed messages and no handlers. */
    private static final Set<Metric> SELDOM = EnumSet.of(Metric.ROUND_TRIP, Metric.LATE_DELIVERY, Metric.HANDLER);
    public static final Instant START = Instant.parse("2026-01-02T03:04:05.250Z");
    public static final RunShape CLIENT = new RunShape(true, true, false, Duration.ofSeconds(20), 0);
    public static final RunShape RATED = new RunShape(true, true, true, Duration.ofSeconds(20), 0);
    public static final RunShape PRODUCER = new RunShape(true, false, true, Duration.ZERO, 0);
    public static final RunShape CONSUMER = new RunShape(false, true, false, Duration.ZERO, 0);

    private Samples() {}

    public static Distribution empty() {
        return new Distribution(new Histogram(1, 3_600_000_000_000L, 3), 0, 0);
    }

    /** Returns a distribution of the values 1 to {@code count} times {@code stepMicros} microseconds. */
    public static Distribution ramp(int count, long stepMicros) {
        Histogram h = new Histogram(1, 3_600_000_000_000L, 3);
        for (int i = 1; i <= count; i++) {
            h.recordValue(i * stepMicros * 1000);
        }
        return new Distribution(h, 0, 0);
    }

    /** Returns a distribution of {@code count} samples of one value below 2048 ns, which a histogram stores exactly. */
    public static Distribution same(long count, long nanos) {
        Histogram h = new Histogram(1, 3_600_000_000_000L, 3);
        h.recordValueWithCount(nanos, count);
        return new Distribution(h, 0, 0);
    }

    public static Map<Metric, Distribution> all(Distribution d) {
        Map<Metric, Distribution> map = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            map.put(metric, SELDOM.contains(metric) ? empty() : d);
        }
        return map;
    }

    /** Returns an interval of {@code millis} ms that begins {@code index} seconds after {@link #START}. */
    public static Interval interval(int index, boolean warmup, long millis, Distribution measured, Distribution warm) {
        long begin = START.toEpochMilli() * 1_000_000 + index * 1_000_000_000L;
        return Interval.of(its -> {
            its.index = index;
            its.warmup = warmup;
            its.startEpochNanos = begin;
            its.endEpochNanos = begin + millis * 1_000_000;
            its.elapsedNanos = index * 1_000_000_000L + millis * 1_000_000;
            its.set(Count.SENT, 7316);
            its.set(Count.BLOCKED, 6632);
            its.set(Count.COMPLETED, 7320);
            its.set(Count.RECEIVED, 7317);
            its.set(Count.SENT_BYTES, 7316 * 1024);
            its.set(Count.COMPLETED_BYTES, 7320 * 1024);
            its.set(Count.RECEIVED_BYTES, 7317 * 1024);
            its.measured = all(measured);
            its.warmupSamples = all(warm);
        });
    }

    public static Interval interval(int index) {
        return interval(index, false, 1000, same(100_000, 1500), empty());
    }

    static BrokerSample broker() {
        BrokerSample.Usage usage = new BrokerSample.Usage(85.25, 512 << 20, 2.125, 77, 120, 0, 12 << 20, 3000, 40);
        return new BrokerSample(1, usage, new BrokerSample.Heap(200 << 20, 400 << 20, 1 << 30, 2, 14), 12,
            Map.of("my,metric", 1.5), List.of());
    }

    private static BrokerSample.Usage usage(double cpuPercent, long residentBytes) {
        return new BrokerSample.Usage(cpuPercent, residentBytes, Double.NaN, -1, -1, -1, -1, -1, -1);
    }

    /** Returns a sample of a broker of two processes, for which few figures are known. */
    static BrokerSample brokers() {
        BrokerSample.Usage part = usage(5, 1 << 20);
        BrokerSample.Usage both = usage(10, 2 << 20);
        return new BrokerSample(1, both, BrokerSample.Heap.UNKNOWN, -1, Map.of(),
            List.of(new BrokerSample.Part("a b", 1, part), new BrokerSample.Part("c", 2, part)));
    }

    public static BrokerFigures figures() {
        return BrokerFigures.of(its -> {
            its.observed = "java (pid 4711)";
            its.seconds = 10;
            its.cpuSeconds = 1.75485;
            its.cpuPercent = 17.5485;
            its.cpuPercentMax = 85.25;
            its.residentBytes = 500L << 20;
            its.residentBytesMax = 512L << 20;
            its.memoryPercent = 2;
            its.memoryPercentMax = 2.125;
            its.threadsMax = 77;
            its.openFilesMax = 120;
            its.diskReadBytes = 0;
            its.diskWrittenBytes = 12L << 20;
            its.voluntarySwitches = 30_000;
            its.involuntarySwitches = 400;
            its.heapUsedBytesMax = 200L << 20;
            its.heapMaxBytes = 1L << 30;
            its.gcCount = 2;
            its.gcMillis = 14;
            its.depthMax = 12;
        });
    }

    public static Interval with(BrokerSample broker) {
        Interval i = interval(0);
        return Interval.of(its -> {
            its.index = i.index();
            its.warmup = i.warmup();
            its.startEpochNanos = i.startEpochNanos();
            its.endEpochNanos = i.endEpochNanos();
            its.elapsedNanos = i.elapsedNanos();
            its.counts = i.counts();
            its.measured = i.measured();
            its.warmupSamples = i.warmupSamples();
            its.phase = "peak";
            its.broker = broker;
        });
    }

    public static RunResult with(BrokerFigures broker) {
        return success().with(its -> its.broker = broker);
    }

    private static List<Finding.Failure> broken(List<String> causes) {
        return causes.stream().<Finding.Failure>map(cause -> new Finding.Broken(Finding.Step.CONNECTION, "", cause)).toList();
    }

    static Health health(GeneratorVerdict verdict) {
        return Health.of(its -> {
            Made.health(its);
            its.cpuMicrosPerMessage = 31.256;
            its.verdict = verdict;
        });
    }

    public static Counts counts(long sent, long received) {
        return Counts.NONE.with(Count.SENT, sent).with(Count.RECEIVED, received);
    }

    public static LedgerReport ledger() {
        return new LedgerReport(Counts.NONE.with(Count.EXPECTED, 70194).with(Count.LEDGER_RECEIVED, 70194), null);
    }

    public static RunResult success() {
        return result(List.of(), ledger(), same(100_000, 1500), new GeneratorVerdict.Sound());
    }

    /** Returns a run with the result of a schedule, on a machine for which some figures are known. */
    public static RunResult paced(List<String> causes, Schedule schedule) {
        RunResult r = success();
        Health health = Health.of(its -> {
            Made.health(its);
            its.cpuMicrosPerMessage = 31.256;
            its.schedule = schedule;
            its.host = new HostEffects(12.5, "a-reader", 20.25, 0, "tsc", 25, 31.25);
        });
        return r.with(its -> {
            its.failures = broken(causes);
            its.health = health;
        });
    }

    public static RunResult result(List<String> causes, @Nullable LedgerReport ledger, Distribution d, GeneratorVerdict verdict) {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("tool", "0.1.0");
        versions.put("broker", "Artemis 2.55.0");
        return RunResult.of(its -> {
            its.failures = broken(causes);
            its.start = START;
            its.elapsed = Duration.ofMillis(20_125);
            its.sending = Duration.ofMillis(20_001);
            its.set(Count.SENT, 70194);
            its.set(Count.BLOCKED, 70194);
            its.set(Count.COMPLETED, 70194);
            its.set(Count.RECEIVED, 70194);
            its.set(Count.SENT_BYTES, 70194 * 1024);
            its.set(Count.COMPLETED_BYTES, 70194 * 1024);
            its.set(Count.RECEIVED_BYTES, 70194 * 1024);
            its.ledger = ledger;
            its.measured = all(d);
            its.part = MeasuredPart.of(span -> {
                span.seconds = 10;
                span.set(Count.SENT, 35097);
                span.set(Count.RECEIVED, 35090);
                span.set(Count.SENT_BYTES, 35097 * 1024);
                span.set(Count.RECEIVED_BYTES, 35090 * 1024);
                span.receivingSeconds = 10;
                span.costMessages = 35097;
                span.costSeconds = 10;
                span.times = all(d);
            });
            its.confirms = true;
            its.receivingSeconds = 20.1;
            its.health = health(verdict);
            its.versions = versions;
        });
    }
}
