package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.csv.Csv;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EndpointRow;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.EventDocument;
import io.brokermeter.reports.document.FaultStep;
import io.brokermeter.reports.document.GeneratorRow;
import io.brokermeter.reports.document.IntervalDocument;
import io.brokermeter.reports.document.ResultDocument;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a run left in its directory. A run that was cut off, by SIGKILL or by a full disk, yields what it wrote: its
 * {@link #result} is then made of the intervals. Files of a newer format are read as far as this version knows them, which {@link #notes}
 * reports.
 *
 * <p>Intervals and times are read on demand, since those of a long run are large. Belongs to one thread.
 */
public final class StoredRun {

    /** The state of a stored run. */
    public enum State {
        /** The run has a result. */
        ENDED,
        /** The process of the run is still alive. */
        RUNNING,
        /** The process of the run is gone and left no result. */
        CUT_OFF
    }

    private static final List<String> FILES = List.of(RunDirectory.RESULT, RunDirectory.ENVIRONMENT, RunDirectory.INTERVALS,
        RunDirectory.SCENARIO);

    private final Path directory;
    private final State state;
    private final EnvironmentDocument environment;
    private final @Nullable StoredResult written;
    private final List<String> notes = new ArrayList<>();
    private @Nullable StoredResult result;
    private @Nullable List<StoredInterval> intervals;
    private @Nullable List<EventDocument> events;
    private @Nullable Map<Metric, Histogram> merged;

    private StoredRun(Path directory, State state, EnvironmentDocument environment, @Nullable ResultDocument written) {
        this.directory = directory;
        this.state = state;
        this.environment = environment;
        this.written = written == null ? null : shown(new StoredResult(written), environment);
    }

    /**
     * Returns a result without those times between machines that are not times of messages.
     *
     * @param environment environment of its run
     */
    public static StoredResult shown(StoredResult result, EnvironmentDocument environment) {
        return !hidesOneWay(environment) ? result : new StoredResult(result.document().without(Arrays.stream(Metric.values())
            .filter(Metric::isOneWay).map(Metric::fileKey).collect(Collectors.toSet())));
    }

    /** Returns the result in the directory of a run, without times that are not shown; empty if there is none yet. */
    public static Optional<StoredResult> resultIn(Path directory) {
        EnvironmentDocument environment = environmentIn(directory, new ArrayList<>());
        return StoredResult.in(directory).map(result -> shown(result, environment));
    }

    /** Returns whether a directory holds anything of a run. */
    public static boolean isRun(Path directory) {
        return FILES.stream().anyMatch(name -> Files.isRegularFile(directory.resolve(name)));
    }

    /**
     * Reads the run in a directory.
     *
     * @throws UsageException with one sentence, if there is none, or if its files cannot be read
     */
    public static StoredRun read(Path directory) {
        return read(directory, null, null);
    }

    /**
     * Returns a run of this process that goes on. Its intervals are not read: a process that opens a file which it has locked, as it has
     * the one of the intervals, loses its lock.
     *
     * @param intervals the intervals so far
     * @param times what {@link #times} returns; may change until it is called
     */
    public static StoredRun ofThisProcess(Path directory, List<StoredInterval> intervals, Map<Metric, Histogram> times) {
        return read(directory, intervals, times);
    }

    private static StoredRun read(Path directory, @Nullable List<StoredInterval> intervalsSoFar, @Nullable Map<Metric, Histogram> times) {
        if (!isRun(directory)) {
            throw new UsageException(directory + " is not the directory of a run: it has neither " + RunDirectory.RESULT + " nor "
                + RunDirectory.INTERVALS + ".");
        }
        // A run that ends meanwhile writes its result before it releases its lock.
        boolean running = RunDirectory.isRunning(directory);
        List<String> notes = new ArrayList<>();
        ResultDocument result = document(ResultDocument.class, directory.resolve(RunDirectory.RESULT), notes);
        StoredRun run = new StoredRun(directory, result != null ? State.ENDED : running ? State.RUNNING : State.CUT_OFF,
            environmentIn(directory, notes), result);
        run.notes.addAll(notes);
        run.merged = times;
        if (intervalsSoFar != null) {
            run.intervals = intervalsSoFar.stream().map(one -> new StoredInterval(one.index(), run.shown(one.document()))).toList();
        }
        if (run.hidesOneWay()) {
            run.notes.add("Times from one agent to another are left out, since their clocks "
                + (RunDirectory.UNJUDGED.equals(run.environment.oneWayTimes()) ? "were not compared to the end of the run."
                    : "are known too little."));
        }
        if (run.format() > RunDirectory.FORMAT) {
            run.notes.add("The files of this run have format " + run.format() + ", and this brokermeter knows formats up to "
                + RunDirectory.FORMAT + ": what it does not know is left out.");
        }
        ResultDocument.FilesEnd end = run.written == null ? null : run.written.document().filesEnd();
        if (end != null) {
            run.notes.add("Intervals, times and events end after " + end.elapsedSeconds() + " s: " + end.reason()
                + ". The totals are those of the whole run.");
        }
        String intervals = run.intervals().size() + Counted.word(run.intervals().size(), " interval", " intervals");
        if (run.state == State.CUT_OFF) {
            run.notes.add("The run was cut off: its process is gone and left no result. What follows is made of the "
                + intervals + " that it wrote.");
        } else if (run.state == State.RUNNING) {
            run.notes.add("The run goes on. What follows is made of the " + intervals + " so far.");
        }
        return run;
    }

    /** Returns the name that a run was given with {@code --id}, or that was made for it; empty if it is unknown. */
    static String idOf(Path directory) {
        for (String file : List.of(RunDirectory.ENVIRONMENT, RunDirectory.RESULT)) {
            try {
                String name = DocumentJson.read(Named.class, Files.readString(directory.resolve(file))).name;
                if (!name.isEmpty()) {
                    return name;
                }
            } catch (IOException | IllegalArgumentException e) {
                // the other file may contain it
            }
        }
        return "";
    }

    private record Named(String name) {}

    private static EnvironmentDocument environmentIn(Path directory, List<String> notes) {
        EnvironmentDocument environment = document(EnvironmentDocument.class, directory.resolve(RunDirectory.ENVIRONMENT), notes);
        return environment == null ? EnvironmentDocument.UNKNOWN : environment;
    }

    /** Returns the document of a file; null if the file is missing, and with a note if it is damaged. */
    private static <R extends Record> @Nullable R document(Class<R> type, Path file, List<String> notes) {
        try {
            return DocumentJson.read(type, Files.readString(file));
        } catch (IOException e) {
            if (Files.exists(file)) {
                throw new UsageException(file + " cannot be read: " + e.getMessage() + ".");
            }
            return null;
        } catch (IllegalArgumentException e) {
            notes.add(file.getFileName() + " is damaged and was left out: " + e.getMessage() + ".");
            return null;
        }
    }

    /**
     * Returns whether the files have times between machines whose clocks were not compared to the end, or differ too much for times of
     * messages.
     */
    private boolean hidesOneWay() {
        return hidesOneWay(environment);
    }

    private static boolean hidesOneWay(EnvironmentDocument environment) {
        return environment.oneWayTimes() != null && !environment.oneWayTimes().equals(RunDirectory.JUDGED);
    }

    /** Returns false for one-way times that clock skew makes meaningless. */
    public boolean isShown(Metric metric) {
        return !metric.isOneWay() || !hidesOneWay();
    }

    public Path directory() {
        return directory;
    }

    /** Returns the name of the directory. */
    public String directoryName() {
        Path name = directory.toAbsolutePath().normalize().getFileName();
        return name == null ? directory.toString() : name.toString();
    }

    /** Returns the name of the run, without the time that its directory's name may begin with: {@code client}. */
    public String title() {
        return RunStore.withoutTime(directoryName());
    }

    public State state() {
        return state;
    }

    /** Returns the version of the files, as {@link RunDirectory#FORMAT} counts them. */
    public int format() {
        long said = environment.format() == null ? 1 : environment.format();
        return (int) Math.max(1, Math.max(said, written == null ? 1 : written.document().format()));
    }

    /** Returns what a reader must know about these files, one sentence each; grows while they are read. */
    public List<String> notes() {
        return Collections.unmodifiableList(notes);
    }

    /**
     * Returns the result of the run. If the run left none, returns one that is made of its intervals, in the same form: {@code result} is
     * {@code cut off} or {@code running}, {@code success} is false, and there is no ledger and no verdict on the generator.
     */
    public StoredResult result() {
        if (written != null) {
            return written;
        }
        StoredResult made = result;
        if (made == null) {
            made = new PartialResult(this).result();
            result = made;
        }
        return made;
    }

    /** Returns machine and program. */
    public EnvironmentDocument environment() {
        return environment;
    }

    /** Returns the labels of the run, as {@link RunLabels} defines them. */
    public Map<String, String> labels() {
        return environment.labels();
    }

    /** Returns the scenario file that repeats the run; empty if there is none. */
    public Optional<String> scenario() {
        try {
            return Optional.of(Files.readString(directory.resolve(RunDirectory.SCENARIO)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns every interval, in order. */
    public List<StoredInterval> intervals() {
        List<StoredInterval> known = intervals;
        if (known == null) {
            List<StoredInterval> all = new ArrayList<>();
            lines(RunDirectory.INTERVALS, IntervalDocument.class,
                one -> one.sampleType().equals("interval") ? new StoredInterval(all.size(), shown(one)) : null, all);
            known = List.copyOf(all);
            intervals = known;
        }
        return known;
    }

    private IntervalDocument shown(IntervalDocument interval) {
        return hidesOneWay() ? interval.withoutOneWay() : interval;
    }

    /** Returns every event, in order. */
    public List<EventDocument> events() {
        List<EventDocument> known = events;
        if (known == null) {
            List<EventDocument> all = new ArrayList<>();
            lines(RunDirectory.EVENTS, EventDocument.class, one -> one, all);
            known = List.copyOf(all);
            events = known;
        }
        return known;
    }

    /**
     * Returns the usage of the generator itself, a row for each interval; none in files of format 1. For a run on agents, returns the usage
     * of all of them together.
     */
    public List<GeneratorRow> generator() {
        Path agents = directory.resolve(RunDirectory.AGENTS);
        if (!Files.isDirectory(agents)) {
            return rows(RunDirectory.GENERATOR, GeneratorRow.class);
        }
        double length = environment.workload().intervalSeconds();
        GeneratorSums sums = new GeneratorSums(length > 0 ? length : 1);
        try (Stream<Path> all = Files.list(agents)) {
            for (Path agent : all.sorted().toList()) {
                sums.add(rows(RunDirectory.AGENTS + "/" + agent.getFileName() + "/" + RunDirectory.GENERATOR, GeneratorRow.class));
            }
        } catch (IOException e) {
            throw new UsageException(agents + " cannot be read: " + e.getMessage() + ".");
        }
        return sums.rows();
    }

    /** Returns the messages of each producer and consumer; none in format 1. */
    public List<EndpointRow> endpoints() {
        return rows(RunDirectory.ENDPOINTS, EndpointRow.class);
    }

    /**
     * Returns the course of events around a fault, a row for each short time step; none for a run without a fault, or of a version that did
     * not write it yet.
     */
    public List<FaultStep> faultCourse() {
        return rows(RunDirectory.FAILOVER, FaultStep.class);
    }

    private <R extends Record> List<R> rows(String name, Class<R> type) {
        try {
            return Csv.read(directory.resolve(name), type);
        } catch (IOException e) {
            throw new UsageException(directory.resolve(name) + " cannot be read: " + e.getMessage() + ".");
        }
    }

    private <D extends Record, T> void lines(String name, Class<D> type, Function<D, @Nullable T> made, List<T> all) {
        try {
            damaged(name, StoredLines.read(directory.resolve(name), line -> {
                T one = made.apply(DocumentJson.read(type, line));
                if (one != null) {
                    all.add(one);
                }
            }));
        } catch (IOException e) {
            throw new UsageException(directory.resolve(name) + " cannot be read: " + e.getMessage() + ".");
        }
    }

    private void damaged(String name, long lines) {
        if (lines > 0) {
            note(name + " has " + lines + (lines == 1 ? " line that cannot be read and was left out."
                : " lines that cannot be read and were left out."));
        }
    }

    /** Adds a sentence to {@link #notes} unless it is already there. */
    void note(String sentence) {
        if (!notes.contains(sentence)) {
            notes.add(sentence);
        }
    }

    /** Passes on the samples of every interval, in order; reads the file each time. */
    public void samples(Consumer<LoggedSamples> receiver) {
        samples(0, Long.MAX_VALUE, receiver);
    }

    /**
     * Passes on the samples in a part of their file, in order.
     *
     * @param from size that the file had when an earlier interval was over
     * @param to size that it had when a later one was over
     */
    public void samples(long from, long to, Consumer<LoggedSamples> receiver) {
        try {
            damaged(RunDirectory.HISTOGRAMS,
                LatencyLog.read(directory.resolve(RunDirectory.HISTOGRAMS), from, to, this::isShown, receiver));
        } catch (IOException e) {
            throw new UsageException(directory.resolve(RunDirectory.HISTOGRAMS) + " cannot be read: " + e.getMessage() + ".");
        }
    }

    /** Returns the HdrHistogram log of the run, without damaged lines and times that are not shown. */
    public String latencyLog() {
        StringBuilder text = new StringBuilder();
        try {
            damaged(RunDirectory.HISTOGRAMS, LatencyLog.lines(directory.resolve(RunDirectory.HISTOGRAMS), this::isShown, text));
        } catch (IOException e) {
            throw new UsageException(directory.resolve(RunDirectory.HISTOGRAMS) + " cannot be read: " + e.getMessage() + ".");
        }
        return text.toString();
    }

    /**
     * Returns the times of the whole run without the warm-up, in microseconds with 3 significant digits, for those metrics that have
     * samples. They are the sum of the histograms in {@code latency.hlog}; percentiles of {@link #result} were taken in nanoseconds and
     * may differ by 0.1 %.
     */
    public Map<Metric, Histogram> times() {
        Map<Metric, Histogram> known = merged;
        if (known == null) {
            Map<Metric, Histogram> all = new EnumMap<>(Metric.class);
            samples(one -> {
                if (!one.warmup()) {
                    all.computeIfAbsent(one.metric(), _ -> new Histogram(3)).add(one.micros());
                }
            });
            known = Collections.unmodifiableMap(all);
            merged = known;
        }
        return known;
    }
}
