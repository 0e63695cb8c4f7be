package io.brokermeter.trials.selftest;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.brokermeter.engine.recording.Distribution;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A capture of the connections to a port of the loopback interface by tshark. The kernel stamps a packet when the interface takes it, in
 * the middle of the writer's call; the time of a message on the wire is from its first packet towards the port to its first one from there.
 */
final class WireCapture implements AutoCloseable {

    private static final long START_SECONDS = 15;
    private static final long END_SECONDS = 10;

    private final int port;
    private final Process process;
    private final Thread reader;
    /** The times of packets towards the port that did not come back yet, in nanoseconds, by their bytes. */
    private final Map<String, Long> sent = new HashMap<>();
    private final Histogram times = Distribution.empty();
    private final StringBuilder said = new StringBuilder();
    private volatile boolean captures;

    private WireCapture(int port, Process process) {
        this.port = port;
        this.process = process;
        Thread.ofPlatform().daemon().name("brokermeter-tshark-says").start(this::listen);
        reader = Thread.ofPlatform().daemon().name("brokermeter-tshark").start(this::read);
    }

    /** Starts a capture; empty if tshark is not installed. Blocks until tshark captures or has ended. */
    static Optional<WireCapture> start(int port) throws InterruptedException {
        WireCapture capture;
        try {
            capture = new WireCapture(port, new ProcessBuilder(List.of("tshark", "-n", "-l", "-i", "lo", "-s", "600", "-f",
                "tcp port " + port, "-Y", "tcp.len > 0", "-T", "fields", "-e", "frame.time_epoch", "-e", "tcp.dstport", "-e",
                "tcp.payload")).start());
        } catch (IOException e) {
            return Optional.empty();
        }
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!capture.captures && capture.process.isAlive() && System.nanoTime() < limit) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return Optional.of(capture);
    }

    private void listen() {
        try (BufferedReader lines = process.errorReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (said) {
                    said.append(said.isEmpty() ? "" : " ").append(line.strip());
                }
                captures |= line.startsWith("Capturing on");
            }
        } catch (IOException e) {
            // It has ended.
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split("\t", -1);
                if (fields.length == 3 && !fields[2].isEmpty()) {
                    packet(nanos(fields[0]), fields[1].equals(String.valueOf(port)), fields[2]);
                }
            }
        } catch (IOException | NumberFormatException e) {
            // What was read until then counts.
        }
    }

    private void packet(long at, boolean there, String payload) {
        if (there) {
            sent.putIfAbsent(payload, at);
        } else {
            Long before = sent.remove(payload);
            if (before != null && at >= before) {
                times.recordValue(Math.min(Math.max(1, at - before), times.getHighestTrackableValue()));
            }
        }
    }

    /** Returns seconds since the epoch with up to nine digits behind the point, in nanoseconds. */
    private static long nanos(String seconds) {
        int point = seconds.indexOf('.');
        return Long.parseLong(seconds.substring(0, point)) * 1_000_000_000L
            + Long.parseLong((seconds.substring(point + 1) + "000000000").substring(0, 9));
    }

    /** Ends the capture and returns the times on the wire; null if nothing was captured. Blocks for some seconds at most. */
    @Nullable Distribution end() throws InterruptedException {
        // It writes what it still holds, and then ends.
        process.destroy();
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        reader.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
        return times.getTotalCount() == 0 ? null : new Distribution(times, 0, 0);
    }

    /** Returns what tshark said, such as why it may not capture. */
    String said() {
        synchronized (said) {
            return said.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
