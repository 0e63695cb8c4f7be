package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.json.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * The labels by which a run or a sweep is found: those that the user gave it, and the commit of the directory in which it was started as
 * {@code git.commit}, {@code git.branch} and {@code git.changes}, whether tracked files differed from that commit.
 */
public final class RunLabels {

    private static final String COMMIT = "git.commit";

    private RunLabels() {}

    /** Returns all labels of a directory, those of the user first; empty if its files have none. */
    public static Map<String, String> of(Path directory) {
        try {
            Path file = directory.resolve(StoredSweep.isSweep(directory) ? StoredSweep.SWEEP : RunDirectory.ENVIRONMENT);
            return of(JsonText.read(Files.readString(file)));
        } catch (IOException | IllegalArgumentException e) {
            return Map.of();
        }
    }

    /** Returns all labels in the object of {@code environment.json} or {@code sweep.json}. */
    static Map<String, String> of(Map<String, ? extends @Nullable Object> values) {
        return DocumentJson.read(SweepDocument.Labels.class, values).all();
    }

    /** Returns whether labels contain every wanted one; of a commit, its first four or more digits suffice. */
    public static boolean match(Map<String, String> labels, Map<String, String> wanted) {
        return wanted.entrySet().stream().allMatch(one -> {
            String value = labels.get(one.getKey());
            return value != null && (value.equals(one.getValue())
                || one.getKey().equals(COMMIT) && one.getValue().length() >= 4 && value.startsWith(one.getValue()));
        });
    }
}
