package io.brokermeter.reports;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * The files of one run in a directory of their own: {@code scenario.yaml}, {@code environment.json},
 * {@code intervals.jsonl}, {@code latency.hlog}, {@code broker.csv}, {@code generator.csv}, {@code events.jsonl} and, when the run is
 * over, {@code endpoints.csv}, {@code result.json} and, of one with a fault, {@code failover.csv}. Everything but those three grows with the run, and each piece goes to the operating
 * system at once, so a killed process loses its last interval at most.
 */
public final class RunDirectory implements RunObserver {

    public static final String SCENARIO = "scenario.yaml";
    public static final String ENVIRONMENT = "environment.json";
    public static final String INTERVALS = "intervals.jsonl";
    public static final String HISTOGRAMS = "latency.hlog";
    /** In {@code environment.json}: what times are worth that two machines' clocks have measured; not there where no message went from one to another. */
    public static final String ONE_WAY = "oneWayTimes";
    /** The run was not at its end yet when that was written. */
    public static final String UNJUDGED = "unjudged";
    /** They are right to within a tenth of their median. */
    public static final String JUDGED = "judged";
    /** They may be wrong by more. */
    public static final String LEFT_OUT = "left out";
    public static final String BROKER = "broker.csv";
    public static final String EVENTS = "events.jsonl";
    public static final String GENERATOR = "generator.csv";
    public static final String ENDPOINTS = "endpoints.csv";
    /** What happened around a fault, in short stretches of time; only of a run that has a scorecard. */
    public static final String FAILOVER = "failover.csv";
    public static final String RESULT = "result.json";
    /** Directory with a directory for each agent of a run on several, which has its files. */
    public static final String AGENTS = "agents";

    /**
     * The version of these files. Files without a number have version 1. A version adds to the one before and changes nothing in it, so that every
     * reader takes what it knows. 2: labels, the commit and what is run in {@code environment.json}, counts in {@code intervals.jsonl}.
     */
    public static final int FORMAT = 2;

    private static final List<String> ALL =
        List.of(SCENARIO, ENVIRONMENT, INTERVALS, HISTOGRAMS, BROKER, GENERATOR, EVENTS, ENDPOINTS, FAILOVER, RESULT);

    private final Path directory;
    private final RunShape shape;
    private RunEnvironment environment;
    private final JsonReport intervals;
    private final Reports files;
    private final GeneratorCsv generator;
    private final RunLock lock;
    private final @Nullable Consumer<String> warnings;
    private boolean failed;
    /** Up to when everything was written. */
    private double elapsedSeconds;
    private @Nullable FilesEnd end;

    /**
     * Why files of a run that came to its end have no more than its beginning.
     *
     * @param elapsedSeconds up to when they have everything
     */
    record FilesEnd(double elapsedSeconds, String reason) {}

