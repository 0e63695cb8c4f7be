package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.SweepDocument;

/**
 * The labels by which a run or a sweep is found: those that the user gave it, and the commit of the directory in which it was started as
 * {@code git.commit}, {@code git.branch} and {@code git.changes}, whether tracked files differed from that commit.
 */
public final class RunLabels {

    private RunLabels() {}

    /** Returns all labels of a directory, those of the user first; empty if its files have none. */
    public static Map<String, String> of(Path directory) {
        try {
            return StoredSweep.isSweep(directory)
                ? DocumentJson.read(SweepDocument.class, Files.readString(directory.resolve(StoredSweep.SWEEP))).allLabels()
                : DocumentJson.read(EnvironmentDocument.class, Files.readString(directory.resolve(RunDirectory.ENVIRONMENT))).labels();
        } catch (IOException | IllegalArgumentException e) {
            return Map.of();
        }
    }

    /** Returns whether labels contain every wanted one; of a commit, its first four or more digits suffice. */
    public static boolean match(Map<String, String> labels, Map<String, String> wanted) {
        return wanted.entrySet().stream().allMatch(one -> {
            String value = labels.get(one.getKey());
            return value != null && (value.equals(one.getValue())
                || one.getKey().equals(EnvironmentDocument.Git.COMMIT) && one.getValue().length() >= 4 && value.startsWith(one.getValue()));
        });
    }
}
