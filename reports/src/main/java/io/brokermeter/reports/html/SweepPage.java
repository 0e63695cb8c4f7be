package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.document.SweepDocument.PublishedValue;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Chart.Unit;
import io.brokermeter.reports.html.chart.Series;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.ResultTable;
import io.brokermeter.reports.table.Spread;
import io.brokermeter.reports.table.TableColumn;
import org.jspecify.annotations.Nullable;

/**
 * The page of a sweep: for each experiment a curve for each variant over the swept key, with the published figures; values are medians of
 * the trials that passed, with their range. A trial that failed or was interrupted is in no median, but in the list.
 */
final class SweepPage {

    /** A figure that has a chart. */
    private record Figure(String key, String title, Unit unit, boolean logarithmic) {}

    private static final List<Figure> FIGURES = List.of(new Figure("sent", "Sent a second", Unit.PER_SECOND, false),
        new Figure("received", "Received a second", Unit.PER_SECOND, false),
        new Figure("sendP99", "Send ack time p99", Unit.MICROS, true),
        new Figure("responseP50", "Response time p50", Unit.MICROS, true),
        new Figure("responseP99", "Response time p99", Unit.MICROS, true),
        new Figure("brokerCpu", "Broker CPU", Unit.PERCENT, false),
        new Figure("brokerCpuPerMessage", "Broker CPU a message", Unit.MICROS_PER_MESSAGE, false));

    private final StoredSweep sweep;
    private final Map<StoredTrial, @Nullable StoredRun> runs = new LinkedHashMap<>();
    private int charts;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of a trial cannot be read */
    SweepPage(StoredSweep sweep) {
        this.sweep = sweep;
        sweep.trials().forEach(trial -> runs.put(trial, trial.run().orElse(null)));
    }

    String text() {
        Page page = new Page("sweep", Sentences.list(sweep.experiments()), subtitle(), conclusion());
        page.tile(new Tile("tile-trials", "Trials passed", count("passed") + " of " + sweep.trials().size(), "",
            count("failed") + sweep.missing() == 0 ? Tile.Mark.GOOD : Tile.Mark.BAD));
        long doubtful = sweep.trials().stream().filter(this::isDoubtful).count();
        page.tile(new Tile("tile-doubtful", "Doubtful", Long.toString(doubtful), "trials with doubts about their figures",
            doubtful == 0 ? Tile.Mark.GOOD : Tile.Mark.BAD));
        best("tile-best", "Most sent a second", "sent").ifPresent(page::tile);
        best("tile-best-received", "Most received a second", "received").ifPresent(page::tile);
        int number = 0;
        for (String experiment : sweep.experiments()) {
            List<StoredTrial> trials = sweep.trials().stream().filter(trial -> trial.experiment().equals(experiment)).toList();
            page.section("experiment-" + ++number, experiment);
            experiment(page, trials, number);
            page.end();
        }
        return page.text();
    }

    private long count(String state) {
        return sweep.trials().stream().filter(trial -> trial.state().equals(state)).count();
    }

    /** Returns the start of the sweep, the number of its trials and its labels. */
    String subtitle() {
        List<String> parts = new ArrayList<>();
        if (sweep.document().started() != null) {
            parts.add(sweep.document().started().replaceFirst("\\.\\d+Z$", "Z").replace('T', ' '));
        }
        parts.add(sweep.trials().size() + Counted.word(sweep.trials().size(), " trial", " trials"));
        RunPage.labels(parts, sweep.labels());
        return String.join(" · ", parts);
    }

