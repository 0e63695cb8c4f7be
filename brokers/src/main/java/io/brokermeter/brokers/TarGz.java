package io.brokermeter.brokers;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

import org.jspecify.annotations.Nullable;

/**
 * Unpacks a compressed tar archive: the ustar format of POSIX.1-1988, with the long names of GNU tar and the extended
 * headers of POSIX.1-2001. Links and devices are left out, since what is unpacked here is a broker's jars.
 */
final class TarGz {

    private static final int BLOCK = 512;
    private static final int CHECKSUM = 148;
    private static final int SIZE = 124;
    private static final int TYPE = 156;
    private static final int PREFIX = 345;
    private static final int GREATEST_NAME = 1 << 20;

    private final DataInputStream input;
    private final Path target;

    private TarGz(InputStream input, Path target) {
        this.input = new DataInputStream(input);
        this.target = target;
    }

    /**
     * Unpacks into a directory that exists, without the first directory of the names in the archive.
     *
     * @throws IOException when the archive is damaged, or names a file outside of the directory
     */
    static void unpack(Path archive, Path target) throws IOException {
        try (InputStream file = Files.newInputStream(archive);
             InputStream plain = new BufferedInputStream(new GZIPInputStream(file, 1 << 16), 1 << 16)) {
            new TarGz(plain, target.toAbsolutePath().normalize()).run();
        }
    }

    private void run() throws IOException {
        byte[] header = new byte[BLOCK];
        String longName = null;
        long longSize = -1;
        while (true) {
            input.readFully(header);
            if (isZero(header)) {
                return;
            }
            verify(header);
            long size = longSize >= 0 ? longSize : number(header, SIZE, 12);
            switch (header[TYPE]) {
                case 'L' -> longName = text(small(size), 0, (int) size);
                case 'x' -> {
                    byte[] records = small(size);
                    String path = extended(records, "path");
                    longName = path == null ? longName : path;
                    String length = extended(records, "size");
                    longSize = length == null ? longSize : Long.parseLong(length);
                    continue;
                }
                case '0', 0, '7' -> {
                    write(longName == null ? name(header) : longName, size);
                    longName = null;
                }
                case '5' -> {
                    Path directory = place(longName == null ? name(header) : longName);
                    Files.createDirectories(directory);
                    longName = null;
                }
                default -> {
                    input.skipNBytes(padded(size));
                    longName = header[TYPE] == 'K' || header[TYPE] == 'g' ? longName : null;
                }
            }
            longSize = -1;
        }
    }

    private void write(String name, long size) throws IOException {
        Path file = place(name);
        Files.createDirectories(file.resolve("..").normalize());
        try (OutputStream output = Files.newOutputStream(file)) {
            byte[] buffer = new byte[1 << 16];
            long left = size;
            while (left > 0) {
                int count = input.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (count < 0) {
                    throw new EOFException("the archive ends within " + name);
                }
                output.write(buffer, 0, count);
                left -= count;
            }
        }
        input.skipNBytes(padded(size) - size);
    }

    private Path place(String name) throws IOException {
        int slash = name.indexOf('/', name.startsWith("./") ? 2 : 0);
        Path place = slash < 0 ? target : target.resolve(name.substring(slash + 1).replaceFirst("^/+", "")).normalize();
        if (!place.startsWith(target)) {
            throw new IOException("the archive names a file outside of its directory, " + name);
        }
        return place;
    }

    private byte[] small(long size) throws IOException {
        if (size > GREATEST_NAME) {
            throw new IOException("the archive has a header of " + size + " bytes");
        }
        byte[] content = new byte[(int) padded(size)];
        input.readFully(content);
        return Arrays.copyOf(content, (int) size);
    }

    private static long padded(long size) {
        return (size + BLOCK - 1) / BLOCK * BLOCK;
    }

    private static boolean isZero(byte[] block) {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    private static void verify(byte[] header) throws IOException {
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= CHECKSUM && i < CHECKSUM + 8 ? ' ' : header[i] & 0xff;
        }
        if (sum != number(header, CHECKSUM, 8)) {
            throw new IOException("the archive is damaged: a header has a wrong checksum");
        }
    }

    private static String name(byte[] header) {
        String name = text(header, 0, 100);
        boolean ustar = text(header, 257, 5).equals("ustar") && header[262] == 0;
        String prefix = ustar ? text(header, PREFIX, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    /** An octal number; or a binary one, when the highest bit of the field is set. */
    private static long number(byte[] header, int offset, int length) throws IOException {
        if ((header[offset] & 0x80) != 0) {
            long value = header[offset] & 0x7f;
            for (int i = offset + 1; i < offset + length; i++) {
                value = value << 8 | header[i] & 0xff;
            }
            return value;
        }
        String digits = text(header, offset, length).strip();
        try {
            return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new IOException("the archive is damaged: '" + digits + "' is not a number of a header", e);
        }
    }

    private static String text(byte[] bytes, int offset, int length) {
        int end = offset;
        while (end < offset + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, offset, end - offset, StandardCharsets.UTF_8);
    }

    /** The value of {@code key} in records of the form {@code length key=value newline}. */
    private static @Nullable String extended(byte[] records, String key) throws IOException {
        String value = null;
        int at = 0;
        while (at < records.length) {
            int blank = at;
            while (blank < records.length && records[blank] != ' ') {
                blank++;
            }
            int length;
            try {
                length = Integer.parseInt(new String(records, at, blank - at, StandardCharsets.US_ASCII));
            } catch (NumberFormatException e) {
                throw new IOException("the archive is damaged: an extended header has no length", e);
            }
            if (length <= blank - at + 1 || length > records.length - at) {
                throw new IOException("the archive is damaged: an extended header has a length of " + length);
            }
            String record = new String(records, blank + 1, at + length - blank - 2, StandardCharsets.UTF_8);
            if (record.startsWith(key + "=")) {
                value = record.substring(key.length() + 1);
            }
            at += length;
        }
        return value;
    }
}
