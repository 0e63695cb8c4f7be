package io.brokermeter.reports.directory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.csv.BrokerCsv;
import io.brokermeter.reports.csv.EndpointsCsv;
import io.brokermeter.reports.csv.FaultCourseCsv;
import io.brokermeter.reports.csv.GeneratorCsv;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.KeptInput;
import io.brokermeter.reports.json.JsonReport;
import io.brokermeter.reports.json.ResultJson;
import org.jspecify.annotations.Nullable;

/**
 * The files of one run in a directory of their own: {@code scenario.yaml}, {@code environment.json}, {@code intervals.jsonl},
 * {@code latency.hlog}, {@code broker.csv}, {@code generator.csv}, {@code events.jsonl} and, when the run is over, {@code endpoints.csv},
 * {@code result.json} and, for a run with a fault, {@code failover.csv}. All but those three grow with the run, and each piece is passed
 * to the operating system at once, so a killed process loses its last interval at most.
 */
public final class RunDirectory implements RunObserver {

    public static final String SCENARIO = "scenario.yaml";
    public static final String ENVIRONMENT = "environment.json";
    public static final String INTERVALS = "intervals.jsonl";
    public static final String HISTOGRAMS = "latency.hlog";
    /**
     * Key in {@code environment.json} of the accuracy of times measured by the clocks of two machines; absent if no message went from one
     * to another.
     */
    public static final String ONE_WAY = "oneWayTimes";
    /** Value of {@link #ONE_WAY} before the end of the run: nobody has judged the clocks yet. */
    public static final String UNJUDGED = "unjudged";
    /** Value of {@link #ONE_WAY} for times that are right to within a tenth of their median. */
    public static final String JUDGED = "judged";
    /** Value of {@link #ONE_WAY} for times that may be wrong by more. */
    public static final String LEFT_OUT = "left out";
    public static final String BROKER = "broker.csv";
    public static final String EVENTS = "events.jsonl";
    public static final String GENERATOR = "generator.csv";
    public static final String ENDPOINTS = "endpoints.csv";
    /** File with the course of events around a fault, in short time steps; only for a run with a scorecard. */
    public static final String FAILOVER = "failover.csv";
    public static final String RESULT = "result.json";
    /** Directory with a directory of files for each agent of a distributed run. */
    public static final String AGENTS = "agents";

    /**
     * The version of these files. Files without a number have version 1. A version adds to the one before and changes nothing in it, so
     * that every reader can use what it knows. 2: labels, the commit and what is run in {@code environment.json}, counts in
     * {@code intervals.jsonl}.
     */
    public static final int FORMAT = 2;

    private static final List<String> ALL =
        List.of(SCENARIO, ENVIRONMENT, INTERVALS, HISTOGRAMS, BROKER, GENERATOR, EVENTS, ENDPOINTS, FAILOVER, RESULT);

    private final Path directory;
    private final RunShape shape;
    private EnvironmentDocument environment;
    private final JsonReport intervals;
    private final Reports files;
    private final GeneratorCsv generator;
    private final RunLock lock;
    private final @Nullable Consumer<String> warnings;
    private boolean failed;
    /** The time of the run up to which everything was written, in seconds. */
    private double elapsedSeconds;
    private @Nullable FilesEnd end;

    /**
     * The reason why the files of a completed run contain only its beginning.
     *
     * @param elapsedSeconds time of the run up to which they are complete
     */
    public record FilesEnd(double elapsedSeconds, String reason) {}

    private RunDirectory(Path directory, RunShape shape, EnvironmentDocument environment, JsonReport intervals, Reports files,
            GeneratorCsv generator, RunLock lock, @Nullable Consumer<String> warnings) {
        this.directory = directory;
        this.shape = shape;
        this.environment = environment;
        this.intervals = intervals;
        this.files = files;
        this.generator = generator;
        this.lock = lock;
        this.warnings = warnings;
    }

