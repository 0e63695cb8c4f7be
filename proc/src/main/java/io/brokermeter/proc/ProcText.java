package io.brokermeter.proc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Parses the texts of files below {@code /proc}, as proc(5) describes them. */
public final class ProcText {

    // USER_HZ is 100 on every architecture that a JDK 25 runs on; /proc counts in it whatever the kernel's own HZ.
    private static final double TICKS_PER_SECOND = 100;
    private static final String LISTENING = "0A";
    private static final int SIGQUIT = 3;
    /** Indexes of the fields in a line of {@code /proc/net/tcp}. */
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int UID = 7;
    private static final int INODE = 9;
    private static final Pattern SOCKET = Pattern.compile("socket:\\[([0-9]+)]");

    private ProcText() {}

    /** The content of {@code /proc/PID/stat}. Its methods throw a RuntimeException if the text has another form. */
    public static final class Stat {

        private final String name;
        /** The fields from the state on, which is the third one in proc(5). */
        private final String[] fields;

        private Stat(String text) {
            // The second field is the program in parentheses, and may itself contain blanks and parentheses.
            int close = text.lastIndexOf(')');
            this.name = text.substring(text.indexOf('(') + 1, close);
            this.fields = text.substring(close + 2).trim().split(" ");
        }

        /** Returns the name of the program, at most its first 15 bytes. */
        public String name() {
            return name;
        }

        /** Returns the state as a letter; Z and X are processes that have ended, T and t those that a signal or a debugger stopped. */
        public char state() {
            return fields[0].charAt(0);
        }

        public boolean ended() {
            return state() == 'Z' || state() == 'X';
        }

        /** Returns the id of the parent process. */
        public long parent() {
            return Long.parseLong(fields[1]);
        }

        /** Returns the user and system time of all threads of the process, ended ones included, in seconds. */
        public double cpuSeconds() {
            return seconds(11) + seconds(12);
        }

        /**
         * Returns the user and system time of children that have ended and were waited for, and of their own such children, in seconds.
         */
        public double waitedSeconds() {
            return seconds(13) + seconds(14);
        }

        public int threads() {
            return Integer.parseInt(fields[17]);
        }

        /** Returns the start of the process, in hundredths of a second since boot, which together with the id identifies the process. */
        public long startTicks() {
            return Long.parseLong(fields[19]);
        }

        private double seconds(int field) {
            return Long.parseLong(fields[field]) / TICKS_PER_SECOND;
        }
    }

    /** Returns the whole of a file. Names of programs may have any bytes, which must not make reading fail. */
    public static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    /** @throws RuntimeException if it is not the text of a {@code /proc/PID/stat} */
    public static Stat stat(String text) {
        return new Stat(text);
    }

    /** Returns the state of a process as {@link Stat#state} does; {@code ?} if the process is gone, and where there is no such file. */
    public static char state(long pid) {
        try {
            return stat(read(Path.of("/proc", Long.toString(pid), "stat"))).state();
        } catch (IOException | RuntimeException e) {
            return '?';
        }
    }

    /**
     * Returns the time since boot from a {@code /proc/uptime}, in hundredths of a second as {@link Stat#startTicks}.
     *
     * @throws RuntimeException if the text has another form
     */
    public static long upTicks(String text) {
        return Math.round(Double.parseDouble(text.substring(0, text.indexOf(' '))) * TICKS_PER_SECOND);
    }

    /**
     * The processors of the machine, from {@code /proc/stat}.
     *
     * @param idle time without work, waits for a disk included, summed over all processors since boot, in seconds
     * @param stolen time for which a hypervisor kept the processors from running, summed in the same way, in seconds
     * @param count number of processors online
     */
    public record Processors(double idle, double stolen, int count) {

        /**
         * Returns the percentage of the time since {@code earlier} in which the processors were not idle. Takes the length of that time
         * from the clock, and not from the sum of all states: the kernel measures idle time where it stops the tick, but samples the time
         * of a running program at each tick, and work between two ticks is missing from the sum.
         */
        public double busyPercent(Processors earlier, double seconds) {
            return Math.clamp(100 * (1 - (idle - earlier.idle) / seconds / count), 0, 100);
        }

        /** Returns the percentage of the time since {@code earlier} that the hypervisor took. */
        public double stolenPercent(Processors earlier, double seconds) {
            return Math.clamp(100 * (stolen - earlier.stolen) / seconds / count, 0, 100);
        }
    }

    /** @throws RuntimeException if it is not the text of a {@code /proc/stat} */
    public static Processors processors(String text) {
        String[] fields = text.lines().findFirst().orElse("").trim().split(" +");
        if (!fields[0].equals("cpu")) {
            throw new IllegalArgumentException("no line of all processors");
        }
        return new Processors((Long.parseLong(fields[4]) + Long.parseLong(fields[5])) / TICKS_PER_SECOND,
            Long.parseLong(fields[8]) / TICKS_PER_SECOND, (int) text.lines().filter(line -> line.matches("cpu\\d.*")).count());
    }

    /** Returns the name of the first processor in {@code /proc/cpuinfo}; empty on an architecture that gives none. */
    public static Optional<String> cpuModel(String text) {
        return text.lines().filter(line -> line.startsWith("model name")).findFirst()
            .map(line -> line.substring(line.indexOf(':') + 1).strip());
    }

