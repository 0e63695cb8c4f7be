package io.brokermeter.live;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.NativeHistogramBuckets;

/**
 * The state of a run as an export request of OpenTelemetry (OTLP 1.9.0, {@code ExportMetricsServiceRequest}): sums and exponential
 * histograms since the beginning of the run, under names of which a translation to Prometheus makes those of a scrape again. What the
 * conventions for messaging clients define is there under their names, too.
 */
final class OtlpRequest {

    private static final int CUMULATIVE = 2;

    /**
     * A metric of the conventions for messaging.
     *
     * @param operation the operation that it is about, as {@code messaging.operation.name} and {@code messaging.operation.type}
     */
    private record Convention(String name, String unit, String operation) {}

    private static final Map<String, Convention> CONVENTIONS = Map.of(
        "brokermeter_send_seconds", new Convention("messaging.client.operation.duration", "s", "send"),
        "brokermeter_handler_seconds", new Convention("messaging.process.duration", "s", "process"),
        "brokermeter_messages_sent", new Convention("messaging.client.sent.messages", "{message}", "send"),
        "brokermeter_messages_received", new Convention("messaging.client.consumed.messages", "{message}", "receive"));

    private final Map<String, String> resource;
    private final Map<String, String> messaging;
    private final long startNanos;

    /**
     * @param resource what identifies the run
     * @param messaging attributes of all metrics of the conventions
     * @param startNanos beginning of all sums, in nanoseconds since the epoch
     */
    OtlpRequest(Map<String, String> resource, Map<String, String> messaging, long startNanos) {
        this.resource = Map.copyOf(resource);
        this.messaging = Map.copyOf(messaging);
        this.startNanos = startNanos;
    }

    /** Returns the request for the state at a moment, in nanoseconds since the epoch. */
    byte[] of(MetricSnapshots state, long nowNanos) {
        return ProtobufWriter.message(request -> request.with(1, metrics -> metrics
            .with(1, its -> attributes(its, 1, resource))
            .with(2, scope -> {
                scope.with(1, its -> its.text(1, "io.brokermeter"));
                for (MetricSnapshot one : state) {
                    String name = one.getMetadata().getName();
                    if (!(one instanceof InfoSnapshot)) {
                        scope.with(2, metric -> metric(metric, one, named(name), unit(name), Map.of(), nowNanos));
                    }
                    Convention convention = CONVENTIONS.get(name);
                    if (convention != null) {
                        Map<String, String> more = new LinkedHashMap<>(messaging);
                        more.put("messaging.operation.name", convention.operation);
                        more.put("messaging.operation.type", convention.operation);
                        scope.with(2, metric -> metric(metric, one, convention.name, convention.unit, more, nowNanos));
                    }
                }
            })));
    }

    /** Returns the name of a metric without its unit, which OpenTelemetry keeps elsewhere: {@code brokermeter.broker.cpu}. */
    private static String named(String name) {
        return name.replaceFirst("_(seconds|ratio)$", "").replaceFirst("(?<!broker_heap_used)_bytes$", "").replace('_', '.');
    }

    /** Returns the unit of a metric in the code of UCUM. */
    private static String unit(String name) {
        return name.endsWith("_seconds") ? "s" : name.endsWith("_ratio") ? "1" : name.contains("_bytes") ? "By"
            : name.contains("_messages") ? "{message}" : "";
    }

    private void metric(ProtobufWriter metric, MetricSnapshot one, String name, String unit, Map<String, String> more, long now) {
        metric.text(1, name).text(2, String.valueOf(one.getMetadata().getHelp())).text(3, unit);
        switch (one) {
            case CounterSnapshot counter -> metric.with(7, sum -> {
                counter.getDataPoints().forEach(point -> sum.with(1, number(point, point.getValue(), more, now)));
                sum.number(2, CUMULATIVE).number(3, 1);
            });
            case HistogramSnapshot times -> metric.with(10, all -> {
                times.getDataPoints().forEach(point -> all.with(1, histogram(point, more, now)));
                all.number(2, CUMULATIVE);
            });
            case GaugeSnapshot gauge -> metric.with(5,
                its -> gauge.getDataPoints().forEach(point -> its.with(1, number(point, point.getValue(), more, now))));
            default -> throw new IllegalStateException(one.getClass() + " has no form in OpenTelemetry");
        }
    }

    private Consumer<ProtobufWriter> number(DataPointSnapshot point, double value, Map<String, String> more, long now) {
        return its -> {
            attributes(its, 7, attributes(point, more));
            its.fixed(2, startNanos).fixed(3, now).real(4, value);
        };
    }

    private Consumer<ProtobufWriter> histogram(HistogramDataPointSnapshot point, Map<String, String> more, long now) {
        return its -> {
            attributes(its, 1, attributes(point, more));
            its.fixed(2, startNanos).fixed(3, now).fixed(4, point.getCount()).real(5, point.getSum())
                .signed(6, point.getNativeSchema()).fixed(7, point.getNativeZeroCount());
            NativeHistogramBuckets buckets = point.getNativeBucketsForPositiveValues();
            if (buckets.size() > 0) {
                // A bucket ends at base^index here, and begins there in OpenTelemetry.
                int first = buckets.getBucketIndex(0);
                long[] counts = new long[buckets.getBucketIndex(buckets.size() - 1) - first + 1];
                for (int i = 0; i < buckets.size(); i++) {
                    counts[buckets.getBucketIndex(i) - first] = buckets.getCount(i);
                }
                its.with(8, positive -> positive.signed(1, first - 1).numbers(2, counts));
            }
        };
    }

    private static Map<String, String> attributes(DataPointSnapshot point, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(more);
        for (Label label : point.getLabels()) {
            all.put(more.isEmpty() ? label.getName() : "brokermeter." + label.getName(), label.getValue());
        }
        return all;
    }

    private static void attributes(ProtobufWriter to, int field, Map<String, String> attributes) {
        List<Map.Entry<String, String>> sorted = attributes.entrySet().stream().sorted(Map.Entry.comparingByKey()).toList();
        for (Map.Entry<String, String> one : sorted) {
            to.with(field, pair -> pair.text(1, one.getKey()).with(2, value -> value.text(1, one.getValue())));
        }
    }
}