    /**
     * Creates the files in a directory, which is created if it does not exist.
     *
     * @param scenario the run as a scenario file, without secrets
     * @param metrics names of further metrics of the broker
     * @param warnings called with one sentence if a file cannot be written during the run, which then continues without the
     *     files; null to fail the run
     * @throws UsageException if a file cannot be created
     */
    public static RunDirectory open(Path directory, String scenario, RunShape shape, RunEnvironment environment,
            List<String> metrics, @Nullable Consumer<String> warnings) {
        try {
            PrivateFiles.directories(directory);
            write(directory.resolve(SCENARIO), scenario);
            write(directory.resolve(ENVIRONMENT), DocumentJson.lines(environment.document()));
            for (String name : List.of(INTERVALS, HISTOGRAMS, BROKER, GENERATOR, EVENTS, ENDPOINTS)) {
                PrivateFiles.file(directory.resolve(name));
            }
            JsonReport intervals = JsonReport.ofRun(directory.resolve(INTERVALS), shape);
            GeneratorCsv generator = GeneratorCsv.open(directory.resolve(GENERATOR));
            Reports files = new Reports(List.of(HdrReport.ofRun(directory.resolve(HISTOGRAMS)),
                BrokerCsv.open("", directory.resolve(BROKER), metrics), EventsFile.open(directory.resolve(EVENTS), shape.sentences()),
                generator, EndpointsCsv.open(directory.resolve(ENDPOINTS))));
            return new RunDirectory(directory, shape, environment.document(), intervals, files, generator,
                RunLock.take(directory.resolve(INTERVALS)),
                warnings);
        } catch (IOException e) {
            throw new UsageException("The files of the run cannot be written to " + directory + ": " + cause(e) + ".");
        }
    }

    /**
     * Replaces the scenario by a more specific one, with the version of the broker that was started.
     *
     * @throws UsageException if the file cannot be written and there is no consumer of warnings
     */
    public void scenario(String text) {
        replace(SCENARIO, text);
    }

    /**
     * Marks the files as containing times between machines whose clocks nobody has judged yet. Until {@link Finding.OneWayBound} or
     * {@link Finding.OneWayLeftOut} is reported, and after the latter, readers do not take them for times of messages.
     */
    public void crossesClocks() {
        environment(its -> its.withOneWay(UNJUDGED));
    }

    /**
     * Marks the load as generated by other processes, each of which has files of its own below {@link #AGENTS}, for example of its usage.
     */
    public void isMadeByOthers() {
        generator.leaveOut();
    }

    /** Returns the value of {@link #ONE_WAY} that an event determines; null if it determines none. */
    public static @Nullable String oneWay(Event event) {
        return switch (event.what()) {
            case Finding.OneWayBound _ -> JUDGED;
            case Finding.OneWayLeftOut _ -> LEFT_OUT;
            default -> null;
        };
    }

    /**
     * Marks the times between machines in the files of another process as left out.
     *
     * @param directory directory with an {@code environment.json}
     */
    public static void crossedClocks(Path directory) throws IOException {
        Path file = directory.resolve(ENVIRONMENT);
        write(file, DocumentJson.lines(
            DocumentJson.read(EnvironmentDocument.class, Files.readString(file)).withOneWay(LEFT_OUT)));
    }

    /**
     * Adds a fact to the environment, such as the commit of the current directory.
     *
     * @throws UsageException if the file cannot be written and there is no consumer of warnings
     */
    public void environment(UnaryOperator<EnvironmentDocument> change) {
        environment = change.apply(environment);
        replace(ENVIRONMENT, DocumentJson.lines(environment));
    }

    /**
     * Records the files that a scenario names and its producers read: bodies and recorded timings.
     *
     * @param place directory of their copies; null for one in the directory of the run itself
     */
    public void inputs(Scenario scenario, @Nullable Path place) {
        List<KeptInput> inputs = RunInputs.keep(RunInputs.of(scenario), directory,
            place == null ? directory.resolve(RunInputs.KEY) : place);
        if (!inputs.isEmpty()) {
            environment(its -> its.with(inputs));
        }
    }

    private void replace(String name, String text) {
        try {
            write(directory.resolve(name), text);
        } catch (IOException e) {
            boolean before = failed;
            failed = true;
            end = end == null ? new FilesEnd(elapsedSeconds, cause(e)) : end;
            if (warnings == null) {
                throw new UsageException("The files of the run cannot be written to " + directory + ": " + cause(e) + ".");
            }
            if (!before) {
                warnings.accept("The files of this run in " + directory + " are not complete: " + cause(e) + ".");
            }
        }
    }

