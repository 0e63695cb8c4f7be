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
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.Host;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.health.Verdict;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.RunResult;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Hand-made intervals and results. */
final class Samples {

    /** Plain runs have no replies, no delayed messages and no handlers. */
    private static final Set<Metric> SELDOM = EnumSet.of(Metric.ROUND_TRIP, Metric.LATE_DELIVERY, Metric.HANDLER);
    /** 2026-01-02T03:04:05.250Z. */
    static final Instant START = Instant.parse("2026-01-02T03:04:05.250Z");
    static final RunShape CLIENT = new RunShape(true, true, false, Duration.ofSeconds(20), 0);
    static final RunShape RATED = new RunShape(true, true, true, Duration.ofSeconds(20), 0);
    static final RunShape PRODUCER = new RunShape(true, false, true, Duration.ZERO, 0);
    static final RunShape CONSUMER = new RunShape(false, true, false, Duration.ZERO, 0);

    private Samples() {}

    static Distribution empty() {
        return new Distribution(new Histogram(1, 3_600_000_000_000L, 3), 0, 0);
    }

    /** 1 to {@code count} times {@code stepMicros} microseconds. */
    static Distribution ramp(int count, long stepMicros) {
        Histogram h = new Histogram(1, 3_600_000_000_000L, 3);
        for (int i = 1; i <= count; i++) {
            h.recordValue(i * stepMicros * 1000);
        }
        return new Distribution(h, 0, 0);
    }

    /** {@code count} samples of one value below 2048 ns, which a histogram keeps exactly. */
    static Distribution same(long count, long nanos) {
        Histogram h = new Histogram(1, 3_600_000_000_000L, 3);
        h.recordValueWithCount(nanos, count);
        return new Distribution(h, 0, 0);
    }

    static Map<Metric, Distribution> all(Distribution d) {
        Map<Metric, Distribution> map = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            map.put(metric, SELDOM.contains(metric) ? empty() : d);
        }
        return map;
    }

    /** An interval of {@code millis} that begins {@code index} seconds after {@link #START}. */
    static Interval interval(int index, boolean warmup, long millis, Distribution measured, Distribution warm) {
        long begin = START.toEpochMilli() * 1_000_000 + index * 1_000_000_000L;
        return new Interval(index, warmup, begin, begin + millis * 1_000_000, index * 1_000_000_000L + millis * 1_000_000,
            7316, 6632, 7320, 0, 7317, all(measured), all(warm), "", null);
    }

    static Interval interval(int index) {
        return interval(index, false, 1000, same(100_000, 1500), empty());
    }

    static BrokerSample broker() {
        BrokerSample.Usage usage = new BrokerSample.Usage(85.25, 512 << 20, 2.125, 77, 120, 0, 12 << 20, 3000, 40);
        return new BrokerSample(1, usage, new BrokerSample.Heap(200 << 20, 400 << 20, 1 << 30, 2, 14), 12,
            Map.of("my,metric", 1.5), List.of());
    }

    /** One of two processes, of which little is known. */
    static BrokerSample brokers() {
        BrokerSample.Usage part = new BrokerSample.Usage(5, 1 << 20, Double.NaN, -1, -1, -1, -1, -1, -1);
        BrokerSample.Usage both = new BrokerSample.Usage(10, 2 << 20, Double.NaN, -1, -1, -1, -1, -1, -1);
        return new BrokerSample(1, both, BrokerSample.Heap.UNKNOWN, -1, Map.of(),
            List.of(new BrokerSample.Part("a b", 1, part), new BrokerSample.Part("c", 2, part)));
    }

    static BrokerFigures figures() {
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

    static Interval with(BrokerSample broker) {
        Interval i = interval(0);
        return new Interval(i.index(), i.warmup(), i.startEpochNanos(), i.endEpochNanos(), i.elapsedNanos(), i.sent(), i.blocked(),
            i.completed(), i.failed(), i.received(), i.measured(), i.warmupSamples(), "peak", broker);
    }

    static RunResult with(BrokerFigures broker) {
        RunResult r = success();
        return new RunResult(r.failures(), r.signal(), true, r.start(), r.elapsed(), r.sending(), r.sent(), r.blocked(), r.completed(),
            r.failed(), r.unconfirmed(), r.received(), r.ledger(), r.measured(), r.part(), r.reconnects(), r.confirms(), r.failureCauses(),
            r.rolledBack(), r.requeued(), r.rejected(),
            r.unanswered(), r.receivingSeconds(), r.groups(), r.phases(), broker, r.health(), r.versions());
    }

    private static List<Finding.Failure> broken(List<String> causes) {
        return causes.stream().<Finding.Failure>map(cause -> new Finding.Broken(Finding.Step.CONNECTION, "", cause)).toList();
    }

    static Health health(Verdict verdict) {
        return new Health(2.5, 31.256, 50, 0, 3, 12, 6, 0.21, 1.7, 0.08, Schedule.NONE, 100L << 20, Host.UNKNOWN, verdict);
    }

    static LedgerReport ledger() {
        return new LedgerReport(70194, 70194, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    static RunResult success() {
        return result(List.of(), ledger(), same(100_000, 1500), new Verdict.Sound());
    }

    /** A run that kept so much of its rate, on a machine of which something is known. */
    static RunResult paced(List<String> causes, Schedule schedule) {
        RunResult r = success();
        Health health = new Health(2.5, 31.256, 50, 0, 3, 12, 6, 0.21, 1.7, 0.08, schedule, 100L << 20,
            new Host(12.5, "a-reader", 20.25, 0, "tsc", 25, 31.25), new Verdict.Sound());
        return new RunResult(broken(causes), r.signal(), true, r.start(), r.elapsed(), r.sending(), r.sent(), r.blocked(), r.completed(),
            r.failed(),
            r.unconfirmed(), r.received(), r.ledger(), r.measured(), r.part(), r.reconnects(), r.confirms(), r.failureCauses(),
            r.rolledBack(),
            r.requeued(), r.rejected(), r.unanswered(), r.receivingSeconds(), r.groups(), r.phases(), r.broker(), health,
            r.versions());
    }

    static RunResult result(List<String> causes, @Nullable LedgerReport ledger, Distribution d, Verdict verdict) {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("tool", "0.1.0");
        versions.put("broker", "Artemis 2.55.0");
        return new RunResult(broken(causes), 0, true, START, Duration.ofMillis(20_125), Duration.ofMillis(20_001), 70194, 70194, 70194,
            0, 0, 70194, ledger, all(d), new MeasuredPart(10, 35097, 35090, 10, 35097, 10, 0, 0, all(d)), 0, true, Map.of(),
            0, 0, 0, 0, 20.1, List.of(), List.of(), null, health(verdict), versions);
    }
}
