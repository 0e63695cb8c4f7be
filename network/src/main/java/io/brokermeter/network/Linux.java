package io.brokermeter.network;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/** What Java does not let a program ask of the kernel of Linux. */
final class Linux {

    /** Whether this is Linux. */
    static final boolean IS = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux");

    /** From linux/prctl.h. */
    private static final int PR_SET_TIMERSLACK = 29;

    private Linux() {}

    /** Lets the kernel wake this thread at the moment it asked for instead of up to 50 microseconds later, where it can be asked. */
    static void lowerTimerSlack() {
        if (!IS) {
            return;
        }
        try {
            MethodHandle prctl = find("prctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
            int unused = (int) prctl.invokeExact(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
        } catch (Throwable e) {
            // what is measured with it tells
        }
    }

    static MethodHandle find(String name, FunctionDescriptor form, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), form, options);
    }
}
