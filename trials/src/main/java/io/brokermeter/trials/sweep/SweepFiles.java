package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunInputs;
import io.brokermeter.reports.directory.RunLock;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.KeptInput;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Shell;
import io.brokermeter.trials.ToolVersion;
import org.jspecify.annotations.Nullable;

/**
 * The files of a sweep in its directory: {@code experiments/}, the scenario files with everything that the command line changed;
 * {@code sweep.json}, the plan and the state of each trial, rewritten at each change; {@code trials/}, a directory of run files for each
 * trial. Used by one thread.
 */
public final class SweepFiles {

    public static final String SWEEP = StoredSweep.SWEEP;
    /** The lock file. Its first line is the id of the process that runs trials, as long as that process holds a lock on it. */
    private static final String LOCK = StoredSweep.LOCK;
    private static final String TRIALS = StoredSweep.TRIALS;
    private static final String EXPERIMENTS = "experiments";

    /** The state of a trial. */
    enum State {
        WAITING, RUNNING, PASSED, FAILED, INTERRUPTED;

        /** Returns whether the trial need not run again. */
        boolean isDone() {
            return this == PASSED || this == FAILED;
        }
    }

    /**
     * The state and the files of a trial.
     *
     * @param directory the name of its directory below {@code trials}
     * @param causes the reasons why it failed
     */
    record Entry(State state, String directory, List<String> causes) {}

    /** A file with its checksum when the sweep began. */
    private record Kept(Path file, String sha256) {

        static Kept of(Path file) throws IOException {
            return new Kept(file, hash(file));
        }

        private static String changed(Path file) {
            return file
                + " has changed since the sweep began, so its trials would not belong together; put the file back, or begin a new sweep.";
        }

        /** @throws UsageException when the file has changed since */
        void requireSame() {
            try {
                if (!hash(file).equals(sha256)) {
                    throw new UsageException(changed(file));
                }
            } catch (IOException e) {
                throw new UsageException(file + " cannot be read, so the sweep cannot go on.");
            }
        }
    }

    private final Path directory;
    private final List<Kept> sources;
    private List<Kept> experiments;
    /** The files of templates, in the form of {@link RunInputs}. */
    private final List<KeptInput> templates;
    private final String started;
    /** The commit of the current directory when the sweep began; null when it is not known. */
    private final EnvironmentDocument.@Nullable Git commit;
    /** The question of a comparison, a search or {@code window}; null for other sweeps. */
    private SweepDocument.@Nullable Question comparison;
    private final Map<Integer, Entry> entries = new HashMap<>();
    /** The value of {@link SweepPlan#unnamed()} that was kept; null when none was. */
    private @Nullable String unnamed;
    private @Nullable SweepPlan plan;

    private SweepFiles(Path directory, List<Kept> sources, List<Kept> experiments, List<KeptInput> templates,
            String started,
            EnvironmentDocument.@Nullable Git commit, SweepDocument.@Nullable Question comparison) {
        this.directory = directory;
        this.sources = sources;
        this.experiments = experiments;
        this.templates = templates;
        this.started = started;
        this.commit = commit;
        this.comparison = comparison;
    }

    /**
     * Creates the files of a new sweep.
     *
     * @param directory an empty directory
     * @param sources the files that the user named; resuming checks whether they have changed
     * @param commit the commit of the current directory, null for none
     * @param comparison the question of a comparison, a search or {@code window}; null for other sweeps
     */
    static SweepFiles create(Path directory, List<Path> sources, SweepPlan plan, EnvironmentDocument.@Nullable Git commit,
            SweepDocument.@Nullable Question comparison) throws IOException {
        Path own = PrivateFiles.directories(directory.resolve(EXPERIMENTS));
        PrivateFiles.directories(directory.resolve(TRIALS));
        List<Kept> named = new ArrayList<>();
        for (Path source : sources) {
            named.add(Kept.of(source.toAbsolutePath()));
        }
        List<Kept> stored = stored(own, plan.experiments(), List.of());
        Set<Path> templates = RunInputs.templates(plan.steps().stream().map(step -> step.trial().workload().scenario()).toList());
        SweepFiles files = new SweepFiles(directory, named, stored,
            RunInputs.keep(templates, directory, directory.resolve(RunInputs.KEY)), Instant.now().toString(), commit, comparison);
        files.plan = plan;
        plan.steps().forEach(step -> files.entries.put(step.number(), new Entry(State.WAITING, step.directory(), List.of())));
        files.write();
        return files;
    }

