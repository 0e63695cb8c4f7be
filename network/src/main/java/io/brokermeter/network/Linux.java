package io.brokermeter.network;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** System calls of Linux that the JDK does not offer. Those on namespaces affect the calling thread alone. */
final class Linux {

    /** Whether this system is Linux. */
    static final boolean IS = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux");

    /** The option of a JVM with which this class can read the descriptors of channels. */
    static final String CHANNELS = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    /** The device file that creates network devices whose packets a program reads and writes. */
    static final Path TUN = Path.of("/dev/net/tun");

    /** The option of {@code prctl} that sets the timer slack, from linux/prctl.h. */
    private static final int PR_SET_TIMERSLACK = 29;
    /** The flag for a network namespace, from linux/sched.h. */
    private static final int CLONE_NEWNET = 0x40000000;
    /** The flag that closes a descriptor on exec, from asm-generic/fcntl.h, which x86-64 and AArch64 share: O_RDWR is 2. */
    private static final int O_CLOEXEC = 0x80000;
    /** The error of a call that a signal interrupted, from asm-generic/errno-base.h. */
    private static final int EINTR = 4;
    /** The request that creates a TUN device, from linux/if_tun.h: IP packets without a header of the device's own. */
    private static final long TUNSETIFF = 0x400454caL;
    private static final short IFF_TUN_NO_PI = 0x1001;
    private static final int IFNAMSIZ = 16;
    private static final int IFREQ = 40;
    /** The socket option with the state of a TCP connection, and offsets into its structure, from netinet/tcp.h and linux/tcp.h. */
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int BYTES_ACKED = 120;
    private static final int SND_WND = 228;
    private static final int INFO = SND_WND + Integer.BYTES;

    private Linux() {}

    /** The handles of the system calls, looked up once. */
    private static final class Calls {

