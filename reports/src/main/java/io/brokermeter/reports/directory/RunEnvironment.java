package io.brokermeter.reports.directory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.proc.ProcText;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.EnvironmentDocument.AtEnd;
import io.brokermeter.reports.document.EnvironmentDocument.Machine;
import io.brokermeter.reports.document.EnvironmentDocument.Subject;
import org.jspecify.annotations.Nullable;

/**
 * The machine and the program of a run, as they are when the run begins. Contains no secrets: no command line, no
 * environment variable, no name of a host or a user.
 *
 * @param document known facts
 */
public record RunEnvironment(EnvironmentDocument document) {

    private static final Subject NO_RUN = new Subject(null, null, null, null);

    /** Returns the environment of this machine, without the facts that the system does not provide. */
    public static RunEnvironment now(String toolVersion) {
        Machine machine = new Machine(Instant.now().toString(), toolVersion, Runtime.version().toString(),
            System.getProperty("java.vm.name") + ", " + System.getProperty("java.vendor"),
            System.getProperty("os.name") + " " + System.getProperty("os.version") + " " + System.getProperty("os.arch"), cpuModel(),
            cpus(),
            (long) Runtime.getRuntime().availableProcessors(), memory("MemTotal"), memory("MemAvailable"),
            Runtime.getRuntime().maxMemory(), cgroup("cpu.max", "cpu/cpu.cfs_quota_us"),
            cgroup("memory.max", "memory/memory.limit_in_bytes"),
            firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource").orElse(null),
            firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").orElse(null),
            // Divides the processors between sessions instead of threads, which changes what a generator and a broker get of the same ones.
            firstLine("/proc/sys/kernel/sched_autogroup_enabled").map(on -> !on.equals("0")).orElse(null),
            firstLine("/proc/loadavg").map(load -> load.replaceFirst("^(\\S+ \\S+ \\S+).*", "$1")).orElse(null));
        return new RunEnvironment(
            new EnvironmentDocument((long) RunDirectory.FORMAT, machine, NO_RUN, null, null, List.of(), AtEnd.NONE));
    }

    /**
     * Returns this environment with the scenario: the run's name, its labels, and in {@code workload} the kind and amount of its load, so
     * that runs can be distinguished without reading their scenario.
     */
    public RunEnvironment of(Scenario scenario, Map<String, String> labels) {
        return new RunEnvironment(
            document.with(new Subject(scenario.id(), labels, RunShape.of(scenario).what(), WorkloadFacts.of(scenario))));
    }

    /** Describes the machine in one line, as a table states it. */
    public String machine() {
        Machine its = document.machine();
        List<String> parts = new ArrayList<>();
        parts.add((its.cpuModel() == null ? "unknown processor" : its.cpuModel()) + " (" + its.cpuCount() + " logical)");
        if (its.memoryBytes() != null) {
            parts.add(Math.round(its.memoryBytes() / (double) (1L << 30)) + " GiB of memory");
        }
        parts.add(String.valueOf(its.system()));
        parts.add("Java " + its.java());
        return String.join(", ", parts);
    }

    /**
     * Returns what is known at the end.
     *
     * @param versions versions of what took part in the run, by name; empty before the run has begun
     */
    static AtEnd atEnd(Map<String, String> versions) {
        return versions.isEmpty() ? AtEnd.NONE : new AtEnd(versions,
            // Only at the end: the beans take a tenth of a second to load, and the run has loaded them by then.
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X") && !flag.contains("/")).toList(),
            ManagementFactory.getGarbageCollectorMXBeans().stream().map(java.lang.management.MemoryManagerMXBean::getName).toList());
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

    private static @Nullable String cpuModel() {
        try {
            return ProcText.cpuModel(ProcText.read(Path.of("/proc/cpuinfo"))).orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable Long memory(String name) {
        try {
            long bytes = ProcText.kibibytes(ProcText.read(Path.of("/proc/meminfo")), name);
            return bytes < 0 ? null : (Long) bytes;
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Reads a limit of a control group. In a container the file of version 2 is at the root of the mount; otherwise in
     * the group of this process.
     */
    private static @Nullable String cgroup(String v2, String v1) {
        Optional<String> own = firstLine("/proc/self/cgroup").flatMap(ProcText::group)
            .filter(ProcText.Group::isUnified).flatMap(group -> firstLine("/sys/fs/cgroup" + group.path() + "/" + v2));
        return own.or(() -> firstLine("/sys/fs/cgroup/" + v2)).or(() -> firstLine("/sys/fs/cgroup/" + v1)).map(RunEnvironment::limited)
            .orElse(null);
    }
}