    private RunDirectory(Path directory, RunShape shape, RunEnvironment environment, JsonReport intervals, Reports files,
            GeneratorCsv generator,
            RunLock lock, @Nullable Consumer<String> warnings) {
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
     * Creates the files in a directory, which is created when it is not there.
     *
     * @param scenario the run as a scenario file, without secrets
     * @param metrics names of further metrics of the broker
     * @param warnings called with one sentence when a file cannot be written while the run goes on, which then goes on without
     *     them; null to have the run fail
     * @throws UsageException when a file cannot be created
     */
    public static RunDirectory open(Path directory, String scenario, RunShape shape, RunEnvironment environment,
            List<String> metrics, @Nullable Consumer<String> warnings) {
        try {
            PrivateFiles.directories(directory);
            write(directory.resolve(SCENARIO), scenario);
            write(directory.resolve(ENVIRONMENT), environment.json(Map.of()));
            for (String name : List.of(INTERVALS, HISTOGRAMS, BROKER, GENERATOR, EVENTS, ENDPOINTS)) {
                PrivateFiles.file(directory.resolve(name));
            }
            JsonReport intervals = JsonReport.ofRun(directory.resolve(INTERVALS), shape);
            GeneratorCsv generator = GeneratorCsv.open(directory.resolve(GENERATOR));
            Reports files = new Reports(List.of(HdrReport.ofRun(directory.resolve(HISTOGRAMS)),
                BrokerCsv.open("", directory.resolve(BROKER), metrics), EventsFile.open(directory.resolve(EVENTS), shape.sentences()),
                generator, EndpointsCsv.open(directory.resolve(ENDPOINTS))));
            return new RunDirectory(directory, shape, environment, intervals, files, generator, RunLock.take(directory.resolve(INTERVALS)),
                warnings);
        } catch (IOException e) {
            throw new UsageException("The files of the run cannot be written to " + directory + ": " + cause(e) + ".");
        }
    }

    /**
     * Replaces the scenario by one that says more: which version of a broker came to run.
     *
     * @throws UsageException when it cannot be written and there is nobody to warn
     */
    public void scenario(String text) {
        replace(SCENARIO, text);
    }

    /**
     * Says that times from one machine to another stand in the files whose clocks nobody has judged yet. Until {@link Finding.OneWayBound} or
     * {@link Finding.OneWayLeftOut} is reported, and after the latter, readers do not take them for times of messages.
     */
    public void crossesClocks() {
        environment(ONE_WAY, UNJUDGED);
    }

    /** Says that other processes make the load, each of which has files of its own, of what it uses for example, below {@link #AGENTS}. */
    public void isMadeByOthers() {
        generator.leaveOut();
    }

    /** What an event says of times from one machine to another, as files have it; null for nothing. */
    static @Nullable String oneWay(Event event) {
        return switch (event.what()) {
            case Finding.OneWayBound _ -> JUDGED;
            case Finding.OneWayLeftOut _ -> LEFT_OUT;
            default -> null;
        };
    }

    /**
     * Says the same of the files of another process.
     *
     * @param directory that has an {@code environment.json}
     */
    public static void crossedClocks(Path directory) throws IOException {
        Path file = directory.resolve(ENVIRONMENT);
        Map<String, @Nullable Object> values = new LinkedHashMap<>(JsonText.read(Files.readString(file)));
        values.put(ONE_WAY, LEFT_OUT);
        write(file, JsonText.lines(values));
    }

    /**
     * Adds something to what is known of the environment: the commit of the current directory.
     *
     * @throws UsageException when it cannot be written and there is nobody to warn
     */
    public void environment(String name, Object value) {
        environment = environment.with(name, value);
        replace(ENVIRONMENT, environment.json(Map.of()));
    }

    /**
     * Keeps the files that a scenario names and its producers read: bodies and recorded timings.
     *
     * @param place where copies go; null for a directory of the run itself
     */
    public void inputs(Scenario scenario, @Nullable Path place) {
        List<Map<String, @Nullable Object>> inputs = RunInputs.keep(RunInputs.of(scenario), directory,
            place == null ? directory.resolve(RunInputs.KEY) : place);
        if (!inputs.isEmpty()) {
            environment(RunInputs.KEY, inputs);
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

    /** Whether a process still runs what it keeps in this directory. */
    public static boolean isRunning(Path directory) {
        return RunLock.isHeld(directory.resolve(INTERVALS));
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
        elapsedSeconds = end == null ? interval.elapsedNanos() / 1e9 : elapsedSeconds;
    }

    @Override
    public void event(Event event) throws Exception {
        String worth = oneWay(event);
        if (worth != null) {
            environment(ONE_WAY, worth);
        }
        keep(() -> files.event(event));
    }

    @Override
    public void finished(RunResult result) throws Exception {
        Exception first = null;
        try {
            keep(() -> {
                files.finished(result);
                write(directory.resolve(ENVIRONMENT), environment.json(result.versions()));
                String course = FaultCourseCsv.text(result);
                if (!course.isEmpty()) {
                    write(directory.resolve(FAILOVER), course);
                }
            });
        } catch (Exception e) {
            first = e;
        }
        // It is small and says most, so it is written where anything can be.
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
            // left as the user's directory wants it
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

    /** The same of contents that need not be text. */
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
            // on a full disk, a part of it
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
