package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunStore;

/**
 * The runs and sweeps that were kept, found by the names that a user gives them.
 *
 * @param store the directory of the runs and sweeps
 */
public record KeptRuns(RunStore store) {

    /** Returns the runs and sweeps of a user with this environment. */
    public static KeptRuns of(Map<String, String> environment) {
        return new KeptRuns(RunStore.of(environment));
    }

    /**
     * Returns whether a directory holds a run or a sweep that measured something and is no longer in progress: one that ended, or that
     * was cut off after its first interval or trial.
     */
    public static boolean hasMeasured(Path directory) {
        if (StoredSweep.isSweep(directory)) {
            return !StoredSweep.isRunning(directory) && StoredSweep.hasMeasured(directory);
        }
        try {
            Path intervals = directory.resolve(RunDirectory.INTERVALS);
            return !RunDirectory.isRunning(directory) && (Files.isRegularFile(directory.resolve(RunDirectory.RESULT))
                || Files.isRegularFile(intervals) && Files.size(intervals) > 0);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns the newest run or sweep that {@code last} passed over in favour of an older directory of the store, since it is in progress
     * or measured nothing; empty if there is none.
     */
    public Optional<Path> passedOver(Path found) throws IOException {
        List<Path> all = all();
        return all.stream().limit(Math.max(0, all.indexOf(found))).filter(one -> !hasMeasured(one)).findFirst();
    }

    /** Returns every run and sweep, the newest first. */
    public List<Path> all() throws IOException {
        return store.all();
    }

    /**
     * Returns the directory of the run or sweep that a text names: {@code last} for the newest one
     * {@linkplain #hasMeasured that has measured}, {@code last~N} for the Nth before it, the name of a directory in the store or its
     * beginning, the name of a run that {@code --id} gave, or a path. A text means the same in all commands.
     *
     * @throws UsageException with one sentence, if there is none, or if several begin like that
     */
    public Path find(String text) {
        if (text.isBlank() || RunStore.isLast(text) || Files.isDirectory(Path.of(text))) {
            return store.find(text, KeptRuns::hasMeasured, "run");
        }
        try {
            List<Path> begin = all().stream().filter(one -> one.getFileName().toString().startsWith(text)).toList();
            if (begin.size() == 1) {
                return begin.getFirst();
            }
            if (begin.size() > 1) {
                throw new UsageException(
                    "'" + text + "' is the beginning of " + begin.size() + " runs, of " + begin.getFirst().getFileName()
                        + " and " + begin.get(1).getFileName() + " for example; write more of it.");
            }
            for (Path one : all()) {
                if (StoredRun.isRun(one) && StoredRun.idOf(one).equals(text)) {
                    return one;
                }
            }
        } catch (IOException e) {
            throw new UsageException(store.root() + " cannot be read: " + e.getMessage() + ".");
        }
        return store.find(text, KeptRuns::hasMeasured, "run");
    }
}
