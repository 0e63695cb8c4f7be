package io.brokermeter.analysis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;

import io.brokermeter.engine.health.Schedule;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/**
 * A run, or a trial of a sweep, as its directory has it.
 *
 * @param directory where its files are
 * @param start when it began, or null when no file says
 * @param result what it came to, or null when it did not come to its end
 * @param environment machine and program, empty when not known
 */
public record MeasuredTrial(Path directory, @Nullable Instant start, @Nullable StoredResult result,
        Map<String, @Nullable Object> environment) {

    /** Why figures of a run do not count that a signal ended before its time. */
    public static final String INTERRUPTED = "interrupted";

    /** Reads a directory; what is missing in it is missing in the trial. */
    public static MeasuredTrial in(Path directory) {
        Map<String, @Nullable Object> environment = environment(directory);
        StoredResult result = StoredResult.in(directory).map(written -> StoredRun.shown(written, environment)).orElse(null);
        Object time = result == null ? environment.get("time") : result.values().get("start");
        return new MeasuredTrial(directory, time == null ? written(directory.resolve(RunDirectory.SCENARIO)) : instant(time), result,
            environment);
    }

    private static Map<String, @Nullable Object> environment(Path directory) {
        try {
            return JsonText.read(Files.readString(directory.resolve(RunDirectory.ENVIRONMENT)));
        } catch (IOException | IllegalArgumentException e) {
            return Map.of();
        }
    }

    /** The first file of a trial that came to nothing else says when it began. */
    private static @Nullable Instant written(Path file) {
        try {
            return Files.getLastModifiedTime(file).toInstant();
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable Instant instant(@Nullable Object time) {
        try {
            return time instanceof String text ? Instant.parse(text) : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Why its figures do not count; null when they do. */
    public @Nullable String unfit() {
        return result == null ? "cut off"
            : !result.success() ? "failed" : result.number("signal") > 0 && !isEndless() ? INTERRUPTED : null;
    }

    /** Whether it could only be ended by a person. */
    private boolean isEndless() {
        return environment.get("workload") instanceof Map<?, ?> workload && workload.containsKey("durationSeconds")
            && workload.get("durationSeconds") == null && workload.get("plannedMessages") == null;
    }

    /** A figure; NaN when it is not known, and of a trial whose figures do not count. */
    public double figure(ComparedFigure figure) {
        return result == null || unfit() != null ? Double.NaN : figure.of(result);
    }

    /** Whether a rate was asked of it. */
    boolean isAsked() {
        return result != null && Double.isFinite(result.number("health", "askedPerSecond"));
    }

    /** Whether it fell behind the rate that was asked of it, as the line with its result says. */
    boolean missesRate() {
        return isAsked() && result != null && result.number("health", "achievedRatio") < Schedule.KEPT;
    }

    /** Whether its generator may have been the limit. */
    public boolean isDoubtful() {
        return result != null && !result.doubts().isEmpty();
    }

    /** What took part, by its role, with its version. */
    Map<String, String> versions() {
        Map<String, String> all = new LinkedHashMap<>();
        if (result != null && result.values().get("versions") instanceof Map<?, ?> map) {
            map.forEach((role, version) -> all.put(String.valueOf(role), String.valueOf(version)));
        }
        return all;
    }
}
