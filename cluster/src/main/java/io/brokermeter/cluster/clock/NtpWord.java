package io.brokermeter.cluster.clock;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * What this machine's NTP daemon says of its own wall clock. No measurement uses it: it is shown beside the probes when it contradicts them.
 *
 * @param source the daemon's source, as it calls it
 * @param bound how far the wall clock is from true time at most, by its own word, nanoseconds: its offset, root dispersion and half the root delay
 */
public record NtpWord(String source, long bound) {

    private static final List<String> PLACES = List.of("/usr/bin/chronyc", "/usr/sbin/chronyc", "/usr/local/bin/chronyc");
    private static final long LIMIT_SECONDS = 2;
    private static final int MOST_BYTES = 4_096;
    private static final int FIELDS = 14;
    private static final int NAME = 1;
    private static final int OFFSET = 4;
    private static final int ROOT_DELAY = 10;
    private static final int ROOT_DISPERSION = 11;
    private static final int LEAP = 13;
    private static final int READINGS = 50;

    /** Asks chrony once; takes at most two seconds. Null when it is not there, does not answer or is not synchronised. */
    public static @Nullable NtpWord read() {
        for (String place : PLACES) {
            if (Files.isExecutable(Path.of(place))) {
                return read(List.of(place, "-c", "-n", "tracking"));
            }
        }
        return null;
    }

    static @Nullable NtpWord read(List<String> command) {
        Process process = null;
        try {
            process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            process.getOutputStream().close();
            // It writes one line, which fits the pipe.
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                return null;
            }
            return parse(new String(process.getInputStream().readNBytes(MOST_BYTES), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }

    /** Reads the line of {@code chronyc -c tracking}; null for anything else, or when it is not synchronised. */
    static @Nullable NtpWord parse(String text) {
        String[] fields = text.strip().split(",", -1);
        if (fields.length != FIELDS || fields[LEAP].startsWith("Not") || fields[NAME].isEmpty()) {
            return null;
        }
        try {
            double seconds = Math.abs(Double.parseDouble(fields[OFFSET])) + Double.parseDouble(fields[ROOT_DISPERSION])
                + Double.parseDouble(fields[ROOT_DELAY]) / 2;
            return seconds >= 0 && seconds < 1e6 ? new NtpWord(fields[NAME], (long) Math.ceil(seconds * 1e9)) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** What the wall clock shows more than {@link System#nanoTime()}, nanoseconds since the epoch; of some readings the closest. */
    public static long wallZero() {
        long best = Long.MAX_VALUE;
        long zero = 0;
        for (int i = 0; i < READINGS; i++) {
            long before = System.nanoTime();
            Instant wall = Instant.now();
            long after = System.nanoTime();
            if (after - before < best) {
                best = after - before;
                zero = wall.getEpochSecond() * 1_000_000_000L + wall.getNano() - (before + best / 2);
            }
        }
        return zero;
    }

    /**
     * Holds the word of both machines against the probes.
     *
     * @param agent what the agent's daemon says
     * @param coordinator what the coordinator's says
     * @param offset what the probes say
     * @param agentZero {@link #wallZero()} of the agent, read when the offset was
     * @param coordinatorZero that of the coordinator
     * @return one sentence, or null when they agree
     */
    public static @Nullable String contradiction(NtpWord agent, NtpWord coordinator, Offset offset, long agentZero, long coordinatorZero) {
        long apart = agentZero - coordinatorZero + offset.offset();
        if (Math.abs(apart) - offset.bound() <= agent.bound + coordinator.bound) {
            return null;
        }
        return String.format(Locale.ROOT,
            "NTP says that the wall clocks of both machines are within %.3f ms of each other (sources %s and %s), "
                + "but by the probes they are %.3f ms (+-%.3f ms) apart. The probes are right if the clocks run straight; the run uses them alone.",
            (agent.bound + coordinator.bound) / 1e6, agent.source, coordinator.source, apart / 1e6, offset.bound() / 1e6);
    }
}
