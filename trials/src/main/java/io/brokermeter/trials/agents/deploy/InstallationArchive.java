package io.brokermeter.trials.agents.deploy;

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

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * The part of this tool's own installation that an agent needs, its launcher and its jars, as one stream for another machine: a tar archive
 * (POSIX ustar) whose last file, {@code sha256}, has the checksum of all others. So a stream that was cut off cannot be taken for a whole
 * one.
 */
final class InstallationArchive {

    /** The name of the file with the checksum, in the archive and in the directory where it was unpacked. */
    static final String CHECKSUM_FILE = "sha256";

    private static final List<String> PARTS = List.of("bin", "lib");
    private static final int LONGEST_NAME = 99;
    private static final long LARGEST = 1L << 33;

    private final List<Entry> entries;
    private final String checksum;

    private record Entry(String name, Path file, long size) {}

    private InstallationArchive(List<Entry> entries, String checksum) {
        this.entries = entries;
        this.checksum = checksum;
    }

    /**
     * Creates the archive of an installation, all of whose files are read once.
     *
     * @param home the directory of the installation, with {@code bin} and {@code lib}
     * @throws IOException if a file cannot be read, or the directory is no installation
     */
    static InstallationArchive in(Path home) throws IOException {
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
        return new InstallationArchive(entries, HexFormat.of().formatHex(whole.digest()));
    }

    /** Returns the SHA-256 of the names and contents of all files, in hexadecimal digits. */
    String checksum() {
        return checksum;
    }

    /**
     * Writes the archive and closes the stream.
     *
     * @throws IOException if the stream accepts no more, or a file has changed; then the archive is not whole
     */
    void writeTo(OutputStream out) throws IOException {
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name())) {
            for (Entry entry : entries) {
                put(tar, entry.name, entry.size, entry.name.startsWith("bin/") ? 0755 : 0644);
                if (Files.size(entry.file) != entry.size) {
                    throw new IOException(entry.file + " changed while it was copied");
                }
                Files.copy(entry.file, tar);
                tar.closeArchiveEntry();
            }
            byte[] last = (checksum + "\n").getBytes(StandardCharsets.US_ASCII);
            put(tar, CHECKSUM_FILE, last.length, 0644);
            tar.write(last);
            tar.closeArchiveEntry();
        }
    }

    /** Begins an entry without owner and time, so that the same files make the same archive. */
    private static void put(TarArchiveOutputStream tar, String name, long size, int mode) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(size);
        entry.setMode(mode);
        entry.setModTime(0);
        entry.setUserName("");
        tar.putArchiveEntry(entry);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
