package io.brokermeter.engine.pacing;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Requests to the kernel that Java does not offer. All methods concern the calling thread, work on Linux, and return a
 * reason elsewhere.
 */
public final class NativeThread {

    /** The option of prctl that sets the timer slack, from linux/prctl.h. */
    private static final int PR_SET_TIMERSLACK = 29;
    /** The policy of real-time scheduling, from linux/sched.h. */
    private static final int SCHED_FIFO = 1;
    private static final boolean LINUX = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux");

    private NativeThread() {}

    /**
     * Makes the kernel wake this thread at the requested moment instead of up to 50 microseconds later.
     *
     * @return empty if that was done, otherwise the reason why not
     */
    public static Optional<String> lowerTimerSlack() {
        if (!LINUX) {
            return Optional.of("timer slack can be lowered on Linux only");
        }
        try {
            Linker linker = Linker.nativeLinker();
            MethodHandle prctl = linker.downcallHandle(
                linker.defaultLookup().find("prctl").orElseThrow(),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
            int rc = (int) prctl.invokeExact(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
            return rc == 0 ? Optional.empty() : through(Path.of("/proc"));
        } catch (Throwable e) {
            return through(Path.of("/proc"));
        }
    }

    /** Lowers the timer slack through the thread's own file in /proc, for a JVM that forbids native calls. */
    static Optional<String> through(Path proc) {
        try {
            String thread = Files.readSymbolicLink(proc.resolve("thread-self")).getFileName().toString();
            Files.writeString(proc.resolve(thread).resolve("timerslack_ns"), "1");
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.of("timer slack stays at its default: " + e.getMessage());
        }
    }

    /**
     * Asks for real-time scheduling at the lowest real-time priority, above every ordinary thread of the machine.
     *
     * @return empty if that was granted, otherwise the reason why not
     */
    public static Optional<String> realtime() {
        if (!LINUX) {
            return Optional.of("real-time scheduling is asked for on Linux only");
        }
        try (Arena arena = Arena.ofConfined()) {
            Linker linker = Linker.nativeLinker();
            MethodHandle set = linker.downcallHandle(
                linker.defaultLookup().find("sched_setscheduler").orElseThrow(),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ValueLayout.ADDRESS));
            MemorySegment param = arena.allocate(MemoryLayout.structLayout(JAVA_INT));
            param.set(JAVA_INT, 0, 1);
            int rc = (int) set.invokeExact(0, SCHED_FIFO, param);
            return rc == 0 ? Optional.empty()
                : Optional.of("the kernel refused real-time scheduling (needs CAP_SYS_NICE or an rtprio limit)");
        } catch (Throwable e) {
            return Optional.of("real-time scheduling could not be asked for: " + e.getMessage());
        }
    }
}
