package io.brokermeter.brokers.observe;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.brokers.observe.PrometheusText.Series;

/**
 * What the metrics of an endpoint say of the broker's process, whichever library names them: the Prometheus clients and
 * the JMX exporter ({@code process_...}, {@code jvm_...}), Micrometer, OpenTelemetry, RabbitMQ with its Erlang machine, the
 * exporter for Redis. Used by one thread.
 */
final class KnownMetrics {

    private static final List<String> HEAP_LABELS = List.of("area", "jvm_memory_type");

    /** Names for one figure, the best first, each with what its value must be multiplied by. */
    private record Figure(Map<String, Double> names) {

        static Figure of(String... names) {
            Map<String, Double> all = new LinkedHashMap<>();
            for (String name : names) {
                all.put(name, 1.0);
            }
            return new Figure(all);
        }

        Figure or(String name, double factor) {
            Map<String, Double> all = new LinkedHashMap<>(names);
            all.put(name, factor);
            return new Figure(all);
        }

        double in(Map<String, Double> sums) {
            for (Map.Entry<String, Double> name : names.entrySet()) {
                Double sum = sums.get(name.getKey());
                if (sum != null) {
                    return sum * name.getValue();
                }
            }
            return Double.NaN;
        }
    }

    private static final Figure CPU_SECONDS = Figure.of("process_cpu_seconds_total", "jvm_cpu_time_seconds_total")
        .or("process_cpu_time_ns_total", 1e-9).or("erlang_vm_statistics_runtime_milliseconds", 1e-3);
    private static final List<String> REDIS_CPU = List.of("redis_cpu_sys_seconds_total", "redis_cpu_user_seconds_total");
    private static final String CPU_USAGE = "process_cpu_usage";
    private static final String CPU_COUNT = "system_cpu_count";
    private static final Figure RESIDENT = Figure.of("process_resident_memory_bytes",
        "rabbitmq_process_resident_memory_bytes", "redis_memory_used_rss_bytes");
    private static final Figure THREADS = Figure.of("jvm_threads_current", "jvm_threads_live_threads", "jvm_threads_live",
        "jvm_thread_count", "process_num_threads");
    private static final Figure OPEN_FILES = Figure.of("process_open_fds", "rabbitmq_process_open_fds",
        "process_files_open_files", "process_files_open");
    private static final Figure HEAP_USED = Figure.of("jvm_memory_used_bytes", "jvm_memory_bytes_used");
    private static final Figure HEAP_COMMITTED = Figure.of("jvm_memory_committed_bytes", "jvm_memory_bytes_committed");
    private static final Figure HEAP_MAX = Figure.of("jvm_memory_max_bytes", "jvm_memory_bytes_max", "jvm_memory_limit_bytes");
    private static final Figure GC_COUNT = Figure.of("jvm_gc_collection_seconds_count", "jvm_gc_pause_seconds_count",
        "jvm_gc_duration_seconds_count");
    private static final Figure GC_SECONDS = Figure.of("jvm_gc_collection_seconds_sum", "jvm_gc_pause_seconds_sum",
        "jvm_gc_duration_seconds_sum");
    private static final Set<String> HEAP = names(HEAP_USED, HEAP_COMMITTED, HEAP_MAX);
    private static final Set<String> ALL = all();

    private final Map<String, Series> asked;
    private final Set<String> wanted = new HashSet<>(ALL);
    private double cpuSecondsOfUsage;
    private long usageNanos = -1;

    /** @param asked further metrics that the user wants, by the text that asks for them */
    KnownMetrics(Map<String, Series> asked) {
        this.asked = asked;
        asked.values().forEach(series -> wanted.add(series.name()));
    }

    private static Set<String> names(Figure... figures) {
        Set<String> names = new HashSet<>();
        for (Figure figure : figures) {
            names.addAll(figure.names.keySet());
        }
        return names;
    }

    private static Set<String> all() {
        Set<String> names = names(CPU_SECONDS, RESIDENT, THREADS, OPEN_FILES, HEAP_USED, HEAP_COMMITTED, HEAP_MAX, GC_COUNT,
            GC_SECONDS);
        names.addAll(REDIS_CPU);
        names.add(CPU_USAGE);
        names.add(CPU_COUNT);
        return names;
    }

    /**
     * What an endpoint said.
     *
     * @param usage all of it unknown when it says nothing of a process
     * @param heap all of it unknown when it says nothing of a JVM
     * @param asked the further metrics that were there, each the sum over its series
     * @param knows whether it said anything of all that
     */
    record Scrape(UsageReading usage, HeapReading heap, Map<String, Double> asked, boolean knows) {}

    /** @param nanos when it was asked */
    Scrape read(long nanos, String text) {
        Map<String, Double> sums = new HashMap<>();
        Map<String, Double> found = new LinkedHashMap<>();
        PrometheusText.read(text, wanted::contains, (name, labels, value) -> {
            boolean heap = HEAP.contains(name);
            // Pools without a limit give -1.
            if (ALL.contains(name) && (!heap || value >= 0 && HEAP_LABELS.stream().anyMatch(l -> "heap".equals(labels.get(l))))) {
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
        UsageReading usage = new UsageReading(nanos, cpuSeconds(nanos, sums), whole(RESIDENT.in(sums)), (int) whole(THREADS.in(sums)),
            (int) whole(OPEN_FILES.in(sums)), -1, -1, -1, -1);
        HeapReading heap = new HeapReading(nanos, whole(HEAP_USED.in(sums)), whole(HEAP_COMMITTED.in(sums)),
            whole(HEAP_MAX.in(sums)), whole(GC_COUNT.in(sums)), whole(GC_SECONDS.in(sums) * 1e3));
        boolean process = !Double.isNaN(usage.cpuSeconds()) || usage.residentBytes() >= 0 || usage.threads() >= 0
            || usage.openFiles() >= 0;
        return new Scrape(usage, heap, ordered, process || heap.usedBytes() >= 0);
    }

    private double cpuSeconds(long nanos, Map<String, Double> sums) {
        double counted = CPU_SECONDS.in(sums);
        if (!Double.isNaN(counted)) {
            return counted;
        }
        if (REDIS_CPU.stream().allMatch(sums::containsKey)) {
            return REDIS_CPU.stream().mapToDouble(name -> sums.getOrDefault(name, 0.0)).sum();
        }
        Double usage = sums.get(CPU_USAGE);
        Double processors = sums.get(CPU_COUNT);
        if (usage == null || processors == null || usage < 0) {
            return Double.NaN;
        }
        // A share of all processors is all that Micrometer tells by default.
        if (usageNanos >= 0) {
            cpuSecondsOfUsage += usage * processors * (nanos - usageNanos) / 1e9;
        }
        usageNanos = nanos;
        return cpuSecondsOfUsage;
    }

    private static long whole(double value) {
        return Double.isFinite(value) && value >= 0 ? Math.round(value) : -1;
    }
}
