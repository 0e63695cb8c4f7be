package io.brokermeter.reports.formats;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.csv.Csv;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.Spread;
import io.brokermeter.reports.table.TableColumn;
import org.jspecify.annotations.Nullable;

/**
 * Formats results for services that follow the figures of a project from commit to commit: Bencher (Bencher Metric Format),
 * github-action-benchmark (its custom JSON, one file for figures of which less is better and one for those of which more is), and Apache
 * Otava (comma-separated values). The figures are rates, percentiles and CPU time of a message, with their 95 % intervals; those of
 * repeats are medians from the least to the most. A run that did not pass has none, since it would enter a history as a change.
 */
public final class TrackedResults {

    /**
     * A figure that is followed.
     *
     * @param column the one of the tables that shows it
     * @param name its name in files, with its unit
     * @param words its name for readers
     * @param unit its unit, one that github-action-benchmark can convert where it is a time
     */
    private record Figure(TableColumn column, String name, String words, String unit, boolean moreIsBetter) {}

    private static final List<Figure> FIGURES = figures();

    /** The runs of one benchmark: a run, or the repeats of a trial. */
    private record Benchmark(String name, List<StoredRun> runs) {

        List<Figure> known() {
            return FIGURES.stream().filter(figure -> spread(figure).isKnown()).toList();
        }

        Spread spread(Figure figure) {
            return Spread.of(runs.stream().map(run -> figure.column.of(run.result())).toList());
        }

        /** Returns how far a figure may be off: of one run its interval, of several from the least to the most. */
        Confidence range(Figure figure) {
            Spread all = spread(figure);
            return all.count() > 1 ? new Confidence(all.least(), all.most(), Double.NaN)
                : figure.column.confidenceOf(runs.getFirst().result());
        }
    }

    private TrackedResults() {}

    private static List<Figure> figures() {
        List<Figure> all = new ArrayList<>();
        add(all, "sent", "sent_per_second", "sent", "msg/s", true);
        add(all, "received", "received_per_second", "received", "msg/s", true);
        Map.of("response", "response", "roundTrip", "round trip", "send", "send ack").entrySet().stream().sorted(Map.Entry.comparingByKey())
            .forEach(time -> {
                for (String part : List.of("p50", "p99", "p99.9")) {
                    String key = time.getKey() + "P" + part.substring(1).replace(".", "");
                    add(all, key, (time.getValue() + "_" + part + "_us").replace(' ', '_').replace('.', '_'),
                        time.getValue() + " " + part, "us", false);
                }
            });
        add(all, "brokerCpuPerMessage", "broker_cpu_per_message_us", "broker CPU per message", "us", false);
        add(all, "ownCpuPerMessage", "own_cpu_per_message_us", "generator CPU per message", "us", false);
        return List.copyOf(all);
    }

    private static void add(List<Figure> all, String column, String name, String words, String unit, boolean moreIsBetter) {
        all.add(new Figure(TableColumn.ofKey(column).orElseThrow(), name, words, unit, moreIsBetter));
    }

    // ---- what is followed ----

    private static List<Benchmark> of(StoredRun run) {
        if (!isPassed(run)) {
            throw new UsageException(run.directory() + " did not pass ("
                + new ResultWords(run.result()).verdict().title().toLowerCase(Locale.ROOT)
                + "), so it has no figures that may be followed.");
        }
        return List.of(new Benchmark(run.title(), List.of(run)));
    }

    private static boolean isPassed(StoredRun run) {
        StoredResult result = run.result();
        return result.success() && !result.isInvalid() && result.signal() == 0;
    }

    private static List<Benchmark> of(StoredSweep sweep) {
        Map<String, List<StoredRun>> all = new LinkedHashMap<>();
        for (StoredTrial trial : sweep.trials()) {
            StoredRun run = trial.run().orElse(null);
            if (run != null && trial.state().equals("passed") && isPassed(run)) {
                all.computeIfAbsent(name(trial), _ -> new ArrayList<>()).add(run);
            }
        }
        if (all.isEmpty()) {
            throw new UsageException("No trial of " + sweep.directory() + " passed, so there are no figures that may be followed.");
        }
        return all.entrySet().stream().map(one -> new Benchmark(one.getKey(), one.getValue())).toList();
    }

    private static String name(StoredTrial trial) {
        String variant = trial.variant(false);
        return trial.experiment() + (variant.isEmpty() ? "" : ": " + variant);
    }

