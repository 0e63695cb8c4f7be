package io.brokermeter.analysis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/**
 * A run, or a trial of a sweep, as stored in its directory; or a search, which counts as one trial whose only figure is the limit that it found.
 *
 * @param directory directory of the files
 * @param start time at which the run began; null when no file records it
 * @param result the result; null when the run did not come to its end
 * @param environment machine and program
 * @param limit the limit that a search found; null for what is no search
 */
public record MeasuredTrial(Path directory, @Nullable Instant start, @Nullable StoredResult result,
        EnvironmentDocument environment, @Nullable Limit limit) {

    /**
     * The limit that a search found.
     *
     * @param figure the figure that it is
     * @param key path of the key that was searched
     * @param value the limit with its interval; null where none was found
     */
    record Limit(ComparedFigure figure, String key, @Nullable ConfidenceInterval value) {}

    MeasuredTrial(Path directory, @Nullable Instant start, @Nullable StoredResult result, EnvironmentDocument environment) {
        this(directory, start, result, environment, null);
    }

    /** Returns a search by its first trial, which knows when it began, on what machine and with which versions. */
    MeasuredTrial searching(Limit found) {
        return new MeasuredTrial(directory, start, result, environment, found);
    }

    /** The reason for which the figures of a run do not count that a signal ended early. */
    public static final String INTERRUPTED = "interrupted";

    /** The reason for which the figures of a run do not count that measured the generator and not the broker. */
    static final String INVALID = "invalid";

    /** The reason for which a run that is in progress does not count. */
    static final String RUNNING = "still running";

    /** Reads a directory. Whatever is missing in the directory is missing in the trial. */
    public static MeasuredTrial in(Path directory) {
        EnvironmentDocument environment = environment(directory);
        StoredResult result = StoredResult.in(directory).map(written -> StoredRun.shown(written, environment)).orElse(null);
        String time = result == null ? environment.machine().time() : result.document().start();
        return new MeasuredTrial(directory, time == null ? written(directory.resolve(RunDirectory.SCENARIO)) : instant(time), result,
            environment);
    }

    private static EnvironmentDocument environment(Path directory) {
        try {
            return DocumentJson.read(EnvironmentDocument.class, Files.readString(directory.resolve(RunDirectory.ENVIRONMENT)));
        } catch (IOException | IllegalArgumentException e) {
            return EnvironmentDocument.UNKNOWN;
        }
    }

    /** Returns the modification time of a file, the first one of its trial, as the start of a trial that left no other file. */
    private static @Nullable Instant written(Path file) {
        try {
            return Files.getLastModifiedTime(file).toInstant();
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable Instant instant(String time) {
        try {
            return Instant.parse(time);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Returns the reason for which the figures of this trial do not count; null when they do. */
    public @Nullable String unfit() {
        if (limit != null) {
            return limit.value == null ? "without a limit" : null;
        }
        return result == null ? RunDirectory.isRunning(directory) ? RUNNING : "cut off"
            : result.isInvalid() ? INVALID
                : !result.success() ? "failed" : result.signal() > 0 && !isEndless() ? INTERRUPTED : null;
    }

    /** Returns whether the run had no planned end, so that only a person could end it. */
    private boolean isEndless() {
        EnvironmentDocument.Workload workload = environment.subject().workload();
        return workload != null && Double.isNaN(workload.durationSeconds()) && workload.plannedMessages() == null;
    }

    /** Returns a figure; NaN when it is not known or when the figures of this trial do not count. */
    public double figure(ComparedFigure figure) {
        if (limit != null) {
            return limit.value != null && limit.figure.equals(figure) ? limit.value.estimate() : Double.NaN;
        }
        return result == null || unfit() != null ? Double.NaN : figure.of(result);
    }

    /** Returns whether the run had a requested rate. */
    boolean isAsked() {
        return result != null && Double.isFinite(result.generator().askedPerSecond());
    }

    /** Returns whether the run fell behind its requested rate, by the same limit as its line of results. */
    boolean missesRate() {
        return limit == null && isAsked() && result != null && result.generator().achievedRatio() < Schedule.KEPT;
    }

    /** Returns whether the result has doubts about its figures. */
    public boolean isDoubtful() {
        return limit == null && result != null && !result.doubts().isEmpty();
    }

    /** Returns the versions of the participants, such as broker and client, by role. */
    Map<String, String> versions() {
        return result == null ? Map.of() : result.document().versions();
    }
}
