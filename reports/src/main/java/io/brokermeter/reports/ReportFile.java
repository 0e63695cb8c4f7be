package io.brokermeter.reports;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.screen.ConsoleReport;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written piece by piece. Each piece is passed to the operating system before {@link #append} returns,
 * so a killed process loses none of them; a piece that does not fit is removed again as far as the file allows, so that
 * the file ends with a whole one. Used by one thread.
 */
public final class ReportFile implements AutoCloseable {

    /** The path that stands for standard output. */
    static final Path STANDARD_OUTPUT = Path.of("-");

    /** Name of the file in messages. */
    private final String name;
    private final WritableByteChannel channel;
    /** The channel if it can be repositioned and truncated; otherwise null. */
    private final @Nullable FileChannel regular;
    private byte[] ending = {};
    private long end;

    private ReportFile(String name, WritableByteChannel channel, @Nullable FileChannel regular) {
        this.name = name;
        this.channel = channel;
        this.regular = regular;
    }

    /** Returns a file that writes to a stream, which is not closed. */
    public static ReportFile of(String option, PrintStream out) {
        return new ReportFile(name(option, STANDARD_OUTPUT), new Stream(out), null);
    }

    /**
     * Opens a file to append to its content; creates it if it does not exist.
     *
     * @throws UsageException if the file cannot be written
     */
    public static ReportFile append(String option, Path path) {
        return open(option, path, StandardOpenOption.APPEND);
    }

    /**
     * Creates the file or empties it.
     *
     * @param option the option that named the file, for messages; empty for none
     * @throws UsageException if the file cannot be written
     */
    public static ReportFile open(String option, Path path) {
        return open(option, path, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** Returns the name of a file as the user gave it. */
    private static String name(String option, Path path) {
        return option.isEmpty() ? path.toString() : option + " " + path;
    }

    private static ReportFile open(String option, Path path, OpenOption begin) {
        String name = name(option, path);
        if (Files.isDirectory(path)) {
            throw new UsageException(name + " is a directory; name a file.");
        }
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new UsageException(
                name + " cannot be written: there is no directory " + parent + "; create it first.");
        }
        try {
            if (PrivateFiles.isForeignLink(path)) {
                throw new UsageException(name + " is a symbolic link of another user; name the file itself.");
            }
            Set<OpenOption> how = new HashSet<>(
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, begin));
            if (!Files.isSymbolicLink(path)) {
                // the file must not become a link meanwhile either
                how.add(LinkOption.NOFOLLOW_LINKS);
            }
            FileChannel channel = FileChannel.open(path, how);
            return new ReportFile(name, channel,
                begin != StandardOpenOption.APPEND && Files.isRegularFile(path) ? channel : null);
        } catch (AccessDeniedException e) {
            throw new UsageException(name + " cannot be written: permission denied; name another file.");
        } catch (IOException e) {
            throw new UsageException(name + " cannot be written: " + reason(e) + "; name another file.");
        }
    }

    /** Appends a piece, whole or, with an exception, not at all (except on a device, which cannot be truncated). */
    public void append(String piece) throws IOException {
        append(piece, "");
    }

    /**
     * Appends a piece and an ending that completes the file if nothing follows. The next piece replaces the ending; in
     * a pipe or a device, which cannot go back, the ending is written at {@link #close} only.
     */
    public void append(String piece, String nextEnding) throws IOException {
        byte[] head = piece.getBytes(StandardCharsets.UTF_8);
        byte[] tail = nextEnding.getBytes(StandardCharsets.UTF_8);
        byte[] all = new byte[head.length + (regular != null ? tail.length : 0)];
        System.arraycopy(head, 0, all, 0, head.length);
        if (regular != null) {
            System.arraycopy(tail, 0, all, head.length, tail.length);
        }
        try {
            write(all);
        } catch (IOException e) {
            takeBack();
            throw failure(e);
        }
        end += head.length;
        ending = tail;
    }

    private void write(byte[] bytes) throws IOException {
        if (regular != null) {
            regular.position(end);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /** Restores the file as it was before the failed write; the disk has room for that, as it had before. */
    private void takeBack() {
        if (regular == null) {
            return;
        }
        try {
            regular.truncate(end);
            write(ending);
        } catch (IOException ignored) {
            // The failure that led here is the one to report.
        }
    }

    private IOException failure(IOException e) {
        return new IOException(name + " could not be written: " + reason(e), e);
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    /** A channel to a stream, which stays open. */
    private static final class Stream implements WritableByteChannel {

        private final PrintStream out;
        private boolean open = true;

        Stream(PrintStream out) {
            this.out = out;
        }

        @Override
        public int write(ByteBuffer buffer) throws IOException {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            out.write(bytes, 0, bytes.length);
            if (out.checkError()) {
                throw new IOException(ConsoleReport.UNWRITABLE);
            }
            return bytes.length;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            open = false;
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        if (!channel.isOpen()) {
            return;
        }
        try (channel) {
            if (regular == null && ending.length > 0) {
                write(ending);
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }
}