        static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
        static final VarHandle ERROR = Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
        static final MethodHandle READ = find("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG), ERRNO);
        static final MethodHandle WRITE = find("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
        static final MethodHandle OPEN = find("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), ERRNO,
            Linker.Option.firstVariadicArg(2));
        static final MethodHandle IOCTL = find("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), ERRNO,
            Linker.Option.firstVariadicArg(2));
        static final MethodHandle UNSHARE = find("unshare", FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);
        static final MethodHandle SETNS = find("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), ERRNO);
        static final MethodHandle GETSOCKOPT =
            find("getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
        static final MethodHandle STRERROR = find("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));
        static final MethodHandle CLOSE = find("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

        private Calls() {}
    }

    static MethodHandle find(String name, FunctionDescriptor form, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), form, options);
    }

    /** Makes the kernel wake this thread at the requested moment, not up to 50 microseconds later, where that is possible. */
    static void lowerTimerSlack() {
        if (!IS) {
            return;
        }
        try {
            MethodHandle prctl = find("prctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
            int unused = (int) prctl.invokeExact(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
        } catch (Throwable e) {
            // wake-ups are later then, which shows in what is measured
        }
    }

    /** Detaches this process from its terminal, so that signals of the terminal do not reach it; does nothing where that is impossible. */
    static void leaveTheTerminal() {
        try {
            int unused = (int) find("setsid", FunctionDescriptor.of(JAVA_INT)).invokeExact();
        } catch (Throwable e) {
            // Ctrl-C then ends this process earlier than its parent would
        }
    }

    /**
     * Replaces the program of this process by another one; process id, environment and streams stay. Does not return when it succeeds.
     *
     * @param command a program on the PATH, and its arguments
     * @throws IOException when the kernel refuses; this program goes on unchanged then
     */
    static void become(List<String> command) throws IOException {
        checked(command.getFirst(), (arena, state) -> {
            MemorySegment words = arena.allocate(ADDRESS, command.size() + 1L);
            for (int i = 0; i < command.size(); i++) {
                words.setAtIndex(ADDRESS, i, arena.allocateFrom(command.get(i)));
            }
            return (int) find("execvp", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS), Calls.ERRNO)
                .invokeExact(state, words.getAtIndex(ADDRESS, 0), words);
        });
    }

    /** A system call that may fail; its result is negative then. */
    private interface Call {
        int of(Arena arena, MemorySegment state) throws Throwable;
    }

    private static int checked(String what, Call call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
            int result = call.of(arena, state);
            if (result < 0) {
                throw new IOException(what + ": " + reason((int) Calls.ERROR.get(state, 0L)));
            }
            return result;
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(what + ": " + e.getMessage(), e);
        }
    }

    private static String reason(int error) throws Throwable {
        MemorySegment text = (MemorySegment) Calls.STRERROR.invokeExact(error);
        return text.reinterpret(1_024).getString(0);
    }

    /** Opens a file for reading, or for reading and writing, and returns its descriptor. */
    static int open(String path, boolean writes) throws IOException {
        return checked(path, (arena, state) -> (int) Calls.OPEN.invokeExact(state, arena.allocateFrom(path),
            O_CLOEXEC | (writes ? 2 : 0)));
    }

    static void close(int descriptor) {
        try {
            int unused = (int) Calls.CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            // it is closed when the process ends
        }
    }

    /** Creates a TUN device in the namespace of this thread, and returns its descriptor; the device exists until that is closed. */
    static int tun(String name) throws IOException {
        int descriptor = open(TUN.toString(), true);
        try {
            checked("The network device " + name, (arena, state) -> {
                MemorySegment request = arena.allocate(IFREQ);
                request.setString(0, name);
                request.set(JAVA_SHORT, IFNAMSIZ, IFF_TUN_NO_PI);
                return (int) Calls.IOCTL.invokeExact(state, descriptor, TUNSETIFF, request);
            });
            return descriptor;
        } catch (IOException e) {
            close(descriptor);
            throw e;
        }
    }

    /** Moves this thread, and those that it starts, into a new network namespace. */
    static void unshareNetwork() throws IOException {
        checked("A network namespace", (_, state) -> (int) Calls.UNSHARE.invokeExact(state, CLONE_NEWNET));
    }

    /** Moves this thread, and those that it starts, into the network namespace of a descriptor. */
    static void enterNetwork(int descriptor) throws IOException {
        checked("A network namespace", (_, state) -> (int) Calls.SETNS.invokeExact(state, descriptor, CLONE_NEWNET));
    }

    /** Allocates the memory for the kernel's error of a failed {@link #read}; each thread that reads needs its own. */
    static MemorySegment reasons() {
        return Arena.global().allocate(Linker.Option.captureStateLayout());
    }

    /**
     * Reads a packet. Blocks until there is one.
     *
     * @param reasons this thread's memory from {@link #reasons()}
     * @return length of the packet in bytes
     * @throws IOException with the kernel's reason, when the read fails or the device has ended
     */
    static int read(int descriptor, MemorySegment to, long most, MemorySegment reasons) throws IOException {
        try {
            while (true) {
                int length = (int) (long) Calls.READ.invokeExact(reasons, descriptor, to, most);
                if (length > 0) {
                    return length;
                }
                int error = length == 0 ? 0 : (int) Calls.ERROR.get(reasons, 0L);
                if (error != EINTR) {
                    throw new IOException(length == 0 ? "it has ended" : reason(error));
                }
            }
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a packet, and returns the number of bytes written; less than {@code length} when the device does not take the packet. */
    static int write(int descriptor, MemorySegment from, long length) {
        try {
            return (int) (long) Calls.WRITE.invokeExact(descriptor, from, length);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Memory for what the kernel reports of a connection. Each proxy of a process has a loop of its own, which asks for it. */
    private static final class Info {

        static final ThreadLocal<Info> OF_THREAD = ThreadLocal.withInitial(Info::new);

        final MemorySegment answer = Arena.ofAuto().allocate(INFO, Long.BYTES);
        final MemorySegment length = Arena.ofAuto().allocate(JAVA_INT);
    }

    /** Returns whether {@link #descriptor} and {@link #advertised} work on this machine; called once, before there is a proxy. */
    static boolean tellsWindows() {
        try (SocketChannel probe = SocketChannel.open()) {
            int descriptor = descriptor(probe);
            return descriptor >= 0 && advertised(descriptor) >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the descriptor of a channel; -1 on other systems, and where this JVM was not started with {@link #CHANNELS}. */
    static int descriptor(SocketChannel channel) {
        if (!IS) {
            return -1;
        }
        try {
            return (int) Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal").invoke(channel);
        } catch (ReflectiveOperationException e) {
            return -1;
        }
    }

    /**
     * Returns the position in the stream sent by this end of a connection up to which the other end has room: the number of bytes that it
     * has acknowledged, plus its window.
     *
     * @return that position, or -1 where the kernel does not report it; Linux does since 5.4
     */
    static long advertised(int descriptor) {
        try {
            Info info = Info.OF_THREAD.get();
            info.length.set(JAVA_INT, 0, INFO);
            int failed = (int) Calls.GETSOCKOPT.invokeExact(descriptor, IPPROTO_TCP, TCP_INFO, info.answer, info.length);
            return failed != 0 || info.length.get(JAVA_INT, 0) < INFO ? -1
                : info.answer.get(JAVA_LONG, BYTES_ACKED) + Integer.toUnsignedLong(info.answer.get(JAVA_INT, SND_WND));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