    /** Writes the files of experiments beside those that are in use, which stay as they are. */
    private static List<Kept> stored(Path own, List<Experiment> experiments, List<Kept> inUse) throws IOException {
        Set<Path> used = inUse.stream().map(Kept::file).collect(Collectors.toSet());
        List<Kept> stored = new ArrayList<>();
        for (Experiment experiment : experiments) {
            String name = String.format(Locale.ROOT, "%02d-%s", stored.size() + 1, RunStore.fileName(experiment.name()));
            Path file = own.resolve(name + ".yaml");
            if (used.contains(file)) {
                file = own.resolve(name + ".2.yaml");
            }
            RunDirectory.write(file, experiment.yaml());
            stored.add(Kept.of(file));
        }
        return stored;
    }

    /** Takes a plan that has the known trials, under their numbers, and more. */
    void grow(SweepPlan larger) throws IOException {
        List<Kept> before = experiments;
        experiments = stored(directory.resolve(EXPERIMENTS), larger.experiments(), before);
        plan = larger;
        larger.steps().forEach(step -> entries.putIfAbsent(step.number(), new Entry(State.WAITING, step.directory(), List.of())));
        // Until here the files are those of the smaller plan, so that a process that ends in between leaves a sweep that goes on.
        write();
        for (Kept old : before) {
            Files.deleteIfExists(old.file());
        }
    }

    /**
     * Opens the files of a sweep.
     *
     * @throws UsageException when the directory is not that of a sweep
     */
    public static SweepFiles open(Path directory) {
        try {
            SweepDocument all = DocumentJson.read(SweepDocument.class, Files.readString(directory.resolve(SWEEP)));
            Path own = directory.resolve(EXPERIMENTS);
            SweepFiles files = new SweepFiles(directory,
                all.files().stream().map(one -> new Kept(Path.of(one.path()), one.sha256())).toList(), all.experiments().stream()
                    .map(one -> new Kept(own.resolve(Path.of(one.file()).getFileName()), one.sha256())).toList(),
                all.templates(), String.valueOf(all.started()), all.git(), all.comparison());
            files.unnamed = all.unnamedBroker();
            all.trials().forEach(one -> files.entries.put((int) one.number(),
                new Entry(State.valueOf(one.state().toUpperCase(Locale.ROOT)), one.directory(), one.causes())));
            return files;
        } catch (IOException e) {
            throw new UsageException(directory + " is not the directory of a sweep: its " + SWEEP + " cannot be read.");
        } catch (IllegalArgumentException | ClassCastException e) {
            throw new UsageException(directory.resolve(SWEEP) + " is damaged: " + e.getMessage() + ".");
        }
    }

    /** Deletes the files of a sweep that was refused before its first trial; a sweep that has begun a trial keeps its files. */
    void discardUntouched() {
        try (Stream<Path> begun = Files.list(directory.resolve(TRIALS))) {
            if (begun.findAny().isPresent()) {
                return;
            }
        } catch (IOException e) {
            return;
        }
        DataDirectory.delete(directory);
    }

    /** Returns the name of the command that began the sweep in a directory. */
    public static String command(Path directory) {
        return LimitTrials.isIn(directory) ? "search"
            : WindowTrials.isIn(directory) ? "window" : PairedTrials.isIn(directory) ? "ab" : "run";
    }

    /** @throws UsageException with the command that resumes the sweep, when it was begun by another command than {@code run} */
    public static void requirePlain(Path directory) {
        String command = command(directory);
        if (!command.equals("run")) {
            throw new UsageException(directory + " was begun by " + command + "; it goes on with: brokermeter " + command + " --resume "
                + Shell.quoted(directory.toString()));
        }
    }

    /** Returns whether a directory is that of a sweep. */
    public static boolean isSweep(Path directory) {
        return StoredSweep.isSweep(directory);
    }

