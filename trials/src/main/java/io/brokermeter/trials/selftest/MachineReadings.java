package io.brokermeter.trials.selftest;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.brokermeter.engine.health.GeneratorReading;
import io.brokermeter.proc.ProcText;
import io.brokermeter.reports.Amounts;
import org.jspecify.annotations.Nullable;

/** The counters of the machine over the whole self-test, and what its kernel says of itself. Used by one thread. */
final class MachineReadings {

    private static final double NOTABLE_PERCENT = 1;
    private static final double BUSY_PERCENT = 25;
    /** The deviation of the wall clock from the monotonic one, in milliseconds, that no slewing by NTP explains in a minute. */
    private static final double STEP_MILLIS = 60;
    private static final double SLOW_NANOS = 1_000;
    private static final int READINGS = 200_000;
    private static final Path CPU = Path.of("/sys/devices/system/cpu/cpu0");
    private static final int RUSAGE_BYTES = 256;
    /** The offset of {@code ru_nivcsw} in the 64-bit struct of getrusage(2). */
    private static final int INVOLUNTARY = 136;

    private final long began = System.nanoTime();
    private final long apart = apart();
    private final ProcText.@Nullable Processors first = processors();
    private final double firstCpu = GeneratorReading.cpuOnly().cpuSeconds();
    private final long firstSwitches = involuntarySwitches();
    private double largestStep;

    /** Compares the wall clock with the monotonic one. */
    void look() {
        largestStep = Math.max(largestStep, Math.abs(apart() - apart) / 1e6);
    }

    double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    private static long apart() {
        Instant wall = Instant.now();
        return wall.getEpochSecond() * 1_000_000_000L + wall.getNano() - System.nanoTime();
    }

    /**
     * Reads the clock many times.
     *
     * @param reading how long a reading takes, in nanoseconds
     */
    SelfTestLine clock(String source, double reading) {
        long step = Long.MAX_VALUE;
        boolean back = false;
        long before = System.nanoTime();
        for (int i = 0; i < READINGS; i++) {
            long now = System.nanoTime();
            back |= now < before;
            step = now > before ? Math.min(step, now - before) : step;
            before = now;
        }
        look();
        boolean stepped = largestStep > STEP_MILLIS;
        double exact = 2 * Math.max((double) step, reading);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("source", source);
        figures.put("readingNanos", reading);
        figures.put("resolutionNanos", step);
        figures.put("wentBack", back);
        figures.put("wallClockMovedMillis", largestStep);
        return SelfTestLine.of("clock", back ? SelfTestLine.Grade.WRONG
            : stepped || exact > 2 * SLOW_NANOS ? SelfTestLine.Grade.DOUBTFUL : SelfTestLine.Grade.OK,
            String.format(Locale.ROOT, "%s%s a reading, resolution %d ns, %s", source.isEmpty() ? "" : source + ", ",
                Amounts.time(reading / 1e3), step, back ? "and it went back" : "never back"),
            stepped
                ? "the wall clock was set by " + Amounts.time(largestStep * 1e3) + ": processes that start before and after do not agree"
                : "times are exact to " + Amounts.time(exact / 1e3),
            figures);
    }

    /** Returns what other programs used of the processors since this object was created; -1 if unknown. */
    double othersPercent() {
        ProcText.Processors now = processors();
        double cpu = GeneratorReading.cpuOnly().cpuSeconds();
        return first == null || now == null || cpu < 0 ? -1
            : Math.max(0, now.busyPercent(first, seconds()) - 100 * (cpu - firstCpu) / seconds() / now.count());
    }

    /** @param throttledPercent the largest share of the time for which a CPU limit stopped a run */
    SelfTestLine kernel(double throttledPercent) {
        ProcText.Processors now = processors();
        double stolen = first == null || now == null ? -1 : now.stolenPercent(first, seconds());
        double others = othersPercent();
        double switches = firstSwitches < 0 ? -1 : (involuntarySwitches() - firstSwitches) / seconds();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("stealPercent", stolen);
        figures.put("throttledPercent", throttledPercent);
        figures.put("othersPercent", others);
        figures.put("involuntarySwitchesPerSecond", switches);
        List<String> taken = new ArrayList<>();
        taken.add(stolen < 0 ? "steal unknown" : "steal " + Amounts.percent(stolen));
        taken.add("CPU limit " + Amounts.percent(throttledPercent));
        taken.add(others < 0 ? "other programs unknown" : "other programs " + Amounts.percent(others) + " of the processors");
        if (switches >= 0) {
            taken.add(Amounts.number(switches) + " involuntary switches/s");
        }
        governor().ifPresent(governor -> {
            taken.add("governor " + governor);
            figures.put("governor", governor);
        });
        deepestSleep().ifPresent(state -> {
            taken.add("sleeps down to " + state);
            figures.put("deepestSleep", state);
        });
        boolean disturbed = stolen > NOTABLE_PERCENT || throttledPercent > NOTABLE_PERCENT || others > BUSY_PERCENT;
        return SelfTestLine.of("machine", disturbed ? SelfTestLine.Grade.DOUBTFUL : SelfTestLine.Grade.OK, String.join(", ", taken),
            disturbed ? "what is taken away shows as slow messages: free the machine, or use another" : "nothing takes processors away",
            figures);
    }

    private static ProcText.@Nullable Processors processors() {
        try {
            return ProcText.processors(ProcText.read(Path.of("/proc/stat")));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static Optional<String> governor() {
        return text(CPU.resolve("cpufreq/scaling_governor"));
    }

    /** Returns the deepest state of sleep that a processor may enter, with the time that it takes to wake from there. */
    private static Optional<String> deepestSleep() {
        try (Stream<Path> states = Files.list(CPU.resolve("cpuidle"))) {
            return states.filter(state -> text(state.resolve("disable")).orElse("0").equals("0"))
                .max((one, other) -> Long.compare(latency(one), latency(other)))
                .map(state -> text(state.resolve("name")).orElse("?") + " (" + latency(state) + " us)");
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static long latency(Path state) {
        return text(state.resolve("latency")).filter(text -> text.matches("\\d{1,9}")).map(Long::parseLong).orElse(0L);
    }

    private static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file).strip()).filter(text -> !text.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns how often a processor was taken from a thread of this process, ended ones included; -1 if unknown. */
    private static long involuntarySwitches() {
        if (!Files.exists(Path.of("/proc/self"))) {
            return -1;
        }
        try (Arena arena = Arena.ofConfined()) {
            Linker linker = Linker.nativeLinker();
            MethodHandle getrusage = linker.downcallHandle(linker.defaultLookup().find("getrusage").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
            MemorySegment usage = arena.allocate(RUSAGE_BYTES, Long.BYTES);
            return (int) getrusage.invokeExact(0, usage) == 0 ? usage.get(ValueLayout.JAVA_LONG, INVOLUNTARY) : -1;
        } catch (Throwable e) {
            return -1;
        }
    }
}
