package io.brokermeter.analysis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Trial;
import io.brokermeter.reports.document.LimitDocument;
import io.brokermeter.reports.document.WindowDocument;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;

/** Reads the trials of a directory by variant: those of a sweep that were run, or a single run. */
final class SweepTrials {

    private SweepTrials() {}

    /**
     * Returns the trials of a directory by variant.
     *
     * @throws UsageException when the sweep cannot be read
     */
    static Map<String, List<MeasuredTrial>> of(Path directory) {
        Map<String, List<MeasuredTrial>> variants = new LinkedHashMap<>();
        if (!StoredSweep.isSweep(directory)) {
            variants.put("", List.of(MeasuredTrial.in(directory)));
            return variants;
        }
        StoredSweep sweep = StoredSweep.read(directory);
        Map<String, MeasuredTrial> limits = limits(sweep);
        if (!limits.isEmpty()) {
            limits.forEach((variant, search) -> variants.put(variant, List.of(search)));
            return variants;
        }
        boolean several = sweep.experiments().size() > 1;
        for (StoredTrial trial : sweep.trials()) {
            if (trial.state().equals("waiting") || trial.state().equals("running")) {
                continue;
            }
            String point = trial.point().entrySet().stream().map(value -> value.getKey() + "=" + value.getValue())
                .collect(Collectors.joining(", "));
            String variant = !several ? point : point.isEmpty() ? trial.experiment() : trial.experiment() + " with " + point;
            variants.computeIfAbsent(variant, _ -> new ArrayList<>()).add(MeasuredTrial.in(trial.directory()));
        }
        return ordered(variants, directory, several);
    }

    /** Returns the searches of a directory by the value at which each found its limit; empty when it has no answer of a search. */
    private static Map<String, MeasuredTrial> limits(StoredSweep sweep) {
        Map<String, MeasuredTrial> all = new LinkedHashMap<>();
        LimitDocument.Series series = sweep.limits();
        series.limits().forEach(at -> search(sweep, at.answer())
            .ifPresent(search -> all.put(at.value() + " " + series.words(), search)));
        search(sweep, sweep.limit()).ifPresent(search -> all.put("", search));
        return all;
    }

    private static Optional<MeasuredTrial> search(StoredSweep sweep, LimitDocument answer) {
        WindowDocument.Estimate limit = answer.limit();
        return answer.trials().stream().limit(1)
            .flatMap(first -> sweep.trials().stream().filter(trial -> trial.number() == first.number())).findFirst()
            .map(first -> MeasuredTrial.in(first.directory()).searching(new MeasuredTrial.Limit(
                answer.quantity().equals("load.rate") ? ComparedFigure.LIMIT : ComparedFigure.GREATEST, answer.quantity(), limit == null
                    ? null : new ConfidenceInterval(limit.estimate(), limit.low(), limit.high(), limit.confidence()))));
    }

    /** Returns whether a directory has pairs of {@code ab}, which the width of an interval ended. */
    static boolean hasLooks(Path directory) {
        return StoredSweep.isSweep(directory) && StoredSweep.read(directory).isPaired();
    }

    /** Returns the trials of a directory by variant; an empty map when the files cannot be read. */
    static Map<String, List<MeasuredTrial>> orNothing(Path directory) {
        try {
            return of(directory);
        } catch (UsageException e) {
            return Map.of();
        }
    }

    /** Orders the variants as the scenario files list them, since trials run in a random order. */
    private static Map<String, List<MeasuredTrial>> ordered(Map<String, List<MeasuredTrial>> variants, Path directory, boolean several) {
        if (several || variants.size() < 2) {
            return variants;
        }
        Map<String, List<MeasuredTrial>> ordered = new LinkedHashMap<>();
        try {
            Path file = ScenarioFile.list(directory.resolve("experiments")).getFirst();
            ScenarioFile.read(file, new Changes(List.of(), true)).trials().stream().sorted(Comparator.comparingInt(Trial::index))
                .map(trial -> trial.point().toString()).distinct().forEach(point -> {
                    List<MeasuredTrial> trials = variants.get(point);
                    if (trials != null) {
                        ordered.put(point, trials);
                    }
                });
        } catch (UsageException e) {
            // a file of another version, or none: the order in which the trials ran is kept
        }
        variants.forEach(ordered::putIfAbsent);
        return ordered;
    }
}