    /** Returns whether a process still writes its run to this directory. */
    public static boolean isRunning(Path directory) {
        return RunLock.isHeld(directory.resolve(INTERVALS));
    }

    /** Returns the directory of the files. */
    public Path directory() {
        return directory;
    }

    @Override
    public void interval(Interval interval) throws Exception {
        keep(() -> {
            intervals.interval(interval);
            files.interval(interval);
        });
        elapsedSeconds = end == null ? interval.elapsedNanos() / 1e9 : elapsedSeconds;
    }

    @Override
    public void event(Event event) throws Exception {
        String worth = oneWay(event);
        if (worth != null) {
            environment(its -> its.withOneWay(worth));
        }
        if (event.what() instanceof Finding.RateSet) {
            environment(EnvironmentDocument::withoutRate);
        }
        keep(() -> files.event(event));
    }

    @Override
    public void finished(RunResult result) throws Exception {
        Exception first = null;
        try {
            keep(() -> {
                files.finished(result);
                write(directory.resolve(ENVIRONMENT), DocumentJson.lines(environment.with(RunEnvironment.atEnd(result.versions()))));
                String course = FaultCourseCsv.text(result);
                if (!course.isEmpty()) {
                    write(directory.resolve(FAILOVER), course);
                }
            });
        } catch (Exception e) {
            first = e;
        }
        // The result is small and the most important file, so its write is attempted in any case.
        try {
            write(directory.resolve(RESULT), ResultJson.text(result, shape, end));
        } catch (IOException e) {
            if (warnings == null && first == null) {
                first = e;
            } else if (warnings != null && !failed) {
                warn(e);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void close() throws Exception {
        try (lock; intervals) {
            files.close();
        }
    }

    /** Closes and deletes the files of this run, which did not begin. */
    public void discard() {
        try {
            close();
        } catch (Exception e) {
            // these files are deleted next
        }
        try {
            for (String name : ALL) {
                Files.deleteIfExists(directory.resolve(name));
            }
            deleteAgents();
            Path copies = directory.resolve(RunInputs.KEY);
            if (Files.isDirectory(copies)) {
                try (Stream<Path> inputs = Files.list(copies)) {
                    for (Path copy : inputs.toList()) {
                        Files.delete(copy);
                    }
                }
                Files.delete(copies);
            }
            try (Stream<Path> left = Files.list(directory)) {
                if (left.findAny().isEmpty()) {
                    Files.delete(directory);
                }
            }
        } catch (IOException e) {
            // the rest stays in the user's directory
        }
    }

    private void deleteAgents() throws IOException {
        Path agents = directory.resolve(AGENTS);
        if (Files.isDirectory(agents)) {
            try (Stream<Path> all = Files.walk(agents)) {
                for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(one);
                }
            }
        }
    }

    private void keep(Step step) throws Exception {
        if (failed) {
            return;
        }
        try {
            step.run();
        } catch (IOException e) {
            if (end == null) {
                end = new FilesEnd(elapsedSeconds, String.valueOf(e.getMessage()));
            }
            if (warnings == null) {
                throw e;
            }
            warn(e);
        }
    }

    private void warn(IOException e) {
        failed = true;
        if (warnings != null) {
            warnings.accept("The files of this run in " + directory + " are not complete: " + e.getMessage());
        }
    }

    /** Writes a file whole, so that a reader never sees a part of it; nobody but its owner may read it. */
    public static void write(Path file, String text) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes contents that need not be text, in the same way as {@link #write(Path, String)}. */
    static void write(Path file, byte[] contents) throws IOException {
        Path fresh = file.resolveSibling("." + file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        PrivateFiles.file(fresh);
        try {
            Files.write(fresh, contents);
            try {
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            // the part that was written before the disk was full
            Files.deleteIfExists(fresh);
            throw e;
        }
    }

    private static String cause(IOException e) {
        return e instanceof java.nio.file.AccessDeniedException ? "permission denied"
            : e instanceof NoSuchFileException ? "there is no such file or directory"
                : e instanceof java.nio.file.FileSystemException f && f.getReason() != null ? f.getReason()
                    : e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private interface Step {
        void run() throws Exception;
    }
}