    private Conclusion conclusion() {
        long passed = count("passed");
        long failed = count("failed");
        long open = sweep.missing();
        long missed = sweep.trials().stream().filter(this::isThresholdMissed).count();
        long needless = sweep.trials().size() - passed - failed - open;
        boolean running = open > 0 && StoredSweep.isRunning(sweep.directory());
        long doubtful = sweep.trials().stream().filter(this::isDoubtful).count();
        List<String> parts = new ArrayList<>(List.of(passed + " of " + sweep.trials().size() + " trials passed"));
        if (failed > 0) {
            parts.add(failed + " failed");
        }
        if (open > 0) {
            parts.add(open + (open == 1 ? " has no result" : " have no result"));
        }
        if (needless > 0) {
            parts.add(needless + (needless == 1 ? " was" : " were") + (sweep.isPaused() ? " not run" : " not needed"));
        }
        if (missed > 0) {
            parts.add(missed + (missed == 1 ? " misses" : " miss") + " a threshold");
        }
        if (doubtful > 0) {
            parts.add(doubtful + (doubtful == 1 ? " is doubtful" : " are doubtful"));
        }
        return new Conclusion(running ? Verdict.RUNNING : open > 0 ? Verdict.CUT_OFF
            : failed > 0 ? Verdict.FAILED
                : missed > 0 ? Verdict.THRESHOLD_MISSED : doubtful > 0 ? Verdict.DOUBTFUL : Verdict.PASSED,
            Sentences.list(parts) + ".", sweep.notes());
    }

    private @Nullable StoredResult result(StoredTrial trial) {
        StoredRun run = runs.get(trial);
        return run == null ? null : run.result();
    }

    /** Returns the result of a trial that passed; null for any other. */
    private @Nullable StoredResult passed(StoredTrial trial) {
        return trial.state().equals("passed") ? result(trial) : null;
    }

    private boolean isDoubtful(StoredTrial trial) {
        StoredResult result = passed(trial);
        return result != null && !result.doubts().isEmpty();
    }

    private boolean isThresholdMissed(StoredTrial trial) {
        StoredResult result = passed(trial);
        return result != null && !result.meetsThresholds();
    }

    private static TableColumn column(String key) {
        return TableColumn.ofKey(key).orElseThrow();
    }

    private Optional<Tile> best(String id, String title, String key) {
        StoredTrial best = null;
        double most = Double.NEGATIVE_INFINITY;
        for (StoredTrial trial : sweep.trials()) {
            StoredResult result = passed(trial);
            double value = result == null ? Double.NaN : column(key).of(result);
            if (value > most) {
                most = value;
                best = trial;
            }
        }
        StoredResult of = best == null ? null : passed(best);
        if (best == null || of == null) {
            return Optional.empty();
        }
        boolean ofFirst = column(key) == TableColumn.RECEIVED && TableColumn.isReceivedByFirst(of);
        String variant = best.variant(false);
        return Optional.of(new Tile(id, title, Amounts.rate(most),
            variant + (ofFirst ? (variant.isEmpty() ? "" : "; ") + "by the first group of consumers" : ""), Tile.Mark.NONE));
    }

    // ---- one experiment ----

    private void experiment(Page page, List<StoredTrial> run, int number) {
        // In the order of the file, not in the random order of execution.
        List<StoredTrial> trials =
            run.stream().sorted(Comparator.comparingInt(StoredTrial::index).thenComparingInt(StoredTrial::round)).toList();
        List<Map<String, String>> points = trials.stream().map(StoredTrial::point).toList();
        SweptKey key = SweptKey.of(points);
        Set<String> differing = differing(points);
        Map<String, List<StoredTrial>> curves = new LinkedHashMap<>();
        trials.forEach(trial -> curves.computeIfAbsent(key.rest(trial.point(), differing), _ -> new ArrayList<>()).add(trial));
        page.add(new Markup().open("div", "class", "pair"));
        FIGURES.forEach(figure -> page.chart(chart(figure, key, curves)));
        page.add(new Markup().close("div"));
        table(page, trials, differing, number);
        page.add(trialList(run, number));
    }

    /** Returns the names of the keys that differ between points. */
    private static Set<String> differing(List<Map<String, String>> points) {
        Set<String> differing = new LinkedHashSet<>();
        points.forEach(point -> point.forEach((name, value) -> {
            if (points.stream().anyMatch(other -> !value.equals(other.get(name)))) {
                differing.add(name);
            }
        }));
        return differing;
    }

