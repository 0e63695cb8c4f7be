package io.brokermeter.reports.formats;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import io.brokermeter.engine.recording.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.json.JsonText;
import io.brokermeter.reports.json.ResultJson;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/**
 * Formats a stored run or sweep as one JSON object, as {@code docs/report.schema.json} describes it. Names end in their unit; unknown
 * values are null. A later version adds names and changes none.
 */
public final class RunJson {

    /** The version of the schema. */
    public static final int VERSION = 1;

    private static final List<String> FIGURES = List.of("mean", "50", "90", "99", "99.9", "99.99", "max");
    /** Number of steps in each halving of the distance to 100 %. */
    private static final int TICKS = 5;

    private static final Pattern COLUMN = Pattern.compile("_([a-z])");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}(\\.[0-9]{1,12})?");
    /** Columns whose cells are always texts. */
    private static final Set<String> TEXTS = Set.of("time", "phase", "kind", "group", "destination");

    private RunJson() {}

    /** Returns the object of a run, with a line for each of its keys, and for each object in a list. */
    public static String of(StoredRun run) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("kind", "run");
        all.put("version", VERSION);
        all.putAll(head(run));
        all.put("result", run.result().document());
        all.put("environment", environment(run.environment()));
        all.put("percentiles", percentiles(run));
        all.put("intervals", run.intervals().stream().map(RunJson::interval).toList());
        all.put("generator", run.generator().stream().map(RunJson::row).toList());
        all.put("endpoints", run.endpoints().stream().map(RunJson::row).toList());
        all.put("events", run.events().stream().map(DocumentJson::tree).toList());
        all.put("faultCourse", run.faultCourse().stream().map(RunJson::row).toList());
        all.put("scenario", run.scenario().orElse(null));
        // Last, since reading the files adds notes.
        all.put("notes", run.notes());
        return JsonText.lines(all);
    }

    /** Returns the object of a sweep, with the result of each trial; the intervals of a trial are in a report of that trial. */
    public static String of(StoredSweep sweep) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("kind", "sweep");
        all.put("version", VERSION);
        all.put("directory", String.valueOf(sweep.directory().toAbsolutePath().normalize().getFileName()));
        all.put("state", StoredSweep.isRunning(sweep.directory()) ? "running"
            : sweep.missing() == 0 ? "ended" : "cut off");
        all.put("start", sweep.document().started());
        all.put("labels", sweep.labels());
        all.put("experiments", sweep.document().experiments().stream().map(DocumentJson::tree).toList());
        List<Map<String, @Nullable Object>> trials = new ArrayList<>();
        for (StoredTrial trial : sweep.trials()) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("number", trial.number());
            one.put("index", trial.index());
            one.put("experiment", trial.experiment());
            one.put("point", trial.point());
            one.put("round", trial.round());
            one.put("state", trial.state());
            one.put("causes", trial.causes());
            Map<String, Object> published = new LinkedHashMap<>();
            trial.published().forEach((key, figure) -> published.put(key, DocumentJson.treeOfJavaNumbers(figure)));
            one.put("published", published);
            StoredRun run = trial.run().orElse(null);
            one.put("result", run == null ? null : run.result().document());
            trials.add(one);
        }
        all.put("trials", trials);
        all.put("notes", sweep.notes());
        return JsonText.lines(all);
    }

    private static Map<String, @Nullable Object> head(StoredRun run) {
        Map<String, @Nullable Object> head = new LinkedHashMap<>();
        head.put("directory", run.directoryName());
        head.put("format", run.format());
        head.put("state", run.state().name().toLowerCase(Locale.ROOT).replace('_', ' '));
        head.put("labels", run.labels());
        return head;
    }

    /** Returns the environment without the values that are elsewhere in the object. */
    private static Map<String, @Nullable Object> environment(Map<String, @Nullable Object> environment) {
        Map<String, @Nullable Object> own = new LinkedHashMap<>(environment);
        own.keySet().removeAll(List.of("format", "labels"));
        return own;
    }

    private static Map<String, @Nullable Object> interval(StoredInterval i) {
        Map<String, @Nullable Object> one = new LinkedHashMap<>();
        one.put("index", i.index());
        one.put("warmup", i.warmup());
        one.put("phase", i.phase());
        one.put("end", Instant.ofEpochMilli(i.endEpochMillis()).toString());
        one.put("elapsedSeconds", i.elapsedSeconds());
        one.put("seconds", i.seconds());
        if (i.sends()) {
            one.put("sentMessages", i.sent());
            one.put("blockedMessages", i.blocked());
            one.put("completedMessages", i.completed());
            one.put("failedMessages", i.failed());
            one.put("sentPerSecond", i.sentPerSecond());
            one.put("completedPerSecond", i.completedPerSecond());
        }
        if (i.receives()) {
            one.put("receivedMessages", i.received());
            one.put("receivedPerSecond", i.receivedPerSecond());
        }
        ResultField.ofParts().filter(count -> !Double.isNaN(i.count(count))).forEach(count -> one.put(count.key(), (long) i.count(count)));
        Map<String, @Nullable Object> times = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            if (i.samples(metric) > 0) {
                Map<String, @Nullable Object> figures = new LinkedHashMap<>();
                for (String figure : FIGURES) {
                    double micros = i.micros(metric, figure);
                    figures.put((Character.isDigit(figure.charAt(0)) ? "p" : "") + figure + "Micros", Double.isNaN(micros) ? null : micros);
                }
                figures.put("count", i.samples(metric));
                times.put(ResultJson.key(metric), figures);
            }
        }
        one.put("times", times);
        one.put("broker", i.document().broker());
        return one;
    }

    /**
     * Converts a row of comma-separated values: {@code cpu_percent} becomes {@code cpuPercent}, and numbers and booleans become values.
     */
    private static Map<String, @Nullable Object> row(Map<String, String> cells) {
        Map<String, @Nullable Object> one = new LinkedHashMap<>();
        cells.forEach((column, cell) -> {
            String name = COLUMN.matcher(column).replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
            if (TEXTS.contains(column)) {
                one.put(name, cell);
            } else if (cell.isEmpty()) {
                one.put(name, null);
            } else if (cell.equals("true") || cell.equals("false")) {
                one.put(name, Boolean.valueOf(cell));
            } else if (NUMBER.matcher(cell).matches()) {
                one.put(name, Double.valueOf(cell));
            } else {
                one.put(name, cell);
            }
        });
        return one;
    }

    /** Returns the curve of each time without the warm-up, with as many points as are informative. */
    private static Map<String, @Nullable Object> percentiles(StoredRun run) {
        Map<String, @Nullable Object> curves = new LinkedHashMap<>();
        run.times().forEach((metric, micros) -> curves.put(ResultJson.key(metric), curve(micros)));
        return curves;
    }

    private static List<Map<String, Object>> curve(Histogram micros) {
        List<Map<String, Object>> points = new ArrayList<>();
        for (HistogramIterationValue value : micros.percentiles(TICKS)) {
            Map<String, Object> point = new LinkedHashMap<>();
            point.put("percentile", value.getPercentileLevelIteratedTo());
            point.put("micros", value.getValueIteratedTo());
            point.put("count", value.getTotalCountToThisValue());
            points.add(point);
        }
        return points;
    }
}
