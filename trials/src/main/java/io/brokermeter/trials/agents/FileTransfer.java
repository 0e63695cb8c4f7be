package io.brokermeter.trials.agents;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.reports.PrivateFiles;

/** Transfers the files of a share of a run from its agent to the coordinator. */
final class FileTransfer {

    /** The most bytes of a file in one message. */
    static final int PIECE = 256 << 10;

    /** The most files of one agent; a run has a dozen. */
    static final int MOST_FILES = 100;

    /** The most bytes of all files of one agent together; a run of an hour has some 50 MB. */
    static final long MOST_BYTES = 2L << 30;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private FileTransfer() {}

    /** Returns whether a text is the plain name of a file: no path, nothing hidden. */
    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Sends the regular files of a directory, in pieces.
     *
     * @return names and lengths of the files that were sent
     * @throws IOException when a file cannot be read
     */
    static Map<String, Long> send(String run, Path directory, Consumer<Message> to) throws IOException {
        Map<String, Long> sent = new LinkedHashMap<>();
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && isName(file.getFileName().toString()))
                .sorted().toList();
        }
        byte[] buffer = new byte[PIECE];
        for (Path file : files) {
            String name = file.getFileName().toString();
            long offset = 0;
            try (InputStream in = Files.newInputStream(file)) {
                for (int read = in.readNBytes(buffer, 0, PIECE); read > 0; read = in.readNBytes(buffer, 0, PIECE)) {
                    byte[] piece = read == PIECE ? buffer : Arrays.copyOf(buffer, read);
                    to.accept(new Message.Piece(run, name, offset, Base64.getEncoder().encodeToString(piece)));
                    offset += read;
                }
            }
            sent.put(name, offset);
        }
        return sent;
    }

    /** Writes files that are received into a directory. Used by one thread. */
    static final class Inbox {

        private final Path directory;
        private final Map<String, Long> lengths = new LinkedHashMap<>();
        private long bytes;

        /** @param directory created when the first file arrives */
        Inbox(Path directory) {
            this.directory = directory;
        }

        Path directory() {
            return directory;
        }

        /**
         * Writes a piece.
         *
         * @throws IOException when the piece cannot be written, or is not valid
         */
        void take(Message.Piece piece) throws IOException {
            if (!isName(piece.name())) {
                throw new IOException("a file has a name that no file of a run has");
            }
            long length = lengths.getOrDefault(piece.name(), 0L);
            if (piece.offset() != length) {
                throw new IOException("a piece of file " + piece.name() + " is missing");
            }
            byte[] data;
            try {
                data = Base64.getDecoder().decode(piece.data());
            } catch (IllegalArgumentException e) {
                throw new IOException("a piece of file " + piece.name() + " cannot be read", e);
            }
            bytes += data.length;
            if (data.length > PIECE || bytes > MOST_BYTES || !lengths.containsKey(piece.name()) && lengths.size() >= MOST_FILES) {
                throw new IOException("its files are more than " + MOST_FILES + ", or more than " + (MOST_BYTES >> 30) + " GiB");
            }
            Path file = PrivateFiles.file(PrivateFiles.directories(directory).resolve(piece.name()));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                ByteBuffer rest = ByteBuffer.wrap(data);
                while (rest.hasRemaining()) {
                    length += channel.write(rest, length);
                }
            }
            lengths.put(piece.name(), length);
        }

        /**
         * Checks that all files have arrived, and creates the empty ones.
         *
         * @param files names with lengths
         * @throws IOException when something is missing
         */
        void requireAll(Map<String, Long> files) throws IOException {
            List<String> missing = new ArrayList<>();
            for (Map.Entry<String, Long> file : files.entrySet()) {
                if (isName(file.getKey()) && file.getValue() == 0) {
                    PrivateFiles.file(PrivateFiles.directories(directory).resolve(file.getKey()));
                } else if (!file.getValue().equals(lengths.get(file.getKey()))) {
                    missing.add(file.getKey());
                }
            }
            if (!missing.isEmpty()) {
                throw new IOException("not all of " + String.join(", ", missing) + " has come");
            }
        }
    }
}
