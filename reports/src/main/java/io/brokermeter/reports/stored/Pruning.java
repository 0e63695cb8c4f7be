package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunStore;
import org.jspecify.annotations.Nullable;

/**
 * Determines which kept runs and sweeps are to be deleted. Ages are taken from the names, which state the time (UTC) at which they were
 * created, on whatever machine.
 *
 * @param all number of runs and sweeps that were considered
 * @param bytes size of all of them
 * @param going runs and sweeps to delete, the newest first
 * @param spared those that would be deleted, but may still be written to
 */
public record Pruning(int all, long bytes, List<Going> going, List<Path> spared) {

    /** The time after a write for which a run without a result may still be in progress, also on a file system without locks. */
    private static final Duration FRESH = Duration.ofMinutes(1);

    /**
     * A run or sweep to delete.
     *
     * @param why reason in a few words
     */
    public record Going(Path directory, long bytes, String why) {}

    /**
     * The limits of what is kept; a run is deleted as soon as it exceeds one of them.
     *
     * @param age the greatest age, or null for any
     * @param number the largest number of runs, counted from the newest, or -1 for any
     * @param bytes the largest size of the newest runs together, or -1 for any
     */
    public record Limits(@Nullable Duration age, int number, long bytes) {}

    public Pruning {
        going = List.copyOf(going);
        spared = List.copyOf(spared);
    }

    /**
     * Determines what is to be deleted, and changes nothing.
     *
     * @param newestFirst directories of the store, the newest first
     */
    public static Pruning of(List<Path> newestFirst, Limits limits, Instant now) throws IOException {
        List<Going> going = new ArrayList<>();
        List<Path> spared = new ArrayList<>();
        long all = 0;
        for (int i = 0; i < newestFirst.size(); i++) {
            Path directory = newestFirst.get(i);
            long own = bytes(directory);
            all += own;
            String why = limits.age() != null && RunStore.timeOf(directory).isBefore(now.minus(limits.age())) ? "older"
                : limits.number() >= 0 && i >= limits.number() ? "not among the newest" : limits.bytes() >= 0 && all > limits.bytes()
                    ? "beyond the size" : null;
            if (why != null) {
                if (mayGoOn(directory, now)) {
                    spared.add(directory);
                } else {
                    going.add(new Going(directory, own, why));
                }
            }
        }
        return new Pruning(newestFirst.size(), all, going, spared);
    }

    /** Returns whether a process may still write to a directory. */
    private static boolean mayGoOn(Path directory, Instant now) throws IOException {
        if (StoredSweep.isRunning(directory) || RunDirectory.isRunning(directory)) {
            return true;
        }
        if (Files.exists(directory.resolve(RunDirectory.RESULT)) || StoredSweep.isSweep(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.toList()) {
                if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant().isAfter(now.minus(FRESH))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static long bytes(Path directory) throws IOException {
        long sum = 0;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                sum += Files.size(file);
            }
        }
        return sum;
    }

    /**
     * Deletes a directory with everything in it, unless it is in progress by now. Links are deleted, not their targets.
     *
     * @return whether the directory was deleted
     */
    public static boolean remove(Path directory) throws IOException {
        if (mayGoOn(directory, Instant.now())) {
            return false;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        return true;
    }
}
