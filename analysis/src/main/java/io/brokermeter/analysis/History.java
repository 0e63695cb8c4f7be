package io.brokermeter.analysis;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.analysis.statistics.ChangePoints;
import io.brokermeter.reports.stored.RunLabels;
import io.brokermeter.reports.stored.StoredSweep;

/**
 * One scenario over many runs: a figure of each, and the levels that it had.
 *
 * @param variant which variant of sweeps it is about, empty for runs
 * @param points in the order of time
 * @param levels parts of the points, in their order; one when nothing changed, or when there are too few points to tell
 * @param leftOut how many runs of the same name could not be compared or do not count, by the reason
 * @param least the least change that counts, such as 0.03
 */
public record History(
        String variant, ComparedFigure figure, List<Point> points, List<Level> levels, Map<String, Integer> leftOut, double least) {

    /** The permutations are the same each time, so that the same history has the same levels. */
    private static final long SEED = 20;

    /**
     * A run, or the median of the trials of a sweep.
     *
     * @param name of its directory
     * @param broker the broker's version as the run found it, empty when it is not known
     * @param labels what it is found by, as {@link RunLabels} has it
     * @param trials how many stand behind the value
     */
    public record Point(String name, Instant time, double value, String broker, Map<String, String> labels, int trials) {

        /** The commit of the directory that it was started in, shortened; empty when it is not known. */
        public String commit() {
            String commit = labels.getOrDefault("git.commit", "");
            return commit.substring(0, Math.min(9, commit.length()));
        }
    }

    /**
     * A stretch of points without a change.
     *
     * @param from the index of its first point
     * @param to the index behind its last one
     * @param median of its values
     * @param change median to that of the level before; infinite where that alone is 0; NaN for the first
     * @param pValue of the change; NaN for the first
     */
    public record Level(int from, int to, double median, double change, double pValue) {

        /** What became of the figure; the first level has changed nothing. */
        public RatioVerdict verdict() {
            return Double.isNaN(change) ? RatioVerdict.SAME : change < 1 ? RatioVerdict.LESS : RatioVerdict.MORE;
        }
    }

    /**
     * The histories of what one run or sweep measured, a history for each variant and figure.
     *
     * @param reference the run or the sweep
     * @param runs where to look for earlier and later ones, the newest first; the reference may be among them
     * @param most how many of those that measured the same are looked at; whatever else lies between them does not count
     * @param question its first figure is looked at, else what decides comparisons; and those beside it
     */
    public static List<History> of(Path reference, List<Path> runs, int most, Comparison.Question question) {
        List<History> all = new ArrayList<>();
        Map<Path, Map<String, List<MeasuredTrial>>> known = new LinkedHashMap<>();
        boolean sweep = StoredSweep.isSweep(reference);
        Map<String, List<MeasuredTrial>> wantedTrials = SweepTrials.of(reference);
        int same = 0;
        for (Path run : runs) {
            if (same == most) {
                break;
            }
            // Trials of a sweep run in another JVM than a run of a command does, so neither is in the other's history.
            if (StoredSweep.isSweep(run) != sweep) {
                continue;
            }
            Map<String, List<MeasuredTrial>> trials = SweepTrials.orNothing(run);
            boolean measuredTheSame = false;
            boolean named = false;
            for (Map.Entry<String, List<MeasuredTrial>> wanted : wantedTrials.entrySet()) {
                List<MeasuredTrial> found = trials.get(wanted.getKey());
                if (found != null) {
                    Side first = new Side("reference", wanted.getKey(), wanted.getValue());
                    Side second = new Side("run", wanted.getKey(), found);
                    measuredTheSame |= apart(first, second, question).isEmpty();
                    named |= isNamedAlike(first, second);
                }
            }
            if (measuredTheSame || named) {
                known.put(run.toAbsolutePath().normalize(), trials);
            }
            same += measuredTheSame ? 1 : 0;
        }
        known.putIfAbsent(reference.toAbsolutePath().normalize(), wantedTrials);
        wantedTrials.forEach((variant, trials) -> {
            Side wanted = new Side("reference", variant, trials);
            ComparedFigure figure = question.figures().isEmpty() ? usual(wanted, known, question) : question.figures().getFirst();
            Stream.concat(Stream.of(figure), question.besides().stream()).distinct()
                .forEach(one -> all.add(history(variant, wanted, one, known, question)));
        });
        return all;
    }

    /** What decides comparisons, of all runs that the history has, so that one of them that missed its rate does not choose. */
    private static ComparedFigure usual(Side wanted, Map<Path, Map<String, List<MeasuredTrial>>> runs, Comparison.Question question) {
        List<MeasuredTrial> alike = runs.values().stream().map(variants -> variants.getOrDefault(wanted.title(), List.of()))
            .filter(trials -> !trials.isEmpty() && apart(wanted, new Side("run", wanted.title(), trials), question).isEmpty())
            .flatMap(List::stream).toList();
        Side all = new Side("runs", wanted.title(), alike);
        return Comparison.headline(all, all);
    }

    private static History history(String variant, Side wanted, ComparedFigure figure, Map<Path, Map<String, List<MeasuredTrial>>> runs,
            Comparison.Question question) {
        List<Point> points = new ArrayList<>();
        Map<String, Integer> leftOut = new LinkedHashMap<>();
        runs.forEach((directory, variants) -> {
            List<MeasuredTrial> trials = variants.get(variant);
            if (trials == null) {
                return;
            }
            Side side = new Side("run", variant, trials);
            List<Confounder> apart = apart(wanted, side, question);
            Instant time = side.trials().getFirst().start();
            double[] values = side.values(figure);
            if (!apart.isEmpty()) {
                // Another name and another load: somebody measured something else.
                if (isNamedAlike(wanted, side)) {
                    leftOut.merge("other " + apart.getFirst().name(), 1, Integer::sum);
                }
            } else if (values.length == 0 || time == null) {
                leftOut.merge(side.leftOut().isEmpty() ? "without that figure" : side.trials().size() == 1 ? side.leftOut().substring(2)
                    : "no trial passed", 1, Integer::sum);
            } else {
                points.add(new Point(String.valueOf(directory.getFileName()), time, ComparedFigure.median(values),
                    side.trials().getLast().versions().getOrDefault("broker", ""), RunLabels.of(directory), values.length));
            }
        });
        points.sort(Comparator.comparing(Point::time));
        return new History(variant, figure, List.copyOf(points), levels(points, question.least()), leftOut, question.least());
    }

    private static List<Confounder> apart(Side wanted, Side side, Comparison.Question question) {
        return Confounder.between(wanted, side).stream().filter(one -> !isAlike(one, question.meant())).toList();
    }

    /** A history is about what changed at the broker, or at nothing that anybody knows of. */
    private static boolean isAlike(Confounder condition, Set<String> meant) {
        return condition.isMeant(meant) || condition.name().equals("broker.version")
            || condition.name().equals("broker") && product(condition.first()).equals(product(condition.second()));
    }

    private static String product(String version) {
        return version.replaceAll("[0-9][^ ]*", "").strip();
    }

    private static boolean isNamedAlike(Side one, Side other) {
        return name(one).equals(name(other));
    }

    private static String name(Side side) {
        MeasuredTrial trial = side.trials().getFirst();
        return trial.result() == null ? "" : String.valueOf(trial.result().values().get("name"));
    }

    /** Of logarithms, since a change is a ratio; of the values themselves where one of them is 0. Changes that do not count are none. */
    static List<Level> levels(List<Point> points, double least) {
        double[] values = points.stream().mapToDouble(Point::value).toArray();
        if (values.length == 0) {
            return List.of();
        }
        boolean hasZero = Arrays.stream(values).anyMatch(value -> !(value > 0));
        List<ChangePoints.Change> changes = new ArrayList<>(
            ChangePoints.usual(SEED).in(hasZero ? values : Arrays.stream(values).map(Math::log).toArray()));
        while (true) {
            List<Level> levels = levels(values, changes);
            Level smallest =
                levels.stream().skip(1).min(Comparator.comparingDouble(level -> Math.abs(Math.log(level.change())))).orElse(null);
            if (smallest == null || Math.abs(Math.log(smallest.change())) >= Math.log(1 + least)) {
                return levels;
            }
            changes.removeIf(change -> change.index() == smallest.from());
        }
    }

    private static List<Level> levels(double[] values, List<ChangePoints.Change> changes) {
        List<Level> levels = new ArrayList<>();
        for (int i = 0; i <= changes.size(); i++) {
            int from = i == 0 ? 0 : changes.get(i - 1).index();
            int to = i == changes.size() ? values.length : changes.get(i).index();
            double median = ComparedFigure.median(Arrays.copyOfRange(values, from, to));
            if (i == 0) {
                levels.add(new Level(from, to, median, Double.NaN, Double.NaN));
            } else {
                double before = levels.getLast().median();
                levels.add(new Level(from, to, median, median == before ? 1 : median / before, changes.get(i - 1).pValue()));
            }
        }
        return levels;
    }

    /** The ratio of the newest level to the one before it; 1 when nothing has changed. */
    public double lastChange() {
        return levels.size() < 2 ? 1 : levels.getLast().change();
    }

    /** Whether there are enough points to look for changes. */
    public boolean isLongEnough() {
        return points.size() >= ChangePoints.FEWEST;
    }
}