    /**
     * Keeps every other process from running trials of this sweep, until the returned lock is closed or this process ends.
     *
     * @throws UsageException when another process runs the sweep
     */
    public static RunLock lock(Path directory) throws IOException {
        Path file = directory.resolve(LOCK);
        return RunLock.exclusive(file).orElseThrow(() -> {
            String pid = RunLock.owner(file);
            return new UsageException("The sweep in " + directory + " is being run" + (pid.isEmpty() ? "" : " by process " + pid)
                + "; wait for its end, or end that process.");
        });
    }

    /**
     * Returns the experiments as they were when the sweep began.
     *
     * @throws UsageException when a file has changed since
     */
    public List<Experiment> experiments() {
        return experiments(Map.of());
    }

    /**
     * Returns the experiments as they were when the sweep began, with copies in place of files that producers read and that have changed
     * since.
     *
     * @param notes receives one sentence for each of these files
     * @throws UsageException when another file has changed since
     */
    public List<Experiment> experiments(Consumer<String> notes) {
        return experiments(RunInputs.copies(keptInputs(), notes));
    }

    private List<Experiment> experiments(Map<Path, Path> copies) {
        experiments.forEach(Kept::requireSame);
        // The number of trials, even an unusual one, was confirmed when the sweep began.
        Changes changes = new Changes(List.of(), true).reading(copies);
        return experiments.stream().map(kept -> ScenarioFile.read(kept.file(), changes)).toList();
    }

    /** Returns what the sweep and its trials that have begun keep of the files that they read, by the directory of the sweep or trial. */
    private Map<Path, List<KeptInput>> keptInputs() {
        Map<Path, List<KeptInput>> all = RunInputs.kept(entries.values().stream()
            .filter(entry -> entry.state() != State.WAITING).map(entry -> directory.resolve(TRIALS).resolve(entry.directory())).toList());
        all.put(directory, templates);
        return all;
    }

    /** @throws UsageException when a file that the user or a scenario named has changed since the sweep began */
    void requireSameSources() {
        sources.stream().filter(source -> Files.exists(source.file())).forEach(Kept::requireSame);
        RunInputs.changedFiles(keptInputs()).forEach(file -> {
            throw new UsageException(Kept.changed(file));
        });
    }

    /**
     * Continues the sweep with a plan.
     *
     * @throws UsageException when the plan is not that of the sweep
     */
    void resume(SweepPlan same) {
        boolean fits = same.steps().size() == entries.size()
            && same.steps().stream().allMatch(step -> entries.containsKey(step.number()));
        if (!fits) {
            throw new UsageException("The sweep in " + directory + " has other trials than its files describe; begin a new one.");
        }
        plan = same;
    }

    /** Returns the broker of the trials that name none, in the form of {@link SweepPlan#unnamed()}; null when it is not known. */
    @Nullable String unnamed() {
        return unnamed;
    }

    /**
     * Refuses to continue elsewhere what was begun on the broker of this machine.
     *
     * @param purpose decides which trials are due
     * @param isListening returns whether that broker is there
     * @throws UsageException when a trial that is due needs that broker, and it is not there
     */
    void requireLocal(SweepPlan rest, SweepPurpose purpose, BooleanSupplier isListening) {
        boolean needed = rest.steps().stream().anyMatch(step -> SweepPlan.isUnnamed(step) && step.broker() == null
            && isDue(step, rest, purpose));
        if (needed && !isListening.getAsBoolean()) {
            throw new UsageException("The sweep in " + directory + " was begun on the broker at " + Drivers.LOCAL
                + ", and none listens there now; start it again, or begin a new sweep.");
        }
    }

    /** Returns whether a trial is still to be run: it is not done, and useful. */
    boolean isDue(SweepPlan.Step step, SweepPlan rest, SweepPurpose purpose) {
        return !entry(step).state().isDone() && purpose.isDue(directory, rest.experiment(step).name());
    }

    /** Marks trials as waiting, to be measured again. */
    void again(List<SweepPlan.Step> steps) {
        steps.forEach(step -> entries.put(step.number(), new Entry(State.WAITING, step.directory(), List.of())));
    }

    /** Returns the number of trials that need not run again. */
    int done() {
        return (int) entries.values().stream().filter(entry -> entry.state().isDone()).count();
    }

    /** Returns the question of a comparison, a search or {@code window}; null for other sweeps. */
    SweepDocument.@Nullable Question comparison() {
        return comparison;
    }

