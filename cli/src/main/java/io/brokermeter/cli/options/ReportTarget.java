package io.brokermeter.cli.options;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.brokermeter.engine.scenario.UsageException;

/** Checks and writes the target of a report: a file or standard output. */
public final class ReportTarget {

    /** The target that stands for standard output. */
    public static final String OUTPUT = "-";

    private ReportTarget() {}

    /** A file that could not be written, for a reason that showed while it was written. The message is a sentence for users. */
    public static final class UnwrittenException extends IOException {

        private static final long serialVersionUID = 1;

        private UnwrittenException(String sentence, IOException cause) {
            super(sentence, cause);
        }
    }

    /**
     * Writes a report.
     *
     * @param option the option that named the target, for sentences
     * @param target a file, or {@code -}
     * @throws UsageException when the file cannot be written
     */
    public static void write(String option, String target, String text, PrintStream out) throws IOException {
        write(option, target, bytes(text), out);
    }

    /** Writes a report as {@link #write(String, String, String, PrintStream)} does. */
    public static void write(String option, String target, byte[] report, PrintStream out) throws IOException {
        if (target.equals(OUTPUT)) {
            out.write(report);
        } else {
            put(option, target, report);
        }
    }

    /** Returns a text as reports have it, in UTF-8 whatever the user's encoding is. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Appends a report to a file.
     *
     * @throws UsageException when the file cannot be written
     */
    static void append(String option, String target, String text) throws IOException {
        put(option, target, bytes(text), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static void put(String option, String target, byte[] report, OpenOption... how) throws IOException {
        Path file = require(option, target);
        try {
            Files.write(file, report, how);
        } catch (AccessDeniedException e) {
            throw new UsageException(option + " " + target + " cannot be written: permission denied.");
        } catch (IOException e) {
            String reason = e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : String.valueOf(e.getMessage());
            throw new UnwrittenException(option + " " + target + " could not be written: " + reason + ".", e);
        }
    }

    /**
     * Returns the file that a target names, and checks whether it can be written, as far as that is known before it is written.
     *
     * @throws UsageException when it is a directory, its directory does not exist, or the user may not write it
     */
    static Path require(String option, String target) {
        Path file = path(option, target);
        Path parent = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new UsageException(option + " " + target + " is a directory; name a file.");
        }
        if (parent != null && !Files.isDirectory(parent)) {
            throw new UsageException(option + " " + target + " cannot be written: there is no directory " + parent + "; create it first.");
        }
        if (Files.exists(file) ? !Files.isWritable(file) : parent != null && !Files.isWritable(parent)) {
            throw new UsageException(option + " " + target + " cannot be written: permission denied.");
        }
        return file;
    }

    /** Returns a directory for several files, and creates it where it is missing. */
    public static Path directory(String option, String target) {
        Path directory = path(option, target);
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UsageException(option + " " + target + " is not a directory that can be made or written.");
        }
    }

    /**
     * Returns a target as a path.
     *
     * @throws UsageException for a text that cannot be one
     */
    static Path path(String option, String target) {
        try {
            return Path.of(target);
        } catch (InvalidPathException e) {
            throw new UsageException(option + " '" + target + "' is not a path.");
        }
    }
}
