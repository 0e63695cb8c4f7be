package io.brokermeter.brokers.observe;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.brokers.observe.PrometheusText.Series;

/**
 * Extracts figures of the broker's process from the metrics of an endpoint, whichever library names them: the Prometheus clients and the
 * JMX exporter ({@code process_...}, {@code jvm_...}), Micrometer, OpenTelemetry, RabbitMQ with its Erlang machine, the exporter for Redis.
 * Used by one thread.
 */
final class KnownMetrics {

    private static final List<String> HEAP_LABELS = List.of("area", "jvm_memory_type");

    /** The names of each figure in metrics, in order of preference, with the factor by which the value of each is multiplied. */
    private static final Map<ProcessFigure, Map<String, Double>> NAMES = new EnumMap<>(Map.of(
        ProcessFigure.CPU_SECONDS, names(1, "process_cpu_seconds_total", "jvm_cpu_time_seconds_total"),
        ProcessFigure.RESIDENT_BYTES, names(1, "process_resident_memory_bytes", "rabbitmq_process_resident_memory_bytes",
            "redis_memory_used_rss_bytes"),
        ProcessFigure.THREADS, names(1, "jvm_threads_current", "jvm_threads_live_threads", "jvm_threads_live", "jvm_thread_count",
            "process_num_threads"),
        ProcessFigure.OPEN_FILES, names(1, "process_open_fds", "rabbitmq_process_open_fds", "process_files_open_files",
            "process_files_open"),
        ProcessFigure.HEAP_USED_BYTES, names(1, "jvm_memory_used_bytes", "jvm_memory_bytes_used"),
        ProcessFigure.HEAP_COMMITTED_BYTES, names(1, "jvm_memory_committed_bytes", "jvm_memory_bytes_committed"),
        ProcessFigure.HEAP_MAX_BYTES, names(1, "jvm_memory_max_bytes", "jvm_memory_bytes_max", "jvm_memory_limit_bytes"),
        ProcessFigure.GC_COUNT, names(1, "jvm_gc_collection_seconds_count", "jvm_gc_pause_seconds_count", "jvm_gc_duration_seconds_count"),
        ProcessFigure.GC_MILLIS, names(1e3, "jvm_gc_collection_seconds_sum", "jvm_gc_pause_seconds_sum", "jvm_gc_duration_seconds_sum")));
    private static final List<String> REDIS_CPU = List.of("redis_cpu_sys_seconds_total", "redis_cpu_user_seconds_total");
    private static final String CPU_USAGE = "process_cpu_usage";
    private static final String CPU_COUNT = "system_cpu_count";
    private static final Set<String> HEAP = new HashSet<>();
    private static final Set<String> COLLECTIONS = new HashSet<>();
    private static final Set<String> ALL = new HashSet<>(REDIS_CPU);

    static {
        NAMES.getOrDefault(ProcessFigure.CPU_SECONDS, Map.of()).putAll(Map.of("process_cpu_time_ns_total", 1e-9,
            "erlang_vm_statistics_runtime_milliseconds", 1e-3));
        NAMES.forEach((figure, names) -> {
            ALL.addAll(names.keySet());
            if (figure.compareTo(ProcessFigure.HEAP_USED_BYTES) >= 0) {
                HEAP.addAll(names.keySet());
            } else if (figure == ProcessFigure.GC_COUNT || figure == ProcessFigure.GC_MILLIS) {
                COLLECTIONS.addAll(names.keySet());
            }
        });
        ALL.addAll(List.of(CPU_USAGE, CPU_COUNT));
    }

    private final Map<String, Series> asked;
    private final Set<String> wanted = new HashSet<>(ALL);
    private double cpuSecondsOfUsage;
    private long usageNanos = -1;

    /**
     * Creates an extractor.
     *
     * @param asked further metrics that the user requests, by the text of the request
     */
    KnownMetrics(Map<String, Series> asked) {
        this.asked = asked;
        asked.values().forEach(series -> wanted.add(series.name()));
    }

    private static Map<String, Double> names(double factor, String... names) {
        Map<String, Double> all = new LinkedHashMap<>();
        for (String name : names) {
            all.put(name, factor);
        }
        return all;
    }

    /**
     * The content of an answer of the endpoint.
     *
     * @param reading the figures of the process
     * @param asked the requested further metrics that the answer has, each summed over its series
     */
    record Scrape(Reading reading, Map<String, Double> asked) {

        /** Returns whether the answer has any figure of a process or a JVM. */
        boolean knows() {
            return Stream
                .of(ProcessFigure.CPU_SECONDS, ProcessFigure.RESIDENT_BYTES, ProcessFigure.THREADS, ProcessFigure.OPEN_FILES,
                    ProcessFigure.HEAP_USED_BYTES)
                .anyMatch(reading::knows);
        }
    }

    /**
     * Extracts the figures of an answer.
     *
     * @param nanos time of the request, by {@link System#nanoTime()}
     * @param text text of the answer
     */
    Scrape read(long nanos, String text) {
        Map<String, Double> sums = new HashMap<>();
        Map<String, Double> found = new LinkedHashMap<>();
        PrometheusText.read(text, wanted::contains, (name, labels, value) -> {
            boolean heap = HEAP.contains(name);
            // Concurrent collectors have one series for their pauses and one for their cycles, which stop nothing.
            boolean cycle = COLLECTIONS.contains(name) && labels.values().stream().anyMatch(label -> label.endsWith(" Cycles"));
            // Pools without a limit report -1.
            if (ALL.contains(name) && !cycle && (!heap || value >= 0 && HEAP_LABELS.stream().anyMatch(l -> "heap".equals(labels.get(l))))) {
                sums.merge(name, value, Double::sum);
            }
            asked.forEach((query, series) -> {
                if (series.name().equals(name) && labels.entrySet().containsAll(series.labels().entrySet())) {
                    found.merge(query, value, Double::sum);
                }
            });
        });
        Map<String, Double> ordered = new LinkedHashMap<>();
        asked.keySet().forEach(name -> {
            Double value = found.get(name);
            if (value != null) {
                ordered.put(name, value);
            }
        });
        Reading reading = new Reading(nanos);
        NAMES.forEach((figure, names) -> names.entrySet().stream().filter(name -> sums.containsKey(name.getKey())).findFirst()
            .ifPresent(name -> reading.set(figure, sums.getOrDefault(name.getKey(), -1.0) * name.getValue())));
        if (!reading.knows(ProcessFigure.CPU_SECONDS)) {
            reading.set(ProcessFigure.CPU_SECONDS, cpuSeconds(nanos, sums));
        }
        return new Scrape(reading, ordered);
    }

    private double cpuSeconds(long nanos, Map<String, Double> sums) {
        if (REDIS_CPU.stream().allMatch(sums::containsKey)) {
            return REDIS_CPU.stream().mapToDouble(name -> sums.getOrDefault(name, 0.0)).sum();
        }
        Double usage = sums.get(CPU_USAGE);
        Double processors = sums.get(CPU_COUNT);
        if (usage == null || processors == null || usage < 0) {
            return Double.NaN;
        }
        // By default Micrometer reports only a share of all processors.
        if (usageNanos >= 0) {
            cpuSecondsOfUsage += usage * processors * (nanos - usageNanos) / 1e9;
        }
        usageNanos = nanos;
        return cpuSecondsOfUsage;
    }
}
