package io.brokermeter.trials;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.RunStore;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep keeps in its directory: {@code experiments/}, the scenario files with everything that the command line
 * changed; {@code sweep.json}, the plan and the state of each trial, written anew at each change; {@code trials/}, a
 * directory of run files for each. Used by one thread.
 */
public final class SweepFiles {

    public static final String SWEEP = "sweep.json";
    /** Its first line is the id of the process that runs trials, as long as that holds a lock on it. */
    private static final String LOCK = "sweep.lock";
    private static final String TRIALS = "trials";
    private static final String EXPERIMENTS = "experiments";

    /** How far a trial is. */
    enum State {
        WAITING, RUNNING, PASSED, FAILED, INTERRUPTED;

        /** Whether it need not run again. */
        boolean isDone() {
            return this == PASSED || this == FAILED;
        }
    }

    /**
     * A trial so far.
     *
     * @param directory the name of its directory below {@code trials}
     * @param causes why it failed
     */
    record Entry(State state, String directory, List<String> causes) {}

    private final Path directory;
    private final List<Path> sources;
    private final List<String> hashes;
    private final List<Path> experiments;
    private final List<String> experimentHashes;
    private final String started;
    private final Map<Integer, Entry> entries = new HashMap<>();
    private @Nullable SweepPlan plan;

    private SweepFiles(Path directory, List<Path> sources, List<String> hashes, List<Path> experiments,
            List<String> experimentHashes, String started) {
        this.directory = directory;
        this.sources = sources;
        this.hashes = hashes;
        this.experiments = experiments;
        this.experimentHashes = experimentHashes;
        this.started = started;
    }

    /**
     * The files of a new sweep.
     *
     * @param directory an empty one
     * @param sources what the user named, to tell later whether it has changed
     */
    static SweepFiles create(Path directory, List<Path> sources, SweepPlan plan) throws IOException {
        Path own = PrivateFiles.directories(directory.resolve(EXPERIMENTS));
        PrivateFiles.directories(directory.resolve(TRIALS));
        List<String> hashes = new ArrayList<>();
        for (Path source : sources) {
            hashes.add(hash(source));
        }
        List<Path> stored = new ArrayList<>();
        List<String> storedHashes = new ArrayList<>();
        for (int i = 0; i < plan.experiments().size(); i++) {
            Experiment experiment = plan.experiments().get(i);
            Path file = own.resolve(String.format(Locale.ROOT, "%02d-%s.yaml", i + 1, RunStore.fileName(experiment.name())));
            RunDirectory.write(file, experiment.yaml());
            stored.add(file);
            storedHashes.add(hash(file));
        }
        SweepFiles files = new SweepFiles(directory, sources.stream().map(Path::toAbsolutePath).toList(), hashes, stored, storedHashes,
                Instant.now().toString());
        files.plan = plan;
        plan.steps().forEach(step -> files.entries.put(step.number(), new Entry(State.WAITING, step.directory(), List.of())));
        files.write();
        return files;
    }

    /** @throws UsageException when the directory is not that of a sweep */
    public static SweepFiles open(Path directory) {
        try {
            Map<String, @Nullable Object> all = JsonText.read(Files.readString(directory.resolve(SWEEP)));
            List<Path> sources = new ArrayList<>();
            List<String> hashes = new ArrayList<>();
            for (Map<?, ?> one : maps(all.get("files"))) {
                sources.add(Path.of(String.valueOf(one.get("path"))));
                hashes.add(String.valueOf(one.get("sha256")));
            }
            List<Path> experiments = new ArrayList<>();
            List<String> experimentHashes = new ArrayList<>();
            for (Map<?, ?> one : maps(all.get("experiments"))) {
                experiments.add(directory.resolve(EXPERIMENTS).resolve(Path.of(String.valueOf(one.get("file"))).getFileName()));
                experimentHashes.add(String.valueOf(one.get("sha256")));
            }
            SweepFiles files = new SweepFiles(directory, sources, hashes, experiments, experimentHashes, String.valueOf(all.get("started")));
            for (Map<?, ?> one : maps(all.get("trials"))) {
                files.entries.put(Integer.parseInt(String.valueOf(one.get("number"))), new Entry(
                        State.valueOf(String.valueOf(one.get("state")).toUpperCase(Locale.ROOT)), String.valueOf(one.get("directory")),
                        one.get("causes") instanceof List<?> causes ? causes.stream().map(String::valueOf).toList() : List.of()));
            }
            return files;
        } catch (IOException e) {
            throw new UsageException(directory + " is not the directory of a sweep: its " + SWEEP + " cannot be read.");
        } catch (IllegalArgumentException | ClassCastException e) {
            throw new UsageException(directory.resolve(SWEEP) + " is damaged: " + e.getMessage() + ".");
        }
    }

    /** Whether a directory is that of a sweep. */
    public static boolean isSweep(Path directory) {
        return Files.isRegularFile(directory.resolve(SWEEP));
    }

    /** Whether every trial of a sweep has run. */
    public static boolean isFinished(Path directory) {
        try {
            List<Map<?, ?>> trials = maps(JsonText.read(Files.readString(directory.resolve(SWEEP))).get("trials"));
            return !trials.isEmpty() && trials.stream().allMatch(one ->
                    State.valueOf(String.valueOf(one.get("state")).toUpperCase(Locale.ROOT)).isDone());
        } catch (IOException | IllegalArgumentException | ClassCastException e) {
            return false;
        }
    }

