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
import org.jspecify.annotations.Nullable;

/**
 * The history of one scenario over many runs: a figure of each run, and the levels of the series.
 *
 * @param variant variant of the sweeps; empty for runs
 * @param points the points in the order of time
 * @param levels the levels in the order of time; a single one when no change was found or when there are too few points to tell. A change
 *     stands in two looks: it was found without the newest point, too
 * @param emerging the newest level that was found with the newest point alone; null for none
 * @param leftOut numbers of runs of the same name that could not be compared or do not count, by reason
 * @param least the least change that counts, such as 0.03
 */
public record History(
        String variant, ComparedFigure figure, List<Point> points, List<Level> levels, @Nullable Level emerging,
        Map<String, Integer> leftOut, double least) {

    /** The number of points by which the beginning of a level may differ between two looks. */
    private static final int APART = 3;

    /** The seed of the permutations, a constant, so that the same history always has the same levels. */
    private static final long SEED = 20;

    /**
     * A point of the series: a run, or the median of the trials of a sweep.
     *
     * @param name name of the directory
     * @param broker version of the broker as the run found it; empty when it is not known
     * @param labels labels by which the run is found, see {@link RunLabels}
     * @param trials number of trials behind the value
     * @param doubtful number of them whose results have doubts about their figures
     */
    public record Point(
            String name, Instant time, double value, String broker, Map<String, String> labels, int trials, int doubtful) {

        /** Returns whether at least half of the trials are doubtful. */
        public boolean isDoubtful() {
            return doubtful > 0 && 2 * doubtful >= trials;
        }

        /** Returns the commit of the directory in which the run was started, shortened to nine characters; empty when it is not known. */
        public String commit() {
            String commit = labels.getOrDefault("git.commit", "");
            return commit.substring(0, Math.min(9, commit.length()));
        }
    }

    /**
     * A stretch of points without a change.
     *
     * @param from index of the first point
     * @param to index after the last point
     * @param median median of the values
     * @param change ratio of the median to that of the level before; infinite where only the latter is 0; NaN for the first level
     * @param pValue p-value of the change; NaN for the first level
     */
    public record Level(int from, int to, double median, double change, double pValue) {

        /** Returns the direction of the change; {@link RatioVerdict#SAME} for the first level. */
        public RatioVerdict verdict() {
            return Double.isNaN(change) ? RatioVerdict.SAME : change < 1 ? RatioVerdict.LESS : RatioVerdict.MORE;
        }
    }

    /**
     * Returns the histories of the measurements of one run or sweep, one for each variant and figure.
     *
     * @param reference the run or the sweep
     * @param runs runs and sweeps among which earlier and later ones are looked for, the newest first; the reference may be among them
     * @param most maximum number of runs with figures of the same measurement; other runs in between do not count, nor do those that
     *     failed or have not ended
     * @param question the request: its first figure is used, or else the figure that decides comparisons, and its further figures
     */
    public static List<History> of(Path reference, List<Path> runs, int most, Comparison.Question question) {
        List<History> all = new ArrayList<>();
        Map<Path, Map<String, List<MeasuredTrial>>> known = new LinkedHashMap<>();
        boolean sweep = StoredSweep.isSweep(reference);
        Map<String, List<MeasuredTrial>> wantedTrials = SweepTrials.of(reference);
        int counted = 0;
        for (Path run : runs) {
            if (counted == most) {
                break;
            }
            // Trials of a sweep run in another JVM than a run of a command does, so that neither belongs to the history of the other.
            if (StoredSweep.isSweep(run) != sweep) {
                continue;
            }
            Map<String, List<MeasuredTrial>> trials = SweepTrials.orNothing(run);
            boolean measuredTheSame = false;
            boolean named = false;
            boolean counts = false;
            for (Map.Entry<String, List<MeasuredTrial>> wanted : wantedTrials.entrySet()) {
                List<MeasuredTrial> found = trials.get(wanted.getKey());
                if (found != null) {
                    Side first = new Side("reference", wanted.getKey(), wanted.getValue());
                    Side second = new Side("run", wanted.getKey(), found);
                    boolean same = apart(first, second, question).isEmpty();
                    measuredTheSame |= same;
                    counts |= same && !second.fit().isEmpty();
                    named |= isNamedAlike(first, second);
                }
            }
            if (measuredTheSame || named) {
                known.put(run.toAbsolutePath().normalize(), trials);
            }
            counted += counts && !StoredSweep.isRunning(run) ? 1 : 0;
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

    /**
     * Returns the figure that decides comparisons, chosen from all runs of the history, so that a single run that missed its rate does not
     * determine it.
     */
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
                // Another name and another load: an unrelated measurement.
                if (isNamedAlike(wanted, side)) {
                    leftOut.merge("other " + apart.getFirst().name(), 1, Integer::sum);
                }
            } else if (StoredSweep.isRunning(directory)) {
                // The median of its first trials would be another figure.
                leftOut.merge(MeasuredTrial.RUNNING, 1, Integer::sum);
            } else if (values.length == 0 || time == null) {
                leftOut.merge(side.leftOut().isEmpty() ? "without that figure" : side.trials().size() == 1 ? side.leftOut().substring(2)
                    : "no trial passed", 1, Integer::sum);
            } else {
                points.add(new Point(String.valueOf(directory.getFileName()), time, ComparedFigure.median(values),
                    side.fit().getLast().versions().getOrDefault("broker", ""), RunLabels.of(directory), values.length,
                    (int) side.fit().stream().filter(MeasuredTrial::isDoubtful).count()));
            }
        });
        points.sort(Comparator.comparing(Point::time));
        return of(variant, figure, points, leftOut, question.least());
    }

    private static List<Confounder> apart(Side wanted, Side side, Comparison.Question question) {
        return Confounder.between(wanted, side).stream().filter(one -> !isAlike(one, question.meant())).toList();
    }

    /** Returns whether a condition may differ within a history, which is about changes of the broker or of unknown cause. */
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
        return trial.result() == null ? "" : trial.result().document().name();
    }

    /**
     * Divides points into levels, by the logarithms of the values, since a change is a ratio, or by the values themselves where one of them
     * is 0. A change must stand in the look at all points and in the one before the newest came, which is a function of the same points.
     */
    static History of(String variant, ComparedFigure figure, List<Point> points, Map<String, Integer> leftOut, double least) {
        double[] values = points.stream().mapToDouble(Point::value).toArray();
        List<ChangePoints.Change> now = changes(values, least);
        List<Level> found = levels(values, now);
        List<Level> before = now.isEmpty() ? List.of()
            : levels(Arrays.copyOf(values, values.length - 1), changes(Arrays.copyOf(values, values.length - 1), least));
        List<ChangePoints.Change> standing = new ArrayList<>(now);
        Level emerging = null;
        for (Level level : found.subList(Math.min(1, found.size()), found.size())) {
            if (before.stream().noneMatch(
                one -> Math.abs(one.from() - level.from()) <= APART && one.verdict() == level.verdict())) {
                standing.removeIf(change -> change.index() == level.from());
                emerging = level;
            }
        }
        return new History(variant, figure, List.copyOf(points), levels(values, counted(values, standing, least)), emerging, leftOut,
            least);
    }

    private static List<ChangePoints.Change> changes(double[] values, double least) {
        boolean hasZero = Arrays.stream(values).anyMatch(value -> !(value > 0));
        return counted(values, ChangePoints.usual(SEED).in(hasZero ? values : Arrays.stream(values).map(Math::log).toArray()), least);
    }

    /** Drops changes that are smaller than the least one that counts, the smallest first, since levels become one with each. */
    private static List<ChangePoints.Change> counted(double[] values, List<ChangePoints.Change> changes, double least) {
        List<ChangePoints.Change> counted = new ArrayList<>(changes);
        while (true) {
            Level smallest = levels(values, counted).stream().skip(1)
                .min(Comparator.comparingDouble(level -> Math.abs(Math.log(level.change())))).orElse(null);
            if (smallest == null || Math.abs(Math.log(smallest.change())) >= Math.log(1 + least)) {
                return counted;
            }
            counted.removeIf(change -> change.index() == smallest.from());
        }
    }

    private static List<Level> levels(double[] values, List<ChangePoints.Change> changes) {
        List<Level> levels = new ArrayList<>();
        for (int i = 0; i <= changes.size() && values.length > 0; i++) {
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

    /** Returns the ratio of the newest level to the one before it; 1 when no change was found. */
    public double lastChange() {
        return levels.size() < 2 ? 1 : levels.getLast().change();
    }

    /** Returns the points of a level. */
    public List<Point> pointsOf(Level level) {
        return points.subList(level.from(), level.to());
    }

    /** Returns whether there are enough points to look for changes. */
    public boolean isLongEnough() {
        return points.size() >= ChangePoints.FEWEST;
    }
}
