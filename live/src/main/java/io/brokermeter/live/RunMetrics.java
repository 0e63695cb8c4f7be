package io.brokermeter.live;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.NativeHistogramBuckets;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/**
 * The state of a run in the terms of Prometheus: a counter for each count of the table of counts that grows while a run lasts, a histogram,
 * classic and native, for each time, split into warm-up and measured part, and the last sample of the broker. It changes with each interval.
 * The run's reporting thread adds, any thread may look.
 */
public final class RunMetrics implements RunObserver {

    /** Upper bounds of the classic buckets, in seconds: 1, 2.5 and 5 in each decade. */
    private static final double[] BOUNDS = {10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3,
        250e-3, 0.5, 1, 2.5, 5, 10, 25, 50, 100};
    /** Eight native buckets for each doubling, so that one is 9 % wide. */
    private static final int SCHEMA = 3;
    private static final String PREFIX = "brokermeter_";
    private static final Labels MEASURED = Labels.of("part", "measured");
    private static final Labels WARMUP = Labels.of("part", "warmup");

    private final Map<String, String> run;
    private final Map<Metric, Histogram> measured = new EnumMap<>(Metric.class);
    private final Map<Metric, Histogram> warmup = new EnumMap<>(Metric.class);
    private Counts counts = Counts.NONE;
    private BrokerSample broker = BrokerSample.UNKNOWN;
    private double elapsed;

    /** @param run what identifies the run, by the names of labels */
    public RunMetrics(Map<String, String> run) {
        this.run = new TreeMap<>(run);
    }

    @Override
    public synchronized void interval(Interval interval) {
        counts = counts.plus(interval.counts());
        elapsed = interval.elapsedNanos() / 1e9;
        add(measured, interval.measured());
        add(warmup, interval.warmupSamples());
        broker = interval.broker() == null ? broker : interval.broker();
    }

    private static void add(Map<Metric, Histogram> all, Map<Metric, Distribution> more) {
        more.forEach((metric, one) -> all.computeIfAbsent(metric, _ -> Distribution.empty()).add(one.histogram()));
    }

    /** Returns the present state. */
    public synchronized MetricSnapshots snapshots() {
        List<MetricSnapshot> all = new ArrayList<>();
        all.add(InfoSnapshot.builder().name(PREFIX + "run").help("The run.")
            .dataPoint(InfoDataPointSnapshot.builder()
                .labels(Labels.of(run.keySet().toArray(String[]::new), run.values().toArray(String[]::new))).build())
            .build());
        all.add(gauge("elapsed_seconds", "Time since the load began, up to the last interval.", elapsed));
        for (Count count : Count.values()) {
            long value = counts.get(count);
            if (count.live() != Quantity.Live.GROWS || value == Counts.UNKNOWN) {
                continue;
            }
            String name = snake(count.path());
            all.add(count.isMaximum() ? gauge(name, count.doc(), value)
                : CounterSnapshot.builder().name(PREFIX + name).help(count.doc())
                    .dataPoint(CounterDataPointSnapshot.builder().value(value).build()).build());
        }
        for (Metric metric : Metric.values()) {
            HistogramSnapshot.Builder times =
                HistogramSnapshot.builder().name(PREFIX + snake(metric.tag()) + "_seconds").help(help(metric));
            boolean any = point(times, warmup.get(metric), WARMUP);
            any |= point(times, measured.get(metric), MEASURED);
            if (any) {
                all.add(times.build());
            }
        }
        brokerFigures(all);
        return new MetricSnapshots(all);
    }

    private void brokerFigures(List<MetricSnapshot> all) {
        known(all, "broker_cpu_ratio", "Use of processors by the broker, 1 for a whole core.", broker.usage().cpuPercent() / 100);
        known(all, "broker_resident_bytes", "Resident memory of the broker.", broker.usage().residentBytes());
        known(all, "broker_threads", "Threads of the broker.", broker.usage().threads());
        known(all, "broker_heap_used_bytes", "Heap in use by the broker's JVMs.", broker.heap().usedBytes());
        known(all, "broker_waiting_messages", "Messages that wait in the run's destinations.", broker.depth());
    }

    private static void known(List<MetricSnapshot> all, String name, String help, double value) {
        if (value >= 0) {
            all.add(gauge(name, help, value));
        }
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder().name(PREFIX + name).help(help).dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
            .build();
    }

    private static String help(Metric metric) {
        return switch (metric) {
            case SEND_DELAY -> "Actual send minus intended send: the delay of the generator.";
            case SEND -> "From the send to the broker's confirmation.";
            case TRANSFER -> "From the send to the delivery.";
            case RESPONSE -> "From the moment at which a message was to be sent to its delivery, free of coordinated omission.";
            case ROUND_TRIP -> "From the send of a request to the delivery of its reply.";
            case LATE_DELIVERY -> "From the moment at which a delayed message was due to its delivery.";
            case HANDLER -> "From a delivery to the end of its processing.";
        };
    }

    private static boolean point(HistogramSnapshot.Builder times, @Nullable Histogram samples, Labels part) {
        if (samples == null || samples.getTotalCount() == 0) {
            return false;
        }
        long[] counts = new long[BOUNDS.length + 1];
        Map<Integer, Long> exponential = new TreeMap<>();
        int bucket = 0;
        long zeros = 0;
        for (HistogramIterationValue value : samples.recordedValues()) {
            double seconds = value.getValueIteratedTo() / 1e9;
            while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]) {
                bucket++;
            }
            counts[bucket] += value.getCountAddedInThisIterationStep();
            if (seconds > 0) {
                exponential.merge(nativeBucket(seconds), value.getCountAddedInThisIterationStep(), Long::sum);
            } else {
                zeros = value.getCountAddedInThisIterationStep();
            }
        }
        ClassicHistogramBuckets.Builder classic = ClassicHistogramBuckets.builder();
        for (int i = 0; i < counts.length; i++) {
            classic.bucket(i < BOUNDS.length ? BOUNDS[i] : Double.POSITIVE_INFINITY, counts[i]);
        }
        NativeHistogramBuckets.Builder natively = NativeHistogramBuckets.builder();
        exponential.forEach(natively::bucket);
        times.dataPoint(HistogramDataPointSnapshot.builder().labels(part).classicHistogramBuckets(classic.build()).nativeSchema(SCHEMA)
            .nativeZeroCount(zeros)
            .nativeBucketsForPositiveValues(natively.build()).sum(samples.getMean() * samples.getTotalCount() / 1e9).build());
        return true;
    }

    /** Returns the index of the native bucket of a value: the bucket with index i ends at 2^(i / 2^schema), inclusive. */
    static int nativeBucket(double value) {
        return (int) Math.ceil(Math.log(value) / Math.log(2) * (1 << SCHEMA) - 1e-9);
    }

    private static String snake(String name) {
        return name.replaceAll("([A-Z])", "_$1").replaceAll("[.-]", "_").toLowerCase(Locale.ROOT);
    }
}
