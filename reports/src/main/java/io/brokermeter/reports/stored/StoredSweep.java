package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunLock;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.LimitDocument;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.document.WindowDocument;
import org.jspecify.annotations.Nullable;

/** Everything that a sweep left in its directory. The files of its trials are read on demand. Immutable. */
public final class StoredSweep {

    /** File with the plan, and the state of each trial. */
    public static final String SWEEP = "sweep.json";
    /** File on which the process that runs trials holds a lock. */
    public static final String LOCK = "sweep.lock";
    /** Key in {@link #SWEEP} of the question and the state of a comparison by {@code ab}. */
    public static final String COMPARISON = "comparison";
    /** Key in {@link #COMPARISON} of why it needs no more trials; empty as long as it does. */
    public static final String ENDED = "ended";
    /** Key in {@link #COMPARISON} of the sentence why it stopped for now: its time was up. Empty for one that was cut off. */
    public static final String PAUSED = "paused";
    /** File with the answers of {@code window}; present once its trials are over. */
    public static final String WINDOW = "window.json";
    /** File with the answer of {@code search}; present once its trials are over. */
    public static final String LIMIT = "limit.json";
    /** Directory with a directory for each trial. */
    public static final String TRIALS = "trials";

    private final Path directory;
    private final SweepDocument document;
    private final List<StoredTrial> trials;
    private final List<String> notes;

    private StoredSweep(Path directory, SweepDocument document, List<StoredTrial> trials, List<String> notes) {
        this.directory = directory;
        this.document = document;
        this.trials = List.copyOf(trials);
        this.notes = List.copyOf(notes);
    }

    /** Returns whether a directory is that of a sweep. */
    public static boolean isSweep(Path directory) {
        return Files.isRegularFile(directory.resolve(SWEEP));
    }

    /** Returns whether a process runs trials of the sweep in a directory. */
    public static boolean isRunning(Path directory) {
        return RunLock.isHeld(directory.resolve(LOCK));
    }

    /** Returns whether a trial of the sweep in a directory measured anything. */
    static boolean hasMeasured(Path directory) {
        try {
            return read(directory).trials.stream().anyMatch(trial -> trial.isDone() || KeptRuns.hasMeasured(trial.directory()));
        } catch (UsageException e) {
            return false;
        }
    }

    /**
     * Reads the sweep in a directory.
     *
     * @throws UsageException with one sentence, if there is none, or if it cannot be read
     */
    public static StoredSweep read(Path directory) {
        SweepDocument document;
        try {
            document = DocumentJson.read(SweepDocument.class, Files.readString(directory.resolve(SWEEP)));
        } catch (IOException e) {
            throw new UsageException(directory + " is not the directory of a sweep: its " + SWEEP + " cannot be read.");
        } catch (IllegalArgumentException e) {
            throw new UsageException(directory.resolve(SWEEP) + " is damaged: " + e.getMessage() + ".");
        }
        List<StoredTrial> trials = new ArrayList<>();
        Map<Object, Integer> points = new HashMap<>();
        Map<String, Integer> names = new HashMap<>();
        for (SweepDocument.OneTrial one : document.trials()) {
            // Files of format 1 have no index: their points are in the order of running.
            Object point = List.of(one.experiment(), one.point());
            int pointNumber = points.computeIfAbsent(point, _ -> points.size());
            int nameNumber = names.computeIfAbsent(one.experiment(), _ -> names.size() + 1);
            trials.add(trial(directory.resolve(TRIALS), one, one.index() == null ? pointNumber : one.index().intValue(),
                one.experimentNumber() == null ? nameNumber : one.experimentNumber().intValue()));
        }
        List<String> notes = new ArrayList<>();
        if (document.format() > RunDirectory.FORMAT) {
            notes.add("The files of this sweep have format " + document.format() + ", and this brokermeter knows formats up to "
                + RunDirectory.FORMAT + ": what it does not know is left out.");
        }
        long open = trials.stream().filter(trial -> !trial.isDone()).count();
        String ended = ended(document);
        String paused = paused(document);
        if (open > 0 && !isRunning(directory) && isAnswered(directory, trials)) {
            notes.add(open + " of the " + trials.size()
                + " trials that were planned " + Counted.word(open, "was", "were")
                + " not run: what was found made them useless, or the time was up.");
        } else if (open > 0 && !ended.isEmpty()) {
            notes.add("The comparison is over: " + ended);
        } else if (open > 0 && !paused.isEmpty() && !isRunning(directory)) {
            notes.add(paused + " " + open + " of " + trials.size() + " trials " + Counted.word(open, "has", "have") + " no result.");
        } else if (open > 0) {
            notes.add((isRunning(directory) ? "The sweep goes on: " : "The sweep was cut off: ") + open + " of " + trials.size()
                + " trials " + Counted.word(open, "has", "have") + " no result.");
        }
        return new StoredSweep(directory, document, trials, notes);
    }

