package io.brokermeter.brokers.observe;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;

import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/**
 * A process in {@code /proc}. Another process that gets its id later is not taken for it. Used by one thread.
 */
final class ObservedProcess {

    private final long pid;
    private final Path directory;
    private volatile String name;
    private final long startTicks;
    /** Context switches by thread, as they were last, since the kernel counts them by thread only. */
    private Map<String, long[]> switchesByThread = new HashMap<>();
    private long voluntary;
    private long involuntary;
    private long parent;
    private double waitedSeconds;

    private ObservedProcess(long pid, Path directory, ProcText.Stat stat) {
        this.pid = pid;
        this.directory = directory;
        this.name = stat.name();
        this.startTicks = stat.startTicks();
    }

    /** The process of that id, or null when there is none (or no {@code /proc}). */
    static @Nullable ObservedProcess of(long pid) {
        Path directory = Path.of("/proc", Long.toString(pid));
        try {
            ProcText.Stat stat = ProcText.stat(ProcText.read(directory.resolve("stat")));
            return stat.ended() ? null : new ObservedProcess(pid, directory, stat);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    long pid() {
        return pid;
    }

    /** When it began, by {@link #ticksNow}. */
    long beganTicks() {
        return startTicks;
    }

    /** How long the machine runs, in hundredths of a second; 0 where that is not known, as if every process had begun since. */
    static long ticksNow() {
        try {
            return ProcText.upTicks(ProcText.read(Path.of("/proc/uptime")));
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** The name of its program. */
    String name() {
        return name;
    }

    /** The id of its parent, as of the last reading. */
    long parent() {
        return parent;
    }

    /**
     * CPU time of children that have ended and for which it has waited, and of theirs, as of the last reading. Its own time is without
     * this, while what it has read from and written to disks is with theirs.
     */
    double waitedSeconds() {
        return waitedSeconds;
    }

    /**
     * Reads a handful of small files, one of them for each thread; null when the process is gone. Memory that the process has in common
     * with its parent, of which it is a copy, is not counted when the parent is: Redis saves its data from a copy of itself.
     *
     * @param isCounted whether the process with an id is read and added up beside this one
     */
    @Nullable Reading read(LongPredicate isCounted) {
        try {
            ProcText.Stat stat = ProcText.stat(ProcText.read(directory.resolve("stat")));
            if (stat.ended() || stat.startTicks() != startTicks) {
                return null;
            }
            parent = stat.parent();
            waitedSeconds = stat.waitedSeconds();
            // A shell that starts a program becomes it.
            name = stat.name();
            long now = System.nanoTime();
            long resident = isCounted.test(parent) && isCopyOfItsParent() ? ownBytes() : -1;
            resident = resident >= 0 ? resident : ProcText.kibibytes(ProcText.read(directory.resolve("status")), "VmRSS");
            String io = readIfAllowed("io");
            countSwitches();
            String[] files = new File(directory.toFile(), "fd").list();
            return new Reading(now).set(ProcessFigure.CPU_SECONDS, stat.cpuSeconds()).set(ProcessFigure.RESIDENT_BYTES, resident)
                .set(ProcessFigure.THREADS, stat.threads()).set(ProcessFigure.OPEN_FILES, files == null ? -1 : files.length)
                .set(ProcessFigure.DISK_READ_BYTES, ProcText.number(io, "read_bytes"))
                .set(ProcessFigure.DISK_WRITTEN_BYTES, ProcText.number(io, "write_bytes"))
                .set(ProcessFigure.VOLUNTARY_SWITCHES, voluntary).set(ProcessFigure.INVOLUNTARY_SWITCHES, involuntary);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private boolean isCopyOfItsParent() {
        try {
            return Files.readSymbolicLink(directory.resolve("exe"))
                .equals(Files.readSymbolicLink(directory.resolveSibling(Long.toString(parent)).resolve("exe")));
        } catch (IOException e) {
            return false;
        }
    }

    /** Resident memory that no other process has; -1 when this user may not know. */
    private long ownBytes() {
        String pages = readIfAllowed("smaps_rollup");
        long clean = ProcText.kibibytes(pages, "Private_Clean");
        long dirty = ProcText.kibibytes(pages, "Private_Dirty");
        return clean < 0 || dirty < 0 ? -1 : clean + dirty;
    }

    /** {@code /proc/PID/status}, empty when the process is gone. */
    String status() {
        return readIfAllowed("status");
    }

    /** The arguments, each behind a NUL; empty when they are not to be read. */
    String commandLine() {
        return readIfAllowed("cmdline");
    }

    /** Whether it has mapped a library of that name; null when this user may not know. */
    @Nullable Boolean hasMapped(String library) {
        String maps = readIfAllowed("maps");
        return maps.isEmpty() ? null : maps.contains("/" + library);
    }

    /** A thread that ends between two readings takes its last switches with it. */
    private void countSwitches() {
        String[] threads = new File(directory.toFile(), "task").list();
        if (threads == null) {
            return;
        }
        Map<String, long[]> now = HashMap.newHashMap(threads.length);
        for (String thread : threads) {
            String status = readIfAllowed("task/" + thread + "/status");
            long[] counts = {ProcText.number(status, "voluntary_ctxt_switches"),
                ProcText.number(status, "nonvoluntary_ctxt_switches")};
            if (counts[0] < 0 || counts[1] < 0) {
                continue;
            }
            long[] before = switchesByThread.getOrDefault(thread, new long[2]);
            // A smaller count is that of a new thread with an old id.
            voluntary += counts[0] >= before[0] ? counts[0] - before[0] : counts[0];
            involuntary += counts[1] >= before[1] ? counts[1] - before[1] : counts[1];
            now.put(thread, counts);
        }
        switchesByThread = now;
    }

    private String readIfAllowed(String file) {
        try {
            return ProcText.read(directory.resolve(file));
        } catch (IOException e) {
            return "";
        }
    }
}
