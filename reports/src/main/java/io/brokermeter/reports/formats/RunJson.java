package io.brokermeter.reports.formats;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.DocumentJson.Inline;
import io.brokermeter.reports.document.EndpointRow;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.EventDocument;
import io.brokermeter.reports.document.FaultStep;
import io.brokermeter.reports.document.GeneratorRow;
import io.brokermeter.reports.document.IntervalDocument;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.document.SweepDocument.OneExperiment;
import io.brokermeter.reports.document.SweepDocument.PublishedValue;
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

    private RunJson() {}

    /** A run, in the order of its keys. */
    private record RunReport(String kind, int version, String directory, int format, String state, Map<String, String> labels,
            ResultDocument result, EnvironmentDocument environment, Map<String, List<PointOfCurve>> percentiles,
            List<IntervalReport> intervals, List<GeneratorRow> generator, List<EndpointRow> endpoints,
            List<EventDocument> events, List<FaultStep> faultCourse, @Nullable String scenario, List<String> notes) {}

    /** A sweep, in the order of its keys. */
    private record SweepReport(String kind, int version, String directory, String state, @Nullable String start,
            Map<String, String> labels, List<OneExperiment> experiments, List<TrialReport> trials, List<String> notes) {}

    private record TrialReport(int number, int index, String experiment, Map<String, String> point, int round, String state,
            List<String> causes, Map<String, PublishedValue> published, @Nullable ResultDocument result) {}

    private record IntervalReport(int index, boolean warmup, @Nullable String phase, String end, double elapsedSeconds, double seconds,
            @Inline @Nullable SendingReport sending, @Inline @Nullable ReceivingReport receiving, @Inline Map<String, Long> counts,
            Map<String, TimesReport> times, IntervalDocument.@Nullable BrokerInInterval broker) {}

    private record SendingReport(long sentMessages, long blockedMessages, long completedMessages, long failedMessages,
            double sentPerSecond, double completedPerSecond) {}

    private record ReceivingReport(long receivedMessages, double receivedPerSecond) {}

    private record TimesReport(@Inline Map<String, Double> micros, long count) {}

    private record PointOfCurve(double percentile, long micros, long count) {}

    /** Returns the object of a run, with a line for each of its keys, and for each object in a list. */
    public static String of(StoredRun run) {
        ResultDocument result = run.result().document();
        List<IntervalReport> intervals = run.intervals().stream().map(RunJson::interval).toList();
        Map<String, List<PointOfCurve>> percentiles = new LinkedHashMap<>();
        run.times().forEach((metric, micros) -> percentiles.put(metric.fileKey(), curve(micros)));
        List<EventDocument> events = run.events();
        // Reading the files adds notes, so the notes are asked for last.
        return JsonText.lines(DocumentJson.tree(new RunReport("run", VERSION, run.directoryName(), run.format(),
            run.state().name().toLowerCase(Locale.ROOT).replace('_', ' '), run.labels(), result, run.environment().within(), percentiles,
            intervals, run.generator(), run.endpoints(), events,
            run.faultCourse(), run.scenario().orElse(null), run.notes())));
    }

    /** Returns the object of a sweep, with the result of each trial; the intervals of a trial are in a report of that trial. */
    public static String of(StoredSweep sweep) {
        return JsonText.lines(DocumentJson.tree(new SweepReport("sweep", VERSION,
            String.valueOf(sweep.directory().toAbsolutePath().normalize().getFileName()),
            StoredSweep.isRunning(sweep.directory()) ? "running" : sweep.missing() == 0 ? "ended" : "cut off", sweep.document().started(),
            sweep.labels(), sweep.document().experiments(), sweep.trials().stream().map(RunJson::trial).toList(), sweep.notes())));
    }

    private static TrialReport trial(StoredTrial trial) {
        return new TrialReport(trial.number(), trial.index(), trial.experiment(), trial.point(), trial.round(), trial.state(),
            trial.causes(), trial.published(), trial.run().map(run -> run.result().document()).orElse(null));
    }

    private static IntervalReport interval(StoredInterval i) {
        Map<String, Long> counts = new LinkedHashMap<>();
        ResultField.ofParts().filter(count -> !Double.isNaN(i.count(count)))
            .forEach(count -> counts.put(count.key(), (long) i.count(count)));
        Map<String, TimesReport> times = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            if (i.samples(metric) > 0) {
                Map<String, Double> figures = new LinkedHashMap<>();
                FIGURES.forEach(figure -> figures.put((Character.isDigit(figure.charAt(0)) ? "p" : "") + figure + "Micros",
                    i.micros(metric, figure)));
                times.put(metric.fileKey(), new TimesReport(figures, i.samples(metric)));
            }
        }
        return new IntervalReport(i.index(), i.warmup(), i.phase(), Instant.ofEpochMilli(i.endEpochMillis()).toString(),
            i.elapsedSeconds(), i.seconds(),
            i.sends() ? new SendingReport(i.sent(), i.blocked(), i.completed(), i.failed(), i.sentPerSecond(), i.completedPerSecond())
                : null,
            i.receives() ? new ReceivingReport(i.received(), i.receivedPerSecond()) : null, counts, times, i.document().broker());
    }

    /** Returns the curve of a time without the warm-up, with as many points as are informative. */
    private static List<PointOfCurve> curve(Histogram micros) {
        List<PointOfCurve> points = new ArrayList<>();
        for (HistogramIterationValue value : micros.percentiles(TICKS)) {
            points.add(new PointOfCurve(value.getPercentileLevelIteratedTo(), value.getValueIteratedTo(),
                value.getTotalCountToThisValue()));
        }
        return points;
    }
}
