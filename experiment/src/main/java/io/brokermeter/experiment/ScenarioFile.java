package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;

/** Reads scenario files. */
public final class ScenarioFile {

    private ScenarioFile() {}

    /**
     * Reads a file and works out its trials.
     *
     * @throws UsageException with one sentence for each mistake, a line each, {@code FILE:LINE: key 'path': ...}
     */
    public static Experiment read(Path file, Changes changes) {
        throw new UsageException("Scenario file " + file + " cannot be read yet.");
    }

    /**
     * The scenario files that an argument names: the file itself, or those of a directory and of the directories in it, in
     * the order of their names.
     *
     * @throws UsageException when there is none
     */
    public static List<Path> list(Path fileOrDirectory) {
        return List.of(fileOrDirectory);
    }
}
