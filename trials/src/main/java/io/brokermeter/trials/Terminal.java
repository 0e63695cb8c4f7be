package io.brokermeter.trials;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** The terminal that this program writes to. */
public final class Terminal {

    private static final int USUAL = 80;
    private static final int NARROWEST = 20;
    private static final int WIDEST = 500;
    /** Standard output and standard error. */
    private static final int[] DESCRIPTORS = {1, 2};

    private Terminal() {}

    /** Its width now: what the variable COLUMNS says, else what the terminal says, else 80. Never blocks. */
    public static int columns() {
        String columns = System.getenv("COLUMNS");
        try {
            if (columns != null) {
                return Math.clamp(Integer.parseInt(columns.strip()), NARROWEST, WIDEST);
            }
        } catch (NumberFormatException e) {
            // as if it were not set
        }
        int asked = WindowSize.columns();
        return asked <= 0 ? USUAL : Math.clamp(asked, NARROWEST, WIDEST);
    }

    /** The request TIOCGWINSZ of ioctl(2). */
    private static final class WindowSize {

        private static final long REQUEST = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux") ? 0x5413 : 0x40087468;
        private static final @Nullable MethodHandle IOCTL = ioctl();

        private static @Nullable MethodHandle ioctl() {
            try {
                Linker linker = Linker.nativeLinker();
                return linker.defaultLookup().find("ioctl").map(address -> linker.downcallHandle(address, FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(2))).orElse(null);
            } catch (RuntimeException | LinkageError e) {
                return null;
            }
        }

        /** 0 when there is no terminal or it does not say. */
        static int columns() {
            MethodHandle call = IOCTL;
            if (call == null) {
                return 0;
            }
            try (Arena arena = Arena.ofConfined()) {
                // four numbers of 16 bits: rows, columns, and two of pixels
                MemorySegment size = arena.allocate(8);
                for (int descriptor : DESCRIPTORS) {
                    if ((int) call.invokeExact(descriptor, REQUEST, size) == 0) {
                        return Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 2));
                    }
                }
            } catch (Throwable e) {
                // a terminal of the usual width, then
            }
            return 0;
        }
    }
}
