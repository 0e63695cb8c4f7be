package io.brokermeter.reports.formats;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.recording.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.Headline;
import io.brokermeter.reports.stored.StoredRun;

/** A stored run as text on one screen. */
public final class RunText {

    private static final List<String> FIGURES = List.of("p50", "p90", "p99", "p99.9", "max");
    private static final Map<Metric, String> TIMES =
        Map.of(Metric.RESPONSE, "response", Metric.TRANSFER, "transfer", Metric.SEND, "send ack", Metric.ROUND_TRIP, "round trip");

    private RunText() {}

    /** The text, which ends with a line end. */
    public static String of(StoredRun run) {
        StoredResult result = run.result();
        StringBuilder text = new StringBuilder();
        text.append(run.directoryName()).append(": ").append(Headline.of(run)).append('\n');
        result.causes().forEach(cause -> text.append("  cause: ").append(cause).append('\n'));
        result.doubts().forEach(doubt -> text.append("  doubt: ").append(doubt).append('\n'));
        times(text, result);
        text.append('\n');
        if (result.sends()) {
            text.append(String.format(Locale.ROOT, "sent      %,15.0f  %,15.1f msg/s\n", result.number(ResultField.SENT),
                result.number(ResultField.MEAN_SENT)));
        }
        if (Boolean.TRUE.equals(result.values().get("receives"))) {
            text.append(String.format(Locale.ROOT, "received  %,15.0f  %,15.1f msg/s\n", result.number(ResultField.RECEIVED),
                result.number(ResultField.MEAN_RECEIVED)));
        }
        text.append("files     ").append(run.directory()).append('\n');
        return text.toString();
    }

    private static void times(StringBuilder text, StoredResult result) {
        List<String> lines = new ArrayList<>();
        for (Metric metric : List.of(Metric.RESPONSE, Metric.TRANSFER, Metric.SEND, Metric.ROUND_TRIP)) {
            String name = metric.name().toLowerCase(Locale.ROOT).replace('_', '-');
            if (result.number("times", name, "count") > 0) {
                StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-10s", TIMES.get(metric)));
                for (String figure : FIGURES) {
                    double micros = result.number("times", name, figure + "Micros");
                    line.append(String.format(Locale.ROOT, "%12s", Double.isFinite(micros) ? Headline.micros(micros) : "n/a"));
                }
                lines.add(line.append('\n').toString());
            }
        }
        if (!lines.isEmpty()) {
            text.append('\n').append(String.format(Locale.ROOT, "%-10s%12s%12s%12s%12s%12s\n", "", "p50", "p90", "p99", "p99.9", "max"));
            lines.forEach(text::append);
        }
    }
}
