package io.brokermeter.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.brokermeter.proc.ProcText;

/**
 * Runs a tool once and measures its processes from outside. CPU time is the user and system time of all processes from start to end, as the
 * kernel adds it to the parent that waited for them; memory is the sum of their peak resident sizes.
 */
final class MeasuredRun {

    /** The exit status of a tool without an end of its own, which the command timeout terminates. */
    private static final int TERMINATED = 143;
    private static final int COMPANION_HEAD_START_SECONDS = 5;

    private final Path work;
    private final Supplier<Stream<ProcessHandle>> broker;
    private final long limitSeconds;

    /**
     * Creates a runner.
     *
     * @param work directory of the file for standard error
     * @param broker returns the processes of the broker
     * @param limitSeconds maximum duration of a run, in seconds
     */
    MeasuredRun(Path work, Supplier<Stream<ProcessHandle>> broker, long limitSeconds) {
        this.work = work;
        this.broker = broker;
        this.limitSeconds = limitSeconds;
    }

    /**
     * Runs a tool, and returns the figures by the names of their rows.
     *
     * @param duration requested duration of the run in seconds; 0 for a number of messages
     */
    Map<String, Double> of(ComparedTool tool, String destination, int duration) throws Exception {
        List<List<String>> besides = tool.companions().apply(destination);
        List<String> command = tool.command().apply(destination);
        // The preparation by the two lines above does not count.
        double cpuBefore = childrenSeconds();
        double brokerBefore = brokerSeconds();
        List<Process> companions = new ArrayList<>();
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        double wall;
        double memory;
        try {
            for (List<String> companion : besides) {
                companions.add(start(companion, new ArrayList<>()));
            }
            if (!companions.isEmpty()) {
                // Companions cannot report when they are ready.
                TimeUnit.SECONDS.sleep(COMPANION_HEAD_START_SECONDS);
            }
            long began = System.nanoTime();
            Process process = start(command, lines);
            List<PeakMemory> peaks = new ArrayList<>();
            Stream.concat(Stream.of(process), companions.stream()).forEach(one -> peaks.add(PeakMemory.watch(one)));
            if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new IllegalStateException("A run did not end within " + limitSeconds + " s: " + command);
            }
            wall = (System.nanoTime() - began) / 1e9;
            if (process.exitValue() != 0 && process.exitValue() != TERMINATED) {
                throw new IllegalStateException("A run failed with " + process.exitValue() + " (see " + work.resolve("stderr.txt")
                    + "): " + command + "\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size())));
            }
            end(companions);
            memory = peaks.stream().mapToDouble(PeakMemory::bytes).sum();
        } finally {
            end(companions);
        }
        OutputReader.Outcome outcome = tool.reader().read(List.copyOf(lines));
        return new Measured(wall, childrenSeconds() - cpuBefore, brokerSeconds() - brokerBefore, memory).figures(outcome, duration);
    }

    /**
     * What was measured of a run from outside.
     *
     * @param wall duration of the command, in seconds
     * @param cpu CPU time of the tool's processes, in seconds
     * @param broker CPU time of the broker's processes meanwhile, in seconds
     * @param memory sum of the peak resident sizes of the tool's processes, in bytes
     */
    record Measured(double wall, double cpu, double broker, double memory) {

        /** Returns the figures of the run by the names of their rows, together with what its tool printed. */
        Map<String, Double> figures(OutputReader.Outcome outcome, int duration) {
            double messages = outcome.messages();
            boolean counted = duration == 0;
            boolean silent = counted && Double.isNaN(outcome.perSecond());
            double perSecond = silent ? messages / wall : outcome.perSecond();
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put(PairedRuns.RATE, perSecond);
            if (counted) {
                // Whatever period the tool's own rate refers to, this rate has the same definition for both.
                figures.put("messages a second of wall time", messages / wall);
            }
            // A tool may handle no message, which is a result as well.
            figures.put(PairedRuns.CPU, messages > 0 ? cpu * 1e6 / messages : Double.NaN);
            figures.put("broker CPU per message, us", messages > 0 ? broker * 1e6 / messages : Double.NaN);
            figures.putAll(outcome.further());
            Double steady = outcome.further().get(OutputReader.MEASURED_CPU);
            if (counted && steady != null) {
                figures.put("client CPU of start and end, s", cpu - steady * messages / 1e6);
            }
            if (counted && !silent) {
                figures.put("start and end, s", wall - messages / perSecond);
            }
            figures.put(counted ? "wall time, s" : "wall time over --duration, s", wall - duration);
            figures.put("peak resident memory, MB", memory / 1e6);
            return figures;
        }
    }

    private double brokerSeconds() {
        return broker.get().mapToDouble(process -> {
            try {
                return ProcText.stat(ProcText.read(Path.of("/proc/" + process.pid() + "/stat"))).cpuSeconds();
            } catch (IOException e) {
                // A helper of the broker that has just ended.
                return 0;
            }
        }).sum();
    }

    private Process start(List<String> command, List<String> lines) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(work.resolve("stderr.txt").toFile()));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("BROKERMETER_PREPARE", "off");
        Process process = builder.start();
        process.getOutputStream().close();
        Thread.ofPlatform().daemon().start(() -> {
            try (var out = process.inputReader(StandardCharsets.UTF_8)) {
                out.lines().forEach(line -> lines.add(line.strip()));
            } catch (IOException | java.io.UncheckedIOException e) {
                // the end of the process closes the pipe
            }
        });
        return process;
    }

    private static void end(List<Process> processes) throws InterruptedException {
        for (Process process : processes) {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                process.waitFor();
            }
        }
    }

    /** Returns the CPU time of all children that this JVM has waited for, with their own children, in seconds. */
    private static double childrenSeconds() throws IOException {
        return ProcText.stat(ProcText.read(Path.of("/proc/self/stat"))).waitedSeconds();
    }

    /** Watches the peak resident size of a process during its life. A shell that starts the process has been replaced by it by then. */
    private static final class PeakMemory {

        private volatile double bytes;

        static PeakMemory watch(Process process) {
            PeakMemory memory = new PeakMemory();
            Thread.ofPlatform().daemon().name("peak-memory").start(() -> memory.look(process));
            return memory;
        }

        double bytes() {
            return bytes;
        }

        private void look(Process process) {
            while (process.isAlive()) {
                Stream.concat(Stream.of(process.toHandle()), process.descendants()).forEach(p -> {
                    try {
                        String status = ProcText.read(Path.of("/proc/" + p.pid() + "/status"));
                        bytes = Math.max(bytes, (double) ProcText.kibibytes(status, "VmHWM"));
                    } catch (IOException e) {
                        // The process has ended.
                    }
                });
                try {
                    TimeUnit.MILLISECONDS.sleep(250);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }
}
