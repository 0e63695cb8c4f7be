package io.brokermeter.trials.agents;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * What an agent needs of this tool's own installation, its launcher and its jars, as one stream for another machine: a tar archive (POSIX ustar)
 * whose last file, {@code sha256}, has the checksum of all others. So a stream that was cut off cannot be taken for a whole one.
 */
final class Installed {

    /** The checksum's file, in the archive and where that was unpacked. */
    static final String CHECKSUM_FILE = "sha256";

    private static final List<String> PARTS = List.of("bin", "lib");
    private static final int BLOCK = 512;
    private static final int LONGEST_NAME = 99;
    private static final long LARGEST = 1L << 33;

    private final List<Entry> entries;
    private final String checksum;

    private record Entry(String name, Path file, long size) {}

    private Installed(List<Entry> entries, String checksum) {
        this.entries = entries;
        this.checksum = checksum;
    }

    /**
     * Reads all of its files once.
     *
     * @param home the directory of the installation, with {@code bin} and {@code lib}
     * @throws IOException if something of it cannot be read, or it is no installation
     */
    static Installed in(Path home) throws IOException {
        if (!Files.isRegularFile(home.resolve("bin/brokermeter"))) {
            throw new IOException(home + " is no installation: there is no bin/brokermeter in it");
        }
        List<Entry> entries = new ArrayList<>();
        for (String part : PARTS) {
            try (Stream<Path> files = Files.walk(home.resolve(part))) {
                for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                    String name = home.relativize(file).toString().replace('\\', '/');
                    long size = Files.size(file);
                    if (name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME || size >= LARGEST) {
                        throw new IOException(file + " does not fit into an archive");
                    }
                    entries.add(new Entry(name, file, size));
                }
            }
        }
        MessageDigest whole = sha256();
        for (Entry entry : entries) {
            MessageDigest one = sha256();
            try (InputStream in = new DigestInputStream(Files.newInputStream(entry.file), one)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            whole.update((HexFormat.of().formatHex(one.digest()) + "  " + entry.name + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return new Installed(entries, HexFormat.of().formatHex(whole.digest()));
    }

    /** SHA-256 over the names and contents of its files, in hexadecimal digits. */
    String checksum() {
        return checksum;
    }

    /** @throws IOException if the stream takes no more, or a file is not as it was; then the archive is not whole */
    void writeTo(OutputStream out) throws IOException {
        for (Entry entry : entries) {
            out.write(header(entry.name, entry.size, entry.name.startsWith("bin/") ? 0755 : 0644));
            long written;
            try (InputStream in = Files.newInputStream(entry.file)) {
                written = in.transferTo(out);
            }
            if (written != entry.size) {
                throw new IOException(entry.file + " changed while it was copied");
            }
            pad(out, written);
        }
        byte[] last = (checksum + "\n").getBytes(StandardCharsets.US_ASCII);
        out.write(header(CHECKSUM_FILE, last.length, 0644));
        out.write(last);
        pad(out, last.length);
        out.write(new byte[2 * BLOCK]);
        out.flush();
    }

    private static void pad(OutputStream out, long written) throws IOException {
        out.write(new byte[(int) (-written & BLOCK - 1)]);
    }

    /** A header of ustar: name, mode, owner, size, time and checksum at fixed places, numbers in octal digits (POSIX.1-2017, pax). */
    private static byte[] header(String name, long size, int mode) {
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, "%07o".formatted(mode));
        put(header, 108, "0000000");
        put(header, 116, "0000000");
        put(header, 124, "%011o".formatted(size));
        put(header, 136, "%011o".formatted(0));
        put(header, 148, "        ");
        header[156] = '0';
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (byte one : header) {
            sum += one & 0xff;
        }
        put(header, 148, "%06o\0 ".formatted(sum));
        return header;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