    /** Records the state of a comparison. */
    void keep(SweepDocument.@Nullable Question state) throws IOException {
        comparison = state;
        write();
    }

    Path directory() {
        return directory;
    }

    Entry entry(SweepPlan.Step step) {
        Entry entry = entries.get(step.number());
        return entry == null ? new Entry(State.WAITING, step.directory(), List.of()) : entry;
    }

    /** Returns the directory of the files of a trial. */
    Path trial(SweepPlan.Step step) {
        return directory.resolve(TRIALS).resolve(entry(step).directory());
    }

    /** Returns the directory in which all trials keep copies of the files that they read. */
    Path inputs() {
        return directory.resolve(RunInputs.KEY).toAbsolutePath().normalize();
    }

    /** Creates a directory for a trial that is about to run; the files of an earlier attempt stay where they are. */
    Path begin(SweepPlan.Step step) throws IOException {
        Path fresh = directory.resolve(TRIALS).resolve(step.directory());
        for (int attempt = 2; Files.exists(fresh); attempt++) {
            fresh = directory.resolve(TRIALS).resolve(step.directory() + "." + attempt);
        }
        PrivateFiles.directories(fresh);
        // An answer that was found without this trial does not hold with it.
        Files.deleteIfExists(directory.resolve(StoredSweep.WINDOW));
        Files.deleteIfExists(directory.resolve(StoredSweep.LIMIT));
        entries.put(step.number(), new Entry(State.RUNNING, String.valueOf(fresh.getFileName()), List.of()));
        write();
        return fresh;
    }

    void end(SweepPlan.Step step, State state, List<String> causes) throws IOException {
        entries.put(step.number(), new Entry(state, entry(step).directory(), causes));
        write();
    }

    private void write() throws IOException {
        SweepPlan known = plan;
        if (known == null) {
            throw new IllegalStateException("The sweep was not resumed");
        }
        Map<String, String> labels = new LinkedHashMap<>();
        known.steps().forEach(step -> labels.putAll(step.trial().workload().labels()));
        RunDirectory.write(directory.resolve(SWEEP), DocumentJson.lines(new SweepDocument(RunDirectory.FORMAT,
            ToolVersion.text(), started, labels, commit, comparison, known.unnamed(),
            sources.stream().map(one -> new SweepDocument.NamedFile(one.file().toString(), one.sha256())).toList(),
            experiments(known), templates, known.steps().stream().map(step -> trial(known, step)).toList())));
    }

    private SweepDocument.OneTrial trial(SweepPlan known, SweepPlan.Step step) {
        Entry entry = entry(step);
        return new SweepDocument.OneTrial(step.number(), known.experiment(step).name(), (long) step.trial().index(),
            step.experiment() + 1L, step.trial().workload().scenario().seed(), step.trial().point().values(), step.trial().round(),
            entry.directory(), entry.state().name().toLowerCase(Locale.ROOT), entry.causes(), published(known, step));
    }

    /** Returns for each experiment its file and what its table is to state. */
    private List<SweepDocument.OneExperiment> experiments(SweepPlan known) {
        List<SweepDocument.OneExperiment> all = new ArrayList<>();
        for (Kept kept : experiments) {
            Experiment one = all.size() < known.experiments().size() ? known.experiments().get(all.size()) : null;
            all.add(
                new SweepDocument.OneExperiment(String.valueOf(kept.file().getFileName()), kept.sha256(), one == null ? null : one.name(),
                    one == null ? null : one.title(), one == null ? null : one.columns().name().toLowerCase(Locale.ROOT),
                    one == null || one.source() == null ? null : SweepResults.source(one.source())));
        }
        return all;
    }

    /** Returns the published figures for a trial's point, by the key of a table's column. */
    private static Map<String, SweepDocument.PublishedValue> published(SweepPlan known, SweepPlan.Step step) {
        Map<String, SweepDocument.PublishedValue> all = new LinkedHashMap<>();
        known.experiment(step).published(step.trial()).forEach(row -> row.figures().forEach(figure -> all.put(figure.name().key(),
            new SweepDocument.PublishedValue(figure.text(), (figure.low() + figure.high()) / 2))));
        return all;
    }

    private static String hash(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
