package io.brokermeter.engine.health;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/**
 * The control groups whose CPU limits may stop this process: its own group and each group above it, of version 1 and 2. Where a
 * container sees its own group as the root, the path in /proc does not exist, and the root is taken.
 */
final class ControlGroup {

    /**
     * The counters of how often a limit stopped a group, summed since the group was created.
     *
     * @param periods number of periods in which the limit was checked
     * @param throttled number of periods in which the limit was reached
     * @param nanos time for which the group was stopped, summed over processors, in nanoseconds
     */
    record Reading(long periods, long throttled, long nanos) {
        static final Reading NONE = new Reading(0, 0, 0);
    }

    /**
     * The effect of the limit over a span of time.
     *
     * @param share the time stopped divided by the length of the span; at most the share of the periods in which the limit was
     *     reached, since the kernel sums the time over processors
     */
    record Throttle(long periods, long throttled, double share) {
        static final Throttle NONE = new Throttle(0, 0, 0);
    }

    private final List<Path> files;

    /** Returns the groups of this process. */
    static ControlGroup own() {
        return new ControlGroup(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
    }

    /**
     * Finds the groups of a process that have CPU statistics.
     *
     * @param membership file that lists the groups of the process
     * @param root directory where control groups are mounted
     */
    ControlGroup(Path membership, Path root) {
        List<Path> found = new ArrayList<>();
        for (ProcText.Group group : lines(membership).stream().flatMap(line -> ProcText.group(line).stream()).toList()) {
            if (group.isUnified()) {
                add(found, root, group.path());
                add(found, root.resolve("unified"), group.path());
            } else if (Arrays.asList(group.controllers().split(",")).contains("cpu")) {
                add(found, root.resolve(group.controllers()), group.path());
                add(found, root.resolve("cpu"), group.path());
            }
        }
        files = List.copyOf(found);
    }

    private static void add(List<Path> found, Path mount, String group) {
        Path directory = mount.resolve(group.startsWith("/") ? group.substring(1) : group).normalize();
        while (directory != null && directory.startsWith(mount)) {
            Path file = directory.resolve("cpu.stat");
            if (Files.isReadable(file) && !found.contains(file)) {
                found.add(file);
            }
            directory = directory.getParent();
        }
    }

    /** Returns the counters of each group so far; empty if there is no group. */
    List<Reading> read() {
        return files.stream().map(ControlGroup::read).toList();
    }

    /** Returns the effect of the limits between two readings, in the group that was stopped most. */
    static Throttle between(List<Reading> before, List<Reading> now, double seconds) {
        Throttle most = Throttle.NONE;
        for (int i = 0; i < Math.min(before.size(), now.size()); i++) {
            long throttled = now.get(i).throttled - before.get(i).throttled;
            long periods = now.get(i).periods - before.get(i).periods;
            double stopped = (now.get(i).nanos - before.get(i).nanos) / 1e9;
            if (throttled > 0 && seconds > 0) {
                double share = Math.min((double) throttled / Math.max(throttled, periods), stopped / seconds);
                if (share > most.share) {
                    most = new Throttle(periods, throttled, share);
                }
            }
        }
        return most;
    }

    private static Reading read(Path file) {
        long periods = 0;
        long throttled = 0;
        long nanos = 0;
        for (String line : lines(file)) {
            String[] parts = line.split(" ", 2);
            long value = parts.length < 2 ? 0 : number(parts[1]);
            switch (parts[0]) {
                case "nr_periods" -> periods = value;
                case "nr_throttled" -> throttled = value;
                case "throttled_usec" -> nanos = value * 1000;
                case "throttled_time" -> nanos = value;
                default -> {
                    // The line is not about limits.
                }
            }
        }
        return new Reading(periods, throttled, nanos);
    }

    private static long number(@Nullable String text) {
        try {
            return text == null ? 0 : Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException | RuntimeException e) {
            return List.of();
        }
    }
}
