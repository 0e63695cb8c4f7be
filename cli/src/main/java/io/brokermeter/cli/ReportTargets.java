package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/** The targets of one report in several formats, by the options that name the targets. */
final class ReportTargets {

    private final Map<String, String> files = new LinkedHashMap<>();

    /** Adds the target of a format; null for a format that was not requested. */
    ReportTargets with(String option, @Nullable String file) {
        if (file != null) {
            files.put(option, file);
        }
        return this;
    }

    /**
     * Checks the targets; called before anything is measured or read.
     *
     * @throws UsageException for files that cannot be written, and when several formats go to standard output
     */
    void require() {
        ReportTarget.requireOneOutput(files.entrySet().stream().filter(file -> file.getValue().equals(ReportTarget.OUTPUT))
            .map(Map.Entry::getKey).toList());
        files.forEach((option, file) -> {
            if (!file.equals(ReportTarget.OUTPUT)) {
                ReportTarget.require(option, file);
            }
        });
    }

    /** Returns whether a format goes to standard output, on which nothing else may be printed then. */
    boolean takeStandardOutput() {
        return files.containsValue(ReportTarget.OUTPUT);
    }

    /**
     * Writes all requested formats.
     *
     * @param text returns the report in the format that an option requests
     */
    void write(Function<String, String> text, PrintStream out) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            ReportTarget.write(file.getKey(), file.getValue(), text.apply(file.getKey()), out);
        }
    }
}
