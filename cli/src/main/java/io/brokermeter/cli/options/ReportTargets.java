package io.brokermeter.cli.options;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/** The targets of one report in several formats, by the options that name the targets. */
public final class ReportTargets {

    private final Map<String, String> files = new LinkedHashMap<>();

    /** Adds the target of a format; null for a format that was not requested. */
    public ReportTargets with(String option, @Nullable String file) {
        if (file != null) {
            files.put(option, file);
        }
        return this;
    }

    /**
     * Adds the target of a format that does not go to standard output; null for a format that was not requested.
     *
     * @throws UsageException for {@code -}
     */
    public ReportTargets withFile(String option, @Nullable String file) {
        if (ReportTarget.OUTPUT.equals(file)) {
            throw new UsageException(option + " - cannot be standard output; name a file, ./- for one of that name.");
        }
        return with(option, file);
    }

    /**
     * Checks the targets; called before anything is measured or read.
     *
     * @throws UsageException for files that cannot be written, and when several formats go to one file or to standard output
     */
    public void require() {
        requireDistinct();
        files.forEach((option, file) -> {
            if (!file.equals(ReportTarget.OUTPUT)) {
                ReportTarget.require(option, file);
            }
        });
    }

    /**
     * Checks that each format goes to a target of its own.
     *
     * @throws UsageException for the first two formats with the same target
     */
    public void requireDistinct() {
        Map<Path, String> named = new HashMap<>();
        files.forEach((option, file) -> {
            String other = named.put(ReportTarget.path(option, file).toAbsolutePath().normalize(), option);
            if (other != null) {
                throw new UsageException(other + " and " + option + (file.equals(ReportTarget.OUTPUT)
                    ? " cannot both write to standard output; name files." : " must not name the same file, " + file + "."));
            }
        });
    }

    /** Returns whether a format goes to standard output, on which nothing else may be printed then. */
    public boolean takeStandardOutput() {
        return files.containsValue(ReportTarget.OUTPUT);
    }

    /**
     * Writes all requested formats.
     *
     * @param report returns the report in the format that an option requests
     */
    public void write(Function<String, byte[]> report, PrintStream out) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            ReportTarget.write(file.getKey(), file.getValue(), report.apply(file.getKey()), out);
        }
    }
}
