package io.brokermeter.reports.directory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.proc.ProcText;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.json.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * The machine and the program of a run, as they are when the run begins. Contains no secrets: no command line, no
 * environment variable, no name of a host or a user.
 *
 * @param values known facts, in the order of the file
 */
public record RunEnvironment(Map<String, @Nullable Object> values) {

    /** Returns the environment of this machine, without the facts that the system does not provide. */
    public static RunEnvironment now(String toolVersion) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("format", RunDirectory.FORMAT);
        all.put("time", Instant.now().toString());
        all.put("tool", toolVersion);
        all.put("java", Runtime.version().toString());
        all.put("jvm", System.getProperty("java.vm.name") + ", " + System.getProperty("java.vendor"));
        all.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + " " + System.getProperty("os.arch"));
        cpuModel().ifPresent(model -> all.put("cpuModel", model));
        all.put("cpuCount", cpus());
        all.put("cpusOfThisProcess", Runtime.getRuntime().availableProcessors());
        memory("MemTotal").ifPresent(bytes -> all.put("memoryBytes", bytes));
        memory("MemAvailable").ifPresent(bytes -> all.put("memoryAvailableBytes", bytes));
        all.put("heapMaxBytes", Runtime.getRuntime().maxMemory());
        cgroup("cpu.max", "cpu/cpu.cfs_quota_us").ifPresent(limit -> all.put("cgroupCpuMax", limited(limit)));
        cgroup("memory.max", "memory/memory.limit_in_bytes").ifPresent(limit -> all.put("cgroupMemoryMax", limited(limit)));
        firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .ifPresent(source -> all.put("clockSource", source));
        firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ifPresent(governor -> all.put("cpuGovernor", governor));
        // Divides the processors between sessions instead of threads, which changes what a generator and a broker get of the same ones.
        firstLine("/proc/sys/kernel/sched_autogroup_enabled").ifPresent(on -> all.put("schedAutogroup", !on.equals("0")));
        firstLine("/proc/loadavg").ifPresent(load -> all.put("loadAverage", load.replaceFirst("^(\\S+ \\S+ \\S+).*", "$1")));
        return new RunEnvironment(all);
    }

    /**
     * Returns this environment with the scenario: the run's name, its labels, and in {@code workload} the kind and amount of its load, so
     * that runs can be distinguished without reading their scenario. A fact that differs between groups is null there.
     */
    public RunEnvironment of(Scenario scenario, Map<String, String> labels) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(values);
        all.put("name", scenario.id());
        all.put("labels", labels);
        all.put("what", RunShape.of(scenario).what());
        all.put("workload", WorkloadFacts.of(scenario));
        return new RunEnvironment(all);
    }

    /** Returns this environment with one more fact. */
    RunEnvironment with(String name, Object value) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(values);
        all.put(name, value);
        return new RunEnvironment(all);
    }

    /** Describes the machine in one line, as a table states it. */
    public String machine() {
        List<String> parts = new ArrayList<>();
        parts.add(values.getOrDefault("cpuModel", "unknown processor") + " (" + values.get("cpuCount") + " logical)");
        if (values.get("memoryBytes") instanceof Long bytes) {
            parts.add(Math.round(bytes / (double) (1L << 30)) + " GiB of memory");
        }
        parts.add(String.valueOf(values.get("system")));
        parts.add("Java " + values.get("java"));
        return String.join(", ", parts);
    }

    /**
     * Formats the environment as the text of a file.
     *
     * @param versions versions of what took part in the run, by name; empty before the run has begun
     */
    String json(Map<String, String> versions) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(values);
        if (!versions.isEmpty()) {
            all.put("versions", versions);
            // Only at the end: the beans take a tenth of a second to load, and the run has loaded them by then.
            all.put("jvmFlags", ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X") && !flag.contains("/")).toList());
            all.put("collectors", ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(java.lang.management.MemoryManagerMXBean::getName).toList());
        }
        return JsonText.lines(all);
    }

    /**
     * Returns a limit of a control group; {@code none} without a limit, which is -1, the most that a page counter
     * holds, or a word, by the version of the groups.
     */
    private static String limited(String limit) {
        return limit.equals("-1") || limit.startsWith("max") || limit.startsWith("92233720368547") ? "none" : limit;
    }

    private static long cpus() {
        try {
            return ProcText.processors(ProcText.read(Path.of("/proc/stat"))).count();
        } catch (IOException | RuntimeException e) {
            return Runtime.getRuntime().availableProcessors();
        }
    }

    private static Optional<String> firstLine(String file) {
        try {
            return Files.readString(Path.of(file)).lines().findFirst().map(String::strip).filter(line -> !line.isEmpty());
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> cpuModel() {
        try {
            return ProcText.cpuModel(ProcText.read(Path.of("/proc/cpuinfo")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<Long> memory(String name) {
        try {
            return Optional.of(ProcText.kibibytes(ProcText.read(Path.of("/proc/meminfo")), name)).filter(bytes -> bytes >= 0);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads a limit of a control group. In a container the file of version 2 is at the root of the mount; otherwise in
     * the group of this process.
     */
    private static Optional<String> cgroup(String v2, String v1) {
        Optional<String> own = firstLine("/proc/self/cgroup").flatMap(ProcText::group)
            .filter(ProcText.Group::isUnified).flatMap(group -> firstLine("/sys/fs/cgroup" + group.path() + "/" + v2));
        return own.or(() -> firstLine("/sys/fs/cgroup/" + v2)).or(() -> firstLine("/sys/fs/cgroup/" + v1));
    }
}
