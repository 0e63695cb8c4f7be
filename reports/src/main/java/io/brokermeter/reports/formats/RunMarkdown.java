package io.brokermeter.reports.formats;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.recording.Metric;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.Headline;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/** A stored run as Markdown, as for a pull request or the summary of a build's step. */
public final class RunMarkdown {

    private static final List<String> FIGURES = List.of("mean", "p50", "p90", "p99", "p99.9", "p99.99", "max");
    private static final Map<Metric, String> TIMES = Map.of(Metric.RESPONSE, "response", Metric.TRANSFER, "transfer", Metric.SEND, "send ack",
        Metric.SEND_DELAY, "send delay", Metric.ROUND_TRIP, "round trip", Metric.LATE_DELIVERY, "late delivery");
    private static final List<Metric> ORDER =
        List.of(Metric.RESPONSE, Metric.TRANSFER, Metric.SEND, Metric.SEND_DELAY, Metric.ROUND_TRIP, Metric.LATE_DELIVERY);

    private RunMarkdown() {}

    /** The text, which ends with a line end. */
    public static String of(StoredRun run) {
        StoredResult result = run.result();
        StringBuilder text = new StringBuilder("## ").append(cell(run.title())).append(": ").append(cell(Headline.of(run))).append("\n\n");
        list(text, "", result.causes());
        list(text, "Doubtful, since generator or machine may have been the limit:", result.doubts());
        figures(text, run, result);
        times(text, result);
        List<String> about = new ArrayList<>();
        JsonText.map(result.values().get("versions")).forEach((name, version) -> about.add(name + " " + version));
        run.labels().forEach((name, value) -> about.add(name + "=" + value));
        about.add("run " + run.directoryName());
        text.append('\n').append(cell(String.join(", ", about))).append(".\n");
        return text.toString();
    }

    private static void list(StringBuilder text, String head, List<String> sentences) {
        if (!sentences.isEmpty()) {
            text.append(head).append(head.isEmpty() ? "" : "\n\n");
            sentences.forEach(sentence -> text.append("- ").append(cell(sentence)).append('\n'));
            text.append('\n');
        }
    }

    private static void figures(StringBuilder text, StoredRun run, StoredResult result) {
        text.append("| figure | value |\n|---|---:|\n");
        Object asked = JsonText.map(result.values().get("health")).get("askedPerSecond");
        if (result.sends()) {
            count(text, "sent", result.number(ResultField.SENT));
            row(text, "sent per second", rate(result.number(ResultField.MEAN_SENT))
                + (asked instanceof Number number ? " of " + rate(number.doubleValue()) : ""));
        }
        if (Boolean.TRUE.equals(result.values().get("receives"))) {
            count(text, "received", result.number(ResultField.RECEIVED));
            row(text, "received per second", rate(result.number(ResultField.MEAN_RECEIVED)));
        }
        Map<String, ResultField> troubles = new LinkedHashMap<>();
        troubles.put("failed sends", ResultField.FAILED);
        troubles.put("unconfirmed", ResultField.UNCONFIRMED);
        troubles.put("lost", ResultField.LOST);
        troubles.put("left in the broker", ResultField.LEFT);
        troubles.put("not in time", ResultField.UNDELIVERED);
        troubles.put("duplicated", ResultField.DUPLICATES);
        troubles.put("out of order", ResultField.OUT_OF_ORDER);
        troubles.put("corrupt", ResultField.CORRUPT);
        troubles.put("reconnects", ResultField.RECONNECTS);
        troubles.forEach((name, field) -> {
            if (result.number(field) > 0) {
                count(text, name, result.number(field));
            }
        });
        Map<String, @Nullable Object> ledger = JsonText.map(result.values().get("ledger"));
        if (!ledger.isEmpty()) {
            row(text, "ledger", Boolean.TRUE.equals(ledger.get("closes")) ? "closes" : "open");
        }
        known(text, "broker CPU", result.number("broker", "cpuPercent"), "%.1f %%");
        known(text, "broker memory", result.number("broker", "residentMaxBytes") / (1 << 20), "%.1f MiB");
        known(text, "broker CPU per message", result.number("broker", "cpuMicrosPerMessage"), "%.2f us");
        known(text, "generator CPU per message", result.number("health", "cpuMicrosPerMessage"), "%.2f us");
        known(text, "elapsed", result.number(ResultField.ELAPSED), "%.1f s");
        if (run.state() != StoredRun.State.ENDED) {
            row(text, "state", run.state() == StoredRun.State.RUNNING ? "goes on" : "cut off");
        }
    }

    private static void times(StringBuilder text, StoredResult result) {
        List<Metric> known = ORDER.stream().filter(metric -> result.number("times", RunJson.name(metric), "count") > 0).toList();
        if (known.isEmpty()) {
            return;
        }
        text.append("\n| time | ").append(String.join(" | ", FIGURES)).append(" | samples |\n|---|").append("---:|".repeat(FIGURES.size() + 1))
            .append('\n');
        for (Metric metric : known) {
            text.append("| ").append(TIMES.get(metric));
            for (String figure : FIGURES) {
                double micros = result.number("times", RunJson.name(metric), figure + "Micros");
                text.append(" | ").append(Double.isFinite(micros) ? Headline.micros(micros) : "n/a");
            }
            text.append(String.format(Locale.ROOT, " | %,.0f |\n", result.number("times", RunJson.name(metric), "count")));
        }
    }

    private static void known(StringBuilder text, String name, double value, String form) {
        if (Double.isFinite(value) && value >= 0) {
            row(text, name, String.format(Locale.ROOT, form, value));
        }
    }

    private static void count(StringBuilder text, String name, double value) {
        row(text, name, Double.isFinite(value) ? String.format(Locale.ROOT, "%,.0f", value) : "not known");
    }

    private static void row(StringBuilder text, String name, String value) {
        text.append("| ").append(name).append(" | ").append(value).append(" |\n");
    }

    private static String rate(double perSecond) {
        return Double.isFinite(perSecond) ? String.format(Locale.ROOT, "%,.1f msg/s", perSecond) : "not known";
    }

    private static String cell(String text) {
        return text.replaceAll("\\s*\\R\\s*", " ").replace("|", "\\|").replace("<", "&lt;");
    }
}
