package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/** The forms of one report that a command line asks for, by the options that name where they go. */
final class ReportTargets {

    private final Map<String, String> files = new LinkedHashMap<>();

    /** Adds a form; null for one that nobody asked for. */
    ReportTargets with(String option, @Nullable String file) {
        if (file != null) {
            files.put(option, file);
        }
        return this;
    }

    /**
     * Before anything is measured or read.
     *
     * @throws UsageException for files that cannot be written, and when several are to go to standard output
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

    /** Whether a form goes to standard output, which has nothing else then. */
    boolean takeStandardOutput() {
        return files.containsValue(ReportTarget.OUTPUT);
    }

    /**
     * Writes all of them.
     *
     * @param text the form that an option asks for
     */
    void write(Function<String, String> text, PrintStream out) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            ReportTarget.write(file.getKey(), file.getValue(), text.apply(file.getKey()), out);
        }
    }
}
