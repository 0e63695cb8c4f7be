package io.brokermeter.trials;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.reports.screen.ScreenStyle;
import io.brokermeter.reports.screen.StatusLine;
import org.jspecify.annotations.Nullable;

/** The terminal to which this program writes. */
public final class Terminal {

    private static final int USUAL = 80;
    private static final int NARROWEST = 20;
    private static final int WIDEST = 500;
    private static final int LINES = 24;
    /** The descriptors of standard output and standard error. */
    private static final int[] DESCRIPTORS = {1, 2};

    private Terminal() {}

    /** Returns the current width in columns: what the variable COLUMNS says, else what the terminal reports, else 80. Never blocks. */
    public static int columns() {
        String columns = System.getenv("COLUMNS");
        try {
            if (columns != null) {
                return Math.clamp(Integer.parseInt(columns.strip()), NARROWEST, WIDEST);
            }
        } catch (NumberFormatException e) {
            // as if the variable were not set
        }
        int asked = WindowSize.columns();
        return asked <= 0 ? USUAL : Math.clamp(asked, NARROWEST, WIDEST);
    }

    /** Returns whether standard output is a terminal. */
    public static boolean isOutput() {
        return WindowSize.of(1) != null;
    }

    /**
     * Returns the style of standard output: its size, colours unless NO_COLOR or TERM forbid them, and block elements where its encoding
     * has them. When it is no terminal, the style has no colours and the width of {@link #columns}.
     *
     * @param environment the environment of this process
     */
    public static ScreenStyle style(Map<String, String> environment) {
        int[] size = WindowSize.of(1);
        boolean able = size != null && StatusLine.goesBack(environment);
        boolean colour = able && environment.getOrDefault("NO_COLOR", "").isEmpty();
        boolean blocks = able && System.getProperty("stdout.encoding", "").toUpperCase(Locale.ROOT).replace("-", "").equals("UTF8");
        return new ScreenStyle(columns(), size == null || size[0] == 0 ? LINES : size[0], colour, blocks);
    }

    /** Returns the kind of status line that suits this process: none unless standard input and standard output are a terminal. */
    public static StatusLine statusLine() {
        return StatusLine.of(System.console() != null && System.console().isTerminal(), System.getenv());
    }

    /** Queries the size of a terminal, by the request TIOCGWINSZ of ioctl(2). */
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

        /** Returns the width of the terminal in columns, 0 when there is none or it does not report its width. */
        static int columns() {
            for (int descriptor : DESCRIPTORS) {
                int[] size = of(descriptor);
                if (size != null) {
                    return size[1];
                }
            }
            return 0;
        }

        /**
         * Returns the rows and columns of the terminal behind a descriptor, 0 where it does not report them; null when it is no terminal.
         */
        static int @Nullable [] of(int descriptor) {
            MethodHandle call = IOCTL;
            if (call == null) {
                return null;
            }
            try (Arena arena = Arena.ofConfined()) {
                // four numbers of 16 bits: rows, columns, and two of pixels
                MemorySegment size = arena.allocate(8);
                return (int) call.invokeExact(descriptor, REQUEST, size) != 0 ? null
                    : new int[] {Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 0)),
                        Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, 2))};
            } catch (Throwable e) {
                return null;
            }
        }
    }
}
