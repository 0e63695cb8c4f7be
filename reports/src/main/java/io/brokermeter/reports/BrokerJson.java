package io.brokermeter.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.RunResult;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the figures of the broker under test for the JSON report: one object, with a unit in each name and null for an unknown figure.
 */
final class BrokerJson {

    private BrokerJson() {}

    /**
     * A figure of a sample. Its name in snake case is a column of broker.csv.
     *
     * @param decimals digits behind the point; -1 for a count, which is negative if it is unknown
     */
    record Figure<T>(String name, int decimals, ToDoubleFunction<T> of) {

        void write(JsonGenerator json, T sample) {
            if (decimals < 0) {
                count(json, name, (long) of.applyAsDouble(sample));
            } else {
                JsonReport.number(json, name, of.applyAsDouble(sample), decimals);
            }
        }

        /** Formats the figure as a cell; empty if it is unknown. */
        String cell(T sample) {
            double value = of.applyAsDouble(sample);
            return decimals < 0 ? value < 0 ? "" : Long.toString((long) value)
                : Double.isFinite(value) ? Numbers.fixed(value, decimals) : "";
        }

        /** Returns the column of the figure: {@code cpu_percent} for {@code cpuPercent}. */
        String column() {
            return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        }
    }

    static final List<Figure<BrokerSample.Usage>> USAGE = List.of(new Figure<>("cpuPercent", 2, BrokerSample.Usage::cpuPercent),
        new Figure<>("residentBytes", -1, BrokerSample.Usage::residentBytes),
        new Figure<>("memoryPercent", 3, BrokerSample.Usage::memoryPercent),
        new Figure<>("threads", -1, BrokerSample.Usage::threads), new Figure<>("openFiles", -1, BrokerSample.Usage::openFiles),
        new Figure<>("diskReadBytes", -1, BrokerSample.Usage::diskReadBytes),
        new Figure<>("diskWrittenBytes", -1, BrokerSample.Usage::diskWrittenBytes),
        new Figure<>("voluntarySwitches", -1, BrokerSample.Usage::voluntarySwitches),
        new Figure<>("involuntarySwitches", -1, BrokerSample.Usage::involuntarySwitches));

    static final List<Figure<BrokerSample>> SAMPLE = sample();

    private static List<Figure<BrokerSample>> sample() {
        List<Figure<BrokerSample>> all = new ArrayList<>(List.of(new Figure<>("seconds", 3, BrokerSample::seconds)));
        USAGE.forEach(figure -> all.add(new Figure<>(figure.name, figure.decimals, s -> figure.of.applyAsDouble(s.usage()))));
        all.addAll(List.of(new Figure<>("heapUsedBytes", -1, s -> s.heap().usedBytes()),
            new Figure<>("heapCommittedBytes", -1, s -> s.heap().committedBytes()),
            new Figure<>("heapMaxBytes", -1, s -> s.heap().maxBytes()), new Figure<>("gcPauses", -1, s -> s.heap().gcCount()),
            new Figure<>("gcPauseMillis", -1, s -> s.heap().gcMillis()), new Figure<>("depthMessages", -1, BrokerSample::depth)));
        return List.copyOf(all);
    }

    static void write(JsonGenerator json, BrokerSample s) {
        json.writeObjectPropertyStart("broker");
        SAMPLE.forEach(figure -> figure.write(json, s));
        metrics(json, s.metrics());
        if (!s.processes().isEmpty()) {
            JsonText.objects(json, "processes", s.processes(), part -> {
                json.writeStringProperty("name", part.name());
                json.writeNumberProperty("pid", part.pid());
                USAGE.forEach(figure -> figure.write(json, part.usage()));
            });
        }
        json.writeEndObject();
    }

    static void write(JsonGenerator json, RunResult r) {
        BrokerFigures f = r.broker();
        if (f == null) {
            json.writeNullProperty("broker");
            return;
        }
        json.writeObjectPropertyStart("broker");
        json.writeStringProperty("observed", f.observed());
        JsonReport.number(json, "seconds", f.seconds(), 3);
        JsonReport.number(json, "cpuSeconds", f.cpuSeconds(), 3);
        List.of(ResultField.BROKER_CPU_PER_MESSAGE, ResultField.BROKER_CPU, ResultField.BROKER_CPU_MAX, ResultField.BROKER_MEMORY,
            ResultField.BROKER_MEMORY_MAX).forEach(field -> field.file(json, r, true));
        JsonReport.number(json, "memoryPercent", f.memoryPercent(), 3);
        JsonReport.number(json, "memoryMaxPercent", f.memoryPercentMax(), 3);
        JsonReport.number(json, "waitingPercent", f.waitingPercent(), 2);
        count(json, "threadsMax", f.threadsMax());
        if (!f.busiestThread().isEmpty()) {
            json.writeStringProperty("busiestThread", f.busiestThread());
            JsonReport.number(json, "busiestThreadPercent", f.busiestThreadPercent(), 2);
        }
        count(json, "openFilesMax", f.openFilesMax());
        count(json, "diskReadBytes", f.diskReadBytes());
        count(json, "diskWrittenBytes", f.diskWrittenBytes());
        count(json, "voluntarySwitches", f.voluntarySwitches());
        count(json, "involuntarySwitches", f.involuntarySwitches());
        ResultField.BROKER_HEAP_MAX.file(json, r, true);
        count(json, "heapMaxBytes", f.heapMaxBytes());
        count(json, "gcPauses", f.gcCount());
        count(json, "gcPauseMillis", f.gcMillis());
        ResultField.BROKER_DEPTH_MAX.file(json, r, true);
        metrics(json, f.metrics());
        json.writeEndObject();
    }

    private static void metrics(JsonGenerator json, Map<String, Double> metrics) {
        if (!metrics.isEmpty()) {
            JsonText.object(json, "metrics", () -> metrics.forEach((name, value) -> JsonReport.number(json, name, value, 6)));
        }
    }

    private static void count(JsonGenerator json, String name, long value) {
        if (value < 0) {
            json.writeNullProperty(name);
        } else {
            json.writeNumberProperty(name, value);
        }
    }
}