    private static SweepDocument.@Nullable AskedPairs pairs(SweepDocument document) {
        return document.comparison() == null ? null : document.comparison().paired();
    }

    private static String ended(SweepDocument document) {
        SweepDocument.AskedPairs pairs = pairs(document);
        return pairs == null ? "" : pairs.ended();
    }

    private static String paused(SweepDocument document) {
        SweepDocument.AskedPairs pairs = pairs(document);
        return pairs == null ? "" : pairs.paused();
    }

    /** Returns whether this is a comparison of {@code ab}. */
    public boolean isPaired() {
        return pairs(document) != null;
    }

    private static StoredTrial trial(Path below, SweepDocument.OneTrial one, int index, int experiment) {
        return new StoredTrial((int) one.number(), index, one.experiment(), experiment, one.point(), (int) one.round(), one.state(),
            one.causes(), below.resolve(Path.of(one.directory()).getFileName()), one.published());
    }

    /**
     * Returns whether {@code window} left out the trials that it did not need. Its file alone does not show that: an
     * interrupted one has written it, too.
     */
    private static boolean isAnswered(Path directory, List<StoredTrial> trials) {
        return Files.exists(directory.resolve(WINDOW))
            && trials.stream().allMatch(trial -> trial.isDone() || trial.state().equals("waiting"));
    }

    /** Returns whether this is a comparison that had no more time, and can go on. */
    public boolean isPaused() {
        return !paused(document).isEmpty();
    }

    /**
     * Returns the number of trials that have no result and would need one; 0 for a comparison that ended in order, as it does when its
     * time is up.
     */
    public long missing() {
        return ended(document).isEmpty() && !isPaused() && !isAnswered(directory, trials)
            ? trials.stream().filter(trial -> !trial.isDone()).count() : 0;
    }

    public Path directory() {
        return directory;
    }

    /** Returns the answers of {@code window}; none for any other sweep, and before its end. */
    public WindowDocument window() {
        return answer(WindowDocument.class, WINDOW);
    }

    /** Returns the answer of {@code search}; an unknown one for any other sweep, for one at several values, and before its end. */
    public LimitDocument limit() {
        LimitDocument.Series series = limits();
        return series.limits().isEmpty() ? answer(LimitDocument.class, LIMIT) : LimitDocument.NONE;
    }

    /** Returns the answers of {@code search} at several values; none for any other sweep, and before its end. */
    public LimitDocument.Series limits() {
        return answer(LimitDocument.Series.class, LIMIT);
    }

    private <R extends Record> R answer(Class<R> type, String file) {
        try {
            return DocumentJson.read(type, Files.readString(directory.resolve(file)));
        } catch (IOException | IllegalArgumentException e) {
            return DocumentJson.empty(type);
        }
    }

    /** Returns the {@code sweep.json}. */
    public SweepDocument document() {
        return document;
    }

    /** Returns every trial, in the order of running. */
    public List<StoredTrial> trials() {
        return trials;
    }

    /** Returns the names of its experiments, in the order of their files. */
    public List<String> experiments() {
        return trials.stream().map(StoredTrial::experiment).distinct().toList();
    }

    /** Returns the labels of the sweep, as {@link RunLabels} defines them. */
    public Map<String, String> labels() {
        return document.allLabels();
    }

    /** Returns what a reader must know about these files, one sentence each. */
    public List<String> notes() {
        return notes;
    }
}
