package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

import io.brokermeter.experiment.Experiment;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.trials.sweep.SweepPlan.Step;
import org.jspecify.annotations.Nullable;

/** The purpose of a sweep: decides whether it is over before all of its trials, and what it prints at its end. Used by one thread. */
public interface SweepPurpose {

    /** Measures every trial, and tabulates the results. */
    SweepPurpose TABLES = new SweepPurpose() {};

    /** Returns whether the sweep may be over before all trials have run. */
    default boolean mayEndEarly() {
        return false;
    }

    /** Returns whether a trial of an experiment is still useful; called before each trial, and for the estimate of the time left. */
    default boolean isDue(Path directory, String experiment) {
        return true;
    }

    /** Returns whether the measurements are sufficient; called after each trial. */
    default boolean isEnough(Path directory, PrintStream out) throws IOException {
        return false;
    }

    /**
     * Returns the experiments with the trials that are to follow, when all planned ones are over: the known experiments with the trials
     * that they have, the last of them also with further trials behind these, and further experiments. Null when none are to follow.
     */
    default @Nullable List<Experiment> following(Path directory) {
        return null;
    }

    /** Returns the greatest number of trials, of which {@code planned} are known. */
    default int most(int planned) {
        return planned;
    }

    /** Returns whether a trial that measured the generator makes the whole sweep invalid. */
    default boolean needsValidTrials() {
        return true;
    }

    /** Returns whether a trial that misses a threshold decides the exit status. */
    default boolean gatesThresholds() {
        return true;
    }

    /** Returns what the files of the sweep keep in order to resume it; null for nothing. Kept again when a trial has changed it. */
    default SweepDocument.@Nullable Question kept() {
        return null;
    }

    /** Returns the command that resumes the sweep when it was interrupted. */
    default String command() {
        return "run";
    }

    /** Returns the trials of an interrupted sweep that are measured from the beginning, although there are files of them. */
    default List<Step> again(SweepPlan plan, Predicate<Step> done) {
        return List.of();
    }

    /** Returns whether a trial passes although its run failed, since its figures are what the sweep measures. */
    default boolean isUsable(StoredResult failed) {
        return false;
    }

    /** Returns whether the events of a trial are printed; the files of the trial contain them in any case. */
    default boolean tellsEvents() {
        return true;
    }

    /** Returns the text to print at the end in place of the tables, with a line end; null for the tables. */
    default @Nullable String conclusion(Path directory) throws IOException {
        return null;
    }

    /**
     * Called when the sweep is over, with its files as they are.
     *
     * @throws IOException when a file that the user asked for cannot be written
     */
    default void report(Path directory, PrintStream out) throws IOException {}

    /** Returns the exit status of a sweep without failed trials, and prints sentences about it to {@code err}. */
    default int status(PrintStream err) {
        return 0;
    }
}
