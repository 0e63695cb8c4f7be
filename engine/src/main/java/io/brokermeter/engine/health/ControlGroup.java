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
 * How the CPU limits of the control groups stop this process: those of its group and of each group above it, version 1 and 2. Where
 * a container sees its own group as the root, the path in /proc does not exist, and the root is taken.
 */
final class ControlGroup {

    /**
     * How often a limit stopped the group, of the group where it did most; added up since the group was made.
     *
     * @param periods periods in which a limit was looked at
     * @param throttled those in which it was reached
     * @param nanos how long, every processor counted for itself
     */
    record Reading(long periods, long throttled, long nanos) {
        static final Reading NONE = new Reading(0, 0, 0);
    }

    /**
     * The same over a stretch of time.
     *
     * @param share the time stopped over the time; at most the share of the periods in which the limit was reached, since the kernel
     *     adds the processors up
     */
    record Throttle(long periods, long throttled, double share) {
        static final Throttle NONE = new Throttle(0, 0, 0);
    }

    private final List<Path> files;

    /** The groups of this process. */
    static ControlGroup own() {
        return new ControlGroup(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
    }

    /**
     * Groups that have a CPU limit.
     *
     * @param membership the file with the groups that a process is in
     * @param root where control groups are mounted
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

    /** What the limits did so far, of each group; nothing where there is none. */
    List<Reading> read() {
        return files.stream().map(ControlGroup::read).toList();
    }

    /** What happened between two readings, in the group that was stopped most. */
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
                    // Not about limits.
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