    private static BigDecimal number(double value) {
        return new BigDecimal(Numbers.plain(value));
    }

    // ---- Bencher ----

    public static String bencher(StoredRun run) {
        return bencher(of(run));
    }

    public static String bencher(StoredSweep sweep) {
        return bencher(of(sweep));
    }

    private static String bencher(List<Benchmark> benchmarks) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (Benchmark one : benchmarks) {
            Map<String, Object> measures = new LinkedHashMap<>();
            for (Figure figure : one.known()) {
                Map<String, Object> metric = new LinkedHashMap<>();
                metric.put("value", number(one.spread(figure).median()));
                Confidence range = one.range(figure);
                if (range.isKnown()) {
                    metric.put("lower_value", number(range.low()));
                    metric.put("upper_value", number(range.high()));
                }
                measures.put(figure.name.replace('_', '-'), metric);
            }
            all.put(one.name, measures);
        }
        return JsonText.of(all) + "\n";
    }

    // ---- github-action-benchmark ----

    public static String biggerIsBetter(StoredRun run) {
        return custom(of(run), true);
    }

    public static String biggerIsBetter(StoredSweep sweep) {
        return custom(of(sweep), true);
    }

    public static String smallerIsBetter(StoredRun run) {
        return custom(of(run), false);
    }

    public static String smallerIsBetter(StoredSweep sweep) {
        return custom(of(sweep), false);
    }

    private static String custom(List<Benchmark> benchmarks, boolean moreIsBetter) {
        List<Map<String, ?>> all = new ArrayList<>();
        for (Benchmark one : benchmarks) {
            for (Figure figure : one.known()) {
                if (figure.moreIsBetter == moreIsBetter) {
                    Map<String, Object> entry = new LinkedHashMap<>();
                    double value = one.spread(figure).median();
                    entry.put("name", one.name + ": " + figure.words);
                    entry.put("unit", figure.unit);
                    entry.put("value", number(value));
                    Confidence range = one.range(figure);
                    if (range.isKnown()) {
                        entry.put("range", "± " + Numbers.plain(range.halfWidth(value)));
                    }
                    entry.put("extra", extra(one, range));
                    all.add(entry);
                }
            }
        }
        return JsonText.of(all) + "\n";
    }

    /** Returns what is to be seen beside a figure. */
    private static String extra(Benchmark one, Confidence range) {
        StoredResult last = one.runs.getLast().result();
        String from = !range.isKnown() ? "" : (one.runs.size() > 1 ? "median of " + one.runs.size() + " trials from " : "95 % interval ")
            + Numbers.plain(range.low()) + " to " + Numbers.plain(range.high()) + "\n";
        return from + new ResultWords(last).verdict().title() + (last.brokerVersion().isEmpty() ? "" : "\n" + last.brokerVersion());
    }

    // ---- Apache Otava ----

    public static String otava(StoredRun run) {
        return otava(of(run));
    }

    public static String otava(StoredSweep sweep) {
        return otava(of(sweep));
    }

    /** Formats a line for each run with those figures that any has; an unknown one is {@code nan}, which Otava's float() reads. */
    private static String otava(List<Benchmark> benchmarks) {
        Set<Figure> known = new LinkedHashSet<>(FIGURES);
        known.removeIf(figure -> benchmarks.stream().noneMatch(one -> one.spread(figure).isKnown()));
        List<String> head = new ArrayList<>(List.of("time", "benchmark", "run", "commit", "branch", "broker"));
        known.forEach(figure -> head.add(figure.name));
        StringBuilder text = new StringBuilder(Csv.line(head));
        for (Benchmark one : benchmarks) {
            for (StoredRun run : one.runs) {
                List<String> cells = new ArrayList<>(List.of(time(run.result().document().start()), one.name, run.directoryName(),
                    run.labels().getOrDefault("git.commit", ""), run.labels().getOrDefault("git.branch", ""),
                    run.result().brokerVersion()));
                known.forEach(figure -> {
                    double value = figure.column.of(run.result());
                    cells.add(Double.isFinite(value) ? Numbers.plain(value) : "nan");
                });
                text.append(Csv.line(cells));
            }
        }
        return text.toString();
    }

    /** Returns a moment in whole seconds, since not all that read dates know nanoseconds. */
    private static String time(@Nullable String moment) {
        return moment == null ? "" : moment.replaceFirst("\\.\\d+Z$", "Z");
    }
}