    /**
     * Keeps every other process from running trials of this sweep, until the answer is closed or this process ends.
     *
     * @throws UsageException when another one runs it
     */
    public static Closeable lock(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(PrivateFiles.file(directory.resolve(LOCK)), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        if (lock == null) {
            ByteBuffer owner = ByteBuffer.allocate(32);
            channel.read(owner, 0);
            channel.close();
            String pid = new String(owner.array(), 0, owner.position(), StandardCharsets.US_ASCII).strip();
            throw new UsageException("The sweep in " + directory + " is being run" + (pid.isEmpty() ? "" : " by process " + pid)
                    + "; wait for its end, or end that process.");
        }
        channel.truncate(0);
        channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
        return channel;
    }

    private static List<Map<?, ?>> maps(@Nullable Object value) {
        List<Map<?, ?>> maps = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(one -> maps.add((Map<?, ?>) one));
        }
        return maps;
    }

    /**
     * The experiments as they were when the sweep began.
     *
     * @throws UsageException when a file has changed since
     */
    public List<Experiment> experiments() {
        for (int i = 0; i < experiments.size(); i++) {
            requireSame(experiments.get(i), experimentHashes.get(i));
        }
        // More trials than usual were agreed to when the sweep began.
        return experiments.stream().map(file -> ScenarioFile.read(file, new Changes(List.of(), 1, true))).toList();
    }

    /** @throws UsageException when a file that the user named has changed since the sweep began */
    void requireSameSources() {
        for (int i = 0; i < sources.size(); i++) {
            if (Files.exists(sources.get(i))) {
                requireSame(sources.get(i), hashes.get(i));
            }
        }
    }

    private static void requireSame(Path file, String hash) {
        try {
            if (!hash(file).equals(hash)) {
                throw new UsageException(file + " has changed since the sweep began, so its trials would not belong together; "
                        + "put the file back, or begin a new sweep.");
            }
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read, so the sweep cannot go on.");
        }
    }

    /** @throws UsageException when the plan is not that of the sweep */
    void resume(SweepPlan same) {
        boolean fits = same.steps().size() == entries.size()
                && same.steps().stream().allMatch(step -> entries.containsKey(step.number()));
        if (!fits) {
            throw new UsageException("The sweep in " + directory + " has other trials than its files describe; begin a new one.");
        }
        plan = same;
    }

    Path directory() {
        return directory;
    }

    Entry entry(SweepPlan.Step step) {
        Entry entry = entries.get(step.number());
        return entry == null ? new Entry(State.WAITING, step.directory(), List.of()) : entry;
    }

    /** Where the files of a trial are. */
    Path trial(SweepPlan.Step step) {
        return directory.resolve(TRIALS).resolve(entry(step).directory());
    }

    /** A new directory for a trial that is about to run; what an earlier attempt left stays where it is. */
    Path begin(SweepPlan.Step step) throws IOException {
        Path fresh = directory.resolve(TRIALS).resolve(step.directory());
        for (int attempt = 2; Files.exists(fresh); attempt++) {
            fresh = directory.resolve(TRIALS).resolve(step.directory() + "." + attempt);
        }
        PrivateFiles.directories(fresh);
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
        StringBuilder text = new StringBuilder("{\n");
        text.append("\"format\": 1,\n");
        field(text, "tool", ToolVersion.text());
        field(text, "started", started);
        list(text, "files", pairs("path", sources.stream().map(Path::toString).toList(), hashes));
        list(text, "experiments", pairs("file", experiments.stream().map(file -> String.valueOf(file.getFileName())).toList(),
                experimentHashes));
        List<Map<String, ?>> trials = new ArrayList<>();
        for (SweepPlan.Step step : known.steps()) {
            Entry entry = entry(step);
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("number", step.number());
            one.put("experiment", known.experiment(step).name());
            one.put("seed", step.trial().workload().scenario().seed());
            one.put("point", step.trial().point().values());
            one.put("round", step.trial().round());
            one.put("directory", entry.directory());
            one.put("state", entry.state().name().toLowerCase(Locale.ROOT));
            one.put("causes", entry.causes());
            trials.add(one);
        }
        list(text, "trials", trials);
        text.setLength(text.length() - 2);
        RunDirectory.write(directory.resolve(SWEEP), text.append("\n}\n").toString());
    }

    private static List<Map<String, ?>> pairs(String name, List<String> paths, List<String> hashes) {
        List<Map<String, ?>> pairs = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            Map<String, String> pair = new LinkedHashMap<>();
            pair.put(name, paths.get(i));
            pair.put("sha256", hashes.get(i));
            pairs.add(pair);
        }
        return pairs;
    }

    private static void field(StringBuilder text, String name, String value) {
        String object = JsonText.of(Map.of(name, value));
        text.append(object, 1, object.length() - 1).append(",\n");
    }

    private static void list(StringBuilder text, String name, List<? extends Map<String, ?>> values) {
        text.append('"').append(name).append("\": [");
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "\n  " : ",\n  ").append(JsonText.of(values.get(i)));
        }
        text.append("\n],\n");
    }

    private static String hash(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