    /**
     * A control group of a process.
     *
     * @param controllers controllers of the group in version 1, with commas between; empty in version 2, where one group has all of them
     * @param path path from the root of the groups
     */
    public record Group(String controllers, String path) {

        /** Returns whether the group is one of version 2. */
        public boolean isUnified() {
            return controllers.isEmpty();
        }
    }

    /** Parses a line of {@code /proc/PID/cgroup}; returns empty if it has another form. */
    public static Optional<Group> group(String line) {
        String[] parts = line.split(":", 3);
        return parts.length == 3 ? Optional.of(new Group(parts[1], parts[2])) : Optional.empty();
    }

    /** Returns the number behind {@code key:} at the beginning of a line, in the unit of the text; -1 if there is none. */
    public static long number(String text, String key) {
        int at = text.startsWith(key + ":") ? 0 : text.indexOf("\n" + key + ":") + 1;
        if (at == 0 && !text.startsWith(key + ":")) {
            return -1;
        }
        int i = at + key.length() + 1;
        while (i < text.length() && (text.charAt(i) == ' ' || text.charAt(i) == '\t')) {
            i++;
        }
        int begin = i;
        long number = 0;
        while (i < text.length() && Character.isDigit(text.charAt(i))) {
            number = number * 10 + text.charAt(i) - '0';
            i++;
        }
        return i == begin ? -1 : number;
    }

    /** Returns the number behind {@code key:}, which the text gives in units of 1024 bytes, in bytes; -1 if there is none. */
    public static long kibibytes(String text, String key) {
        long number = number(text, key);
        return number < 0 ? -1 : number * 1024;
    }

    /**
     * Returns a set of small numbers in {@code /proc/PID/status}, such as signals or capabilities.
     *
     * @return one bit for each number; 0 if there is no such line
     */
    public static long mask(String status, String key) {
        return status.lines().filter(line -> line.startsWith(key + ":"))
            .mapToLong(line -> Long.parseUnsignedLong(line.substring(key.length() + 1).strip(), 16)).findFirst().orElse(0);
    }

    /** Returns whether a {@code /proc/PID/status} shows that the process handles SIGQUIT, which would end it otherwise. */
    public static boolean catchesQuit(String status) {
        return (mask(status, "SigCgt") & 1L << (SIGQUIT - 1)) != 0;
    }

    /** Returns the number of user ids in a user namespace, from its {@code /proc/PID/uid_map}. */
    public static long users(String map) {
        return map.lines().mapToLong(range -> Long.parseLong(range.strip().split("\\s+")[2])).sum();
    }

    /**
     * A socket that listens for connections.
     *
     * @param uid id of the user who created the socket
     * @param inode number of the socket in {@code /proc/PID/fd}
     */
    public record Listener(InetAddress address, int port, long uid, long inode) {

        /** Returns whether this socket accepts connections to an address and port. */
        public boolean serves(InetAddress wanted, int wantedPort) {
            return port == wantedPort && (address.isAnyLocalAddress() || address.equals(wanted));
        }
    }

    /** Returns the listening sockets in {@code /proc/net/tcp} or {@code tcp6}; other lines are ignored. */
    public static List<Listener> listeners(String text) {
        return sockets(text).filter(fields -> fields[STATE].equals(LISTENING)).map(fields -> new Listener(
            address(fields[LOCAL].substring(0, fields[LOCAL].indexOf(':'))), port(fields[LOCAL]), Long.parseLong(fields[UID]),
            Long.parseLong(fields[INODE]))).toList();
    }

    /**
     * Returns the connections in {@code /proc/net/tcp} or {@code tcp6} to some ports. The kernel delivers a long table in pieces, and
     * lists a connection twice if others come or go meanwhile.
     *
     * @return the inode of each connection
     */
    public static Set<Long> connectionsTo(Set<Integer> ports, String text) {
        return sockets(text).filter(fields -> !fields[STATE].equals(LISTENING) && ports.contains(port(fields[REMOTE])))
            .map(fields -> Long.valueOf(fields[INODE])).collect(Collectors.toSet());
    }

    private static Stream<String[]> sockets(String text) {
        return text.lines().skip(1).map(line -> line.strip().split("\\s+")).filter(fields -> fields.length > INODE);
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
    }

    /** Returns the inodes of the sockets that a process has open, as far as this process may read them. */
    public static Set<Long> sockets(long pid) {
        Path files = Path.of("/proc", Long.toString(pid), "fd");
        String[] numbers = files.toFile().list();
        return numbers == null ? Set.of() : Arrays.stream(numbers).map(number -> SOCKET.matcher(target(files.resolve(number))))
            .filter(Matcher::matches).map(socket -> Long.valueOf(socket.group(1))).collect(Collectors.toSet());
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException | RuntimeException e) {
            // The descriptor is closed, or another user's.
            return "";
        }
    }

    /** Parses an address, which the kernel prints as words of 32 bits in its own byte order. */
    private static InetAddress address(String hex) {
        byte[] words = HexFormat.of().parseHex(hex);
        ByteBuffer address = ByteBuffer.allocate(words.length).order(ByteOrder.nativeOrder());
        ByteBuffer printed = ByteBuffer.wrap(words);
        while (printed.hasRemaining()) {
            address.putInt(printed.getInt());
        }
        try {
            return InetAddress.getByAddress(address.array());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not an address: " + hex, e);
        }
    }
}