    private Chart chart(Figure figure, SweptKey key, Map<String, List<StoredTrial>> curves) {
        List<Series> lines = new ArrayList<>();
        boolean published = false;
        int style = 0;
        for (Map.Entry<String, List<StoredTrial>> curve : curves.entrySet()) {
            String name = curve.getKey().isEmpty() ? "measured" : curve.getKey();
            lines.add(measured(name, style, figure, key, curve.getValue()));
            Series marks = published(curve.getKey().isEmpty() ? "published" : curve.getKey() + ", published", style, figure, key,
                curve.getValue());
            if (!marks.isEmpty()) {
                lines.add(marks);
                published = true;
            }
            style++;
        }
        boolean repeats = curves.values().stream().flatMap(List::stream).anyMatch(trial -> trial.round() > 1);
        boolean ofFirst = column(figure.key()) == TableColumn.RECEIVED && curves.values().stream().flatMap(List::stream).map(this::passed)
            .filter(Objects::nonNull).anyMatch(TableColumn::isReceivedByFirst);
        String note = (repeats ? "Median of the trials that passed, with their range." : "") + (published ? " Hollow: as published." : "")
            + (ofFirst ? " " + TableColumn.RECEIVED_BY_FIRST : "")
            + (curves.values().stream().flatMap(List::stream).anyMatch(trial -> isOverdue(figure, trial))
                ? " Times with overdue have no point, and stand below." : "");
        return Chart.of(its -> {
            its.id = "sweep-" + ++charts;
            its.title = figure.title();
            its.note = note;
            its.axis = Chart.Axis.PLACES;
            its.xTitle = key.name();
            its.unit = figure.unit();
            its.logarithmic = figure.logarithmic();
            its.height = 240;
            its.x = key.places();
            its.names = key.values();
            its.series = lines;
        });
    }

    private Series measured(String name, int style, Figure figure, SweptKey key, List<StoredTrial> trials) {
        double[] middle = new double[key.values().size()];
        double[] low = new double[middle.length];
        double[] high = new double[middle.length];
        for (int i = 0; i < middle.length; i++) {
            int place = i;
            Spread values = values(figure, trials.stream().filter(trial -> key.indexOf(trial.point()) == place).toList());
            middle[i] = values.median();
            low[i] = values.count() < 2 ? Double.NaN : values.least();
            high[i] = values.count() < 2 ? Double.NaN : values.most();
        }
        return new Series(name, style, middle, low, high, Series.Form.DOTS);
    }

    private static Series published(String name, int style, Figure figure, SweptKey key, List<StoredTrial> trials) {
        double[] values = new double[key.values().size()];
        Arrays.fill(values, Double.NaN);
        for (StoredTrial trial : trials) {
            PublishedValue one = trial.published().get(figure.key());
            if (one != null) {
                values[key.indexOf(trial.point())] = one.value();
            }
        }
        return Series.line(name, style, values).as(Series.Form.MARKS);
    }

    /** Adds a table with a line for each variant: medians with their ranges. */
    private void table(Page page, List<StoredTrial> trials, Set<String> differing, int number) {
        Map<Map<String, String>, List<StoredTrial>> variants = new LinkedHashMap<>();
        trials.forEach(trial -> variants.computeIfAbsent(trial.point(), _ -> new ArrayList<>()).add(trial));
        List<Figure> known = FIGURES.stream().filter(figure -> trials.stream().anyMatch(trial -> {
            StoredResult result = passed(trial);
            return result != null && column(figure.key()).isKnownOf(result);
        })).toList();
        List<String> head = new ArrayList<>(List.of("variant", "passed"));
        known.forEach(figure -> head.add(figure.title()));
        Table table = new Table("variants-" + number, head.toArray(String[]::new));
        variants.forEach((point, same) -> {
            List<String> cells = new ArrayList<>(List.of(name(point, differing),
                same.stream().filter(trial -> trial.state().equals("passed")).count() + " of " + same.size()));
            known.forEach(figure -> cells.add(spread(figure, same)));
            table.row(cells.toArray(String[]::new));
        });
        page.add(new Markup().element("h3", "Variants")).add(table.markup());
        if (known.stream().anyMatch(figure -> trials.stream().anyMatch(trial -> isOverdue(figure, trial)))) {
            page.add(new Markup().element("p", ResultTable.OVERDUE_NOTE, "class", "note"));
        }
    }

