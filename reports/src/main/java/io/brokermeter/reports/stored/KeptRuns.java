package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.RunStore;

/**
 * The runs and sweeps that were kept, by what a user calls them.
 *
 * @param store where they are
 */
public record KeptRuns(RunStore store) {

    /** Those of a user with this environment. */
    public static KeptRuns of(Map<String, String> environment) {
        return new KeptRuns(RunStore.of(environment));
    }

    /**
     * Whether a directory holds a run or a sweep that measured something and does not go on any more: one that came to its end, or that was cut off
     * after its first interval or trial.
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
     * One that is newer than a directory of the store and that {@code last} passed over, since it goes on or measured nothing; the newest of these.
     */
    public Optional<Path> passedOver(Path found) throws IOException {
        List<Path> all = all();
        return all.stream().limit(Math.max(0, all.indexOf(found))).filter(one -> !hasMeasured(one)).findFirst();
    }

    /** Every run and sweep, the newest first. */
    public List<Path> all() throws IOException {
        return store.all();
    }

    /**
     * The directory of the run or sweep that is meant: {@code last} for the newest {@linkplain #hasMeasured that has measured},
     * {@code last~N} for the Nth before it, the name of a
     * directory in the store or its beginning, the name of a run that {@code --id} gave, or a path. The same word means the same in all commands.
     *
     * @throws UsageException with one sentence, when there is none, or when several begin like that
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
