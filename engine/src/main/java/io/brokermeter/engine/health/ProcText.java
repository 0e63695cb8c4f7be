package io.brokermeter.engine.health;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The texts of files below {@code /proc}, as proc(5) describes them. */
public final class ProcText {

    // USER_HZ is 100 on every architecture that a JDK 25 runs on; /proc counts in it whatever the kernel's own HZ.
    private static final double TICKS_PER_SECOND = 100;
    private static final String LISTENING = "0A";
    private static final int SIGQUIT = 3;

    private ProcText() {}

    /**
     * {@code /proc/PID/stat}.
     *
     * @param name the name of the program, 15 bytes of it at most
     * @param state a letter; Z and X are processes that have ended
     * @param cpuSeconds user and system time of all its threads, those that ended included
     * @param startTicks when it began, in hundredths of a second since the machine did: with the id its identity
     */
    public record Stat(String name, char state, double cpuSeconds, int threads, long startTicks) {

        public boolean ended() {
            return state == 'Z' || state == 'X';
        }
    }

    /** The whole of a file. Names of programs are bytes of any kind, which must not fail the reading. */
    public static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    /** @throws RuntimeException when it has another form */
    public static Stat stat(String text) {
        // The second field is the program in parentheses, and may itself contain blanks and parentheses.
        int close = text.lastIndexOf(')');
        String[] fields = text.substring(close + 2).trim().split(" ");
        return new Stat(text.substring(text.indexOf('(') + 1, close), fields[0].charAt(0),
            (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND, Integer.parseInt(fields[17]),
            Long.parseLong(fields[19]));
    }

    /**
     * The processors of the machine, from {@code /proc/stat}.
     *
     * @param idle how long they had nothing to do, waits for a disk included, added up over all of them since the machine began, in seconds
     * @param stolen how long a hypervisor kept them from running, in seconds
     * @param count how many of them are online
     */
    public record Processors(double idle, double stolen, int count) {

        /**
         * Percent of the time since {@code earlier} in which they were not idle. The length comes from the clock, and not from the sum of all
         * states: the kernel measures idle time where it stops the tick, but samples what a running program takes at each tick, and
         * work that is done between two ticks is missing from the sum.
         */
        public double busyPercent(Processors earlier, double seconds) {
            return Math.clamp(100 * (1 - (idle - earlier.idle) / seconds / count), 0, 100);
        }

        /** Percent of the time since {@code earlier} that the hypervisor took. */
        public double stolenPercent(Processors earlier, double seconds) {
            return Math.clamp(100 * (stolen - earlier.stolen) / seconds / count, 0, 100);
        }
    }

    /** @throws RuntimeException when it has another form */
    public static Processors processors(String text) {
        String[] fields = text.lines().findFirst().orElse("").trim().split(" +");
        if (!fields[0].equals("cpu")) {
            throw new IllegalArgumentException("no line of all processors");
        }
        return new Processors((Long.parseLong(fields[4]) + Long.parseLong(fields[5])) / TICKS_PER_SECOND,
            Long.parseLong(fields[8]) / TICKS_PER_SECOND, (int) text.lines().filter(line -> line.matches("cpu\\d.*")).count());
    }

    /** A number behind {@code key:} at the begin of a line, of whatever unit; -1 when there is none. */
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

    /** The same, which the text gives in units of 1024 bytes, in bytes. */
    public static long kibibytes(String text, String key) {
        long number = number(text, key);
        return number < 0 ? -1 : number * 1024;
    }

    /** Whether {@code /proc/PID/status} says that the process handles SIGQUIT, which would end it otherwise. */
    public static boolean catchesQuit(String status) {
        int at = status.indexOf("\nSigCgt:");
        if (at < 0) {
            return false;
        }
        int end = status.indexOf('\n', at + 1);
        String mask = status.substring(at + "\nSigCgt:".length(), end < 0 ? status.length() : end).strip();
        return (Long.parseUnsignedLong(mask, 16) & 1L << (SIGQUIT - 1)) != 0;
    }

    /**
     * A socket that waits for connections.
     *
     * @param uid the user who made it
     * @param inode by which {@code /proc/PID/fd} names it
     */
    public record Listener(InetAddress address, int port, long uid, long inode) {

        /** Whether a connection to that address and port comes to it. */
        public boolean serves(InetAddress wanted, int wantedPort) {
            return port == wantedPort && (address.isAnyLocalAddress() || address.equals(wanted));
        }
    }

    /** The listening sockets in {@code /proc/net/tcp} or {@code tcp6}; lines that are none are passed over. */
    public static List<Listener> listeners(String text) {
        List<Listener> listeners = new ArrayList<>();
        for (String line : text.split("\n")) {
            String[] fields = line.trim().split(" +");
            if (fields.length > 9 && fields[3].equals(LISTENING)) {
                int colon = fields[1].indexOf(':');
                listeners.add(new Listener(address(fields[1].substring(0, colon)),
                    Integer.parseInt(fields[1].substring(colon + 1), 16), Long.parseLong(fields[7]),
                    Long.parseLong(fields[9])));
            }
        }
        return listeners;
    }

    /** The kernel prints an address as words of 32 bits in its own order of bytes. */
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