    private boolean isOverdue(Figure figure, StoredTrial trial) {
        StoredResult result = passed(trial);
        return result != null && column(figure.key()).isOverdueOf(result);
    }

    /** Returns the spread of a figure over those trials that passed. */
    private Spread values(Figure figure, List<StoredTrial> trials) {
        return Spread.of(trials.stream().map(this::passed).filter(Objects::nonNull).map(column(figure.key())::of).toList());
    }

    /** Formats the spread of a figure. Times with overdue messages are not mixed with others: they are shown if no trial has others. */
    private String spread(Figure figure, List<StoredTrial> trials) {
        Spread due = values(figure, trials);
        Spread values = due.isKnown() ? due
            : Spread.of(trials.stream().map(this::passed).filter(Objects::nonNull).map(column(figure.key())::withOverdue).toList());
        String least = text(figure, values.least());
        String most = text(figure, values.most());
        return text(figure, values.median()) + (least.equals(most) ? "" : " (" + least + " to " + most + ")")
            + (values.isKnown() && !due.isKnown() ? ResultTable.OVERDUE : "");
    }

    private static String time(TableColumn column, StoredResult result) {
        return column.isOverdueOf(result) ? Amounts.time(column.withOverdue(result)) + ResultTable.OVERDUE
            : Amounts.time(column.of(result));
    }

    private static String text(Figure figure, double value) {
        return switch (figure.unit()) {
            case PER_SECOND -> Amounts.rate(value);
            case PERCENT -> Amounts.percent(value);
            default -> Amounts.time(value);
        };
    }

    private static String name(Map<String, String> point, Set<String> differing) {
        List<String> parts = new ArrayList<>();
        point.forEach((key, value) -> {
            if (differing.contains(key)) {
                parts.add(key + " " + value);
            }
        });
        return parts.isEmpty() ? "all" : String.join(", ", parts);
    }

    /** Returns a line for each trial, in the order in which they ran. */
    Markup trialList(List<StoredTrial> trials, int number) {
        Set<String> differing = differing(trials.stream().map(StoredTrial::point).toList());
        boolean several = trials.stream().map(StoredTrial::experiment).distinct().count() > 1;
        Table table = new Table("trials-" + number, "trial", "variant", "repeat", "state", "sent/s", "received/s", "response p99", "");
        for (StoredTrial trial : trials) {
            StoredResult result = result(trial);
            List<String> said = new ArrayList<>(trial.causes());
            if (result != null) {
                result.doubts().forEach(doubt -> said.add("doubtful: " + doubt));
            }
            table.row(Integer.toString(trial.number()), (several ? trial.experiment() + ": " : "") + name(trial.point(), differing),
                Integer.toString(trial.round()),
                (trial.state().equals("passed")
                    ? isThresholdMissed(trial) ? "✗ threshold missed" : isDoubtful(trial) ? "? doubtful" : "✓ passed"
                    : trial.state().equals("failed") ? "✗ failed"
                        : trial.state()),
                result == null ? Amounts.UNKNOWN : Amounts.rate(column("sent").of(result)),
                result == null ? Amounts.UNKNOWN : Amounts.rate(column("received").of(result)),
                result == null ? Amounts.UNKNOWN : time(column("responseP99"), result), String.join("; ", said));
        }
        return new Markup().open("details", "class", "trials")
            .element("summary", String.format(Locale.ROOT, "All %d trials", trials.size()))
            .add(table.markup()).close("details").line();
    }
}
