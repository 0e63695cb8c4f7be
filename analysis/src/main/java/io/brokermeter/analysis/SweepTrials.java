package io.brokermeter.analysis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Trial;
import io.brokermeter.reports.JsonText;
import org.jspecify.annotations.Nullable;

/** The trials of a directory by their variants: of a sweep, those that were run; of a run, itself. */
final class SweepTrials {

    private static final String SWEEP = "sweep.json";

    private SweepTrials() {}

    /** @throws UsageException when the sweep cannot be read */
    static Map<String, List<MeasuredTrial>> of(Path directory) {
        Map<String, List<MeasuredTrial>> variants = new LinkedHashMap<>();
        Path file = directory.resolve(SWEEP);
        if (!Files.isRegularFile(file)) {
            variants.put("", List.of(MeasuredTrial.in(directory)));
            return variants;
        }
        List<Map<String, @Nullable Object>> trials;
        try {
            trials = JsonText.maps(JsonText.read(Files.readString(file)).get("trials"));
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException(file + " cannot be read: " + e.getMessage() + ".");
        }
        boolean several = trials.stream().map(trial -> String.valueOf(trial.get("experiment"))).distinct().count() > 1;
        for (Map<String, @Nullable Object> trial : trials) {
            String point = trial.get("point") instanceof Map<?, ?> values
                ? values.entrySet().stream().map(value -> value.getKey() + "=" + value.getValue()).collect(Collectors.joining(", ")) : "";
            String variant = !several ? point : point.isEmpty() ? String.valueOf(trial.get("experiment"))
                : trial.get("experiment") + " with " + point;
            if (!"waiting".equals(trial.get("state")) && !"running".equals(trial.get("state"))) {
                variants.computeIfAbsent(variant, _ -> new ArrayList<>())
                    .add(MeasuredTrial.in(directory.resolve("trials").resolve(String.valueOf(trial.get("directory")))));
            }
        }
        return ordered(variants, directory, several);
    }

    /** The same; none where the files cannot be read. */
    static Map<String, List<MeasuredTrial>> orNothing(Path directory) {
        try {
            return of(directory);
        } catch (UsageException e) {
            return Map.of();
        }
    }

    /** As the scenario files list them; trials run in a random order. */
    private static Map<String, List<MeasuredTrial>> ordered(Map<String, List<MeasuredTrial>> variants, Path directory, boolean several) {
        if (several || variants.size() < 2) {
            return variants;
        }
        Map<String, List<MeasuredTrial>> ordered = new LinkedHashMap<>();
        try {
            Path file = ScenarioFile.list(directory.resolve("experiments")).getFirst();
            ScenarioFile.read(file, new Changes(List.of(), 1, true)).trials().stream().sorted(Comparator.comparingInt(Trial::index))
                .map(trial -> trial.point().toString()).distinct().forEach(point -> {
                    List<MeasuredTrial> trials = variants.get(point);
                    if (trials != null) {
                        ordered.put(point, trials);
                    }
                });
        } catch (UsageException e) {
            // a file of another version, or none: the order of running will do
        }
        variants.forEach(ordered::putIfAbsent);
        return ordered;
    }
}
