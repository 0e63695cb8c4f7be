package io.brokermeter.reports;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * The files of one run in a directory of their own: {@code scenario.yaml}, {@code environment.json},
 * {@code intervals.jsonl}, {@code latency.hlog}, {@code broker.csv}, {@code events.jsonl} and, when the run is over,
 * {@code result.json}. Everything but the result grows with the run, and each piece goes to the operating system at once,
 * so a killed process loses its last interval at most.
 */
public final class RunDirectory implements RunObserver {

    public static final String SCENARIO = "scenario.yaml";
    public static final String ENVIRONMENT = "environment.json";
    public static final String INTERVALS = "intervals.jsonl";
    public static final String HISTOGRAMS = "latency.hlog";
    public static final String BROKER = "broker.csv";
    public static final String EVENTS = "events.jsonl";
    public static final String RESULT = "result.json";

    private static final List<String> ALL =
        List.of(SCENARIO, ENVIRONMENT, INTERVALS, HISTOGRAMS, BROKER, EVENTS, RESULT);

    private final Path directory;
    private final RunShape shape;
    private final RunEnvironment environment;
    private final JsonReport intervals;
    private final Reports files;
    private final @Nullable Consumer<String> warnings;
    private boolean failed;

    private RunDirectory(Path directory, RunShape shape, RunEnvironment environment, JsonReport intervals, Reports files,
            @Nullable Consumer<String> warnings) {
        this.directory = directory;
        this.shape = shape;
        this.environment = environment;
        this.intervals = intervals;
        this.files = files;
        this.warnings = warnings;
    }

    /**
     * Creates the files in a directory, which is created when it is not there.
     *
     * @param scenario the run as a scenario file, without secrets
     * @param metrics names of further metrics of the broker
     * @param warnings hears one sentence when a file cannot be written while the run goes on, which then goes on without
     *     them; null to have the run fail
     * @throws UsageException when a file cannot be created
     */
    public static RunDirectory open(Path directory, String scenario, RunShape shape, RunEnvironment environment,
            List<String> metrics, @Nullable Consumer<String> warnings) {
        try {
            PrivateFiles.directories(directory);
            write(directory.resolve(SCENARIO), scenario);
            write(directory.resolve(ENVIRONMENT), environment.json(Map.of()));
            for (String name : List.of(INTERVALS, HISTOGRAMS, BROKER, EVENTS)) {
                PrivateFiles.file(directory.resolve(name));
            }
            JsonReport intervals = JsonReport.open(directory.resolve(INTERVALS), shape);
            Reports files = new Reports(List.of(HdrReport.open(directory.resolve(HISTOGRAMS)),
                BrokerCsv.open("--out", directory.resolve(BROKER), metrics), EventsFile.open(directory.resolve(EVENTS))));
            return new RunDirectory(directory, shape, environment, intervals, files, warnings);
        } catch (IOException e) {
            throw new UsageException("The files of the run cannot be written to " + directory + ": " + cause(e) + ".");
        }
    }

    /** Replaces the scenario by one that says more: which version of a broker came to run. */
    public void scenario(String text) {
        try {
            write(directory.resolve(SCENARIO), text);
        } catch (IOException e) {
            failed = true;
            if (warnings != null) {
                warnings.accept("The files of this run in " + directory + " are not complete: " + cause(e) + ".");
            }
        }
    }

    /** Where the files are. */
    public Path directory() {
        return directory;
    }

    @Override
    public void interval(Interval interval) throws Exception {
        keep(() -> {
            intervals.interval(interval);
            files.interval(interval);
        });
    }

    @Override
    public void event(Event event) throws Exception {
        keep(() -> files.event(event));
    }

    @Override
    public void finished(RunResult result) throws Exception {
        keep(() -> {
            files.finished(result);
            write(directory.resolve(ENVIRONMENT), environment.json(result.versions()));
            write(directory.resolve(RESULT), ResultJson.text(result, shape));
        });
    }

    @Override
    public void close() throws Exception {
        try (intervals) {
            files.close();
        }
    }

    /** Closes and deletes what this run left: it did not begin. */
    public void discard() {
        try {
            close();
        } catch (Exception e) {
            // files that are about to go
        }
        try {
            for (String name : ALL) {
                Files.deleteIfExists(directory.resolve(name));
            }
            try (Stream<Path> left = Files.list(directory)) {
                if (left.findAny().isEmpty()) {
                    Files.delete(directory);
                }
            }
        } catch (IOException e) {
            // left as the user's directory wants it
        }
    }

    private void keep(Step step) throws Exception {
        if (failed) {
            return;
        }
        try {
            step.run();
        } catch (IOException e) {
            if (warnings == null) {
                throw e;
            }
            failed = true;
            warnings.accept("The files of this run in " + directory + " are not complete: " + e.getMessage());
        }
    }

    /** Writes a file whole, so that a reader never sees a part of it; nobody but its owner may read it. */
    public static void write(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling("." + file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        PrivateFiles.file(fresh);
        Files.writeString(fresh, text, StandardCharsets.UTF_8);
        try {
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String cause(IOException e) {
        return e instanceof java.nio.file.AccessDeniedException ? "permission denied"
            : e instanceof java.nio.file.FileSystemException f && f.getReason() != null ? f.getReason()
                : e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private interface Step {
        void run() throws Exception;
    }
}
