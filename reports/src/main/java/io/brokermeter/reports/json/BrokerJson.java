package io.brokermeter.reports.json;

import static io.brokermeter.reports.document.DocumentJson.rounded;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.document.IntervalDocument.BrokerInInterval;
import io.brokermeter.reports.document.IntervalDocument.ProcessInInterval;
import io.brokermeter.reports.document.ResultDocument;
import org.jspecify.annotations.Nullable;

/**
 * Makes the documents of the broker under test: of an interval, and of the run.
 */
public final class BrokerJson {

    private BrokerJson() {}

    /** Returns the column of a key: {@code cpu_percent} for {@code cpuPercent}. */
    public static String column(String key) {
        return key.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    /**
     * A figure of a sample. Its name in snake case is a column of broker.csv.
     *
     * @param decimals digits behind the point; -1 for a count, which is negative if it is unknown
     */
    public record Figure<T>(String name, int decimals, ToDoubleFunction<T> of) {

        double value(T sample) {
            double value = of.applyAsDouble(sample);
            return decimals < 0 ? known((long) value) : rounded(value, decimals);
        }

        /** Formats the figure as a cell; empty if it is unknown. */
        public String cell(T sample) {
            double value = of.applyAsDouble(sample);
            return decimals < 0 ? value < 0 ? "" : Long.toString((long) value)
                : Double.isFinite(value) ? Numbers.fixed(value, decimals) : "";
        }

        /** Returns the column of the figure: {@code cpu_percent} for {@code cpuPercent}. */
        public String column() {
            return BrokerJson.column(name);
        }
    }

    public static final List<Figure<BrokerSample.Usage>> USAGE = List.of(new Figure<>("cpuPercent", 2, BrokerSample.Usage::cpuPercent),
        new Figure<>("residentBytes", -1, BrokerSample.Usage::residentBytes),
        new Figure<>("memoryPercent", 3, BrokerSample.Usage::memoryPercent),
        new Figure<>("threads", -1, BrokerSample.Usage::threads), new Figure<>("openFiles", -1, BrokerSample.Usage::openFiles),
        new Figure<>("diskReadBytes", -1, BrokerSample.Usage::diskReadBytes),
        new Figure<>("diskWrittenBytes", -1, BrokerSample.Usage::diskWrittenBytes),
        new Figure<>("voluntarySwitches", -1, BrokerSample.Usage::voluntarySwitches),
        new Figure<>("involuntarySwitches", -1, BrokerSample.Usage::involuntarySwitches));

    public static final List<Figure<BrokerSample>> SAMPLE = sample();

    private static List<Figure<BrokerSample>> sample() {
        List<Figure<BrokerSample>> all = new ArrayList<>(List.of(new Figure<>("seconds", 3, BrokerSample::seconds)));
        USAGE.forEach(figure -> all.add(new Figure<>(figure.name, figure.decimals, s -> figure.of.applyAsDouble(s.usage()))));
        all.addAll(List.of(new Figure<>("heapUsedBytes", -1, s -> s.heap().usedBytes()),
            new Figure<>("heapCommittedBytes", -1, s -> s.heap().committedBytes()),
            new Figure<>("heapMaxBytes", -1, s -> s.heap().maxBytes()), new Figure<>("gcPauses", -1, s -> s.heap().gcCount()),
            new Figure<>("gcPauseMillis", -1, s -> s.heap().gcMillis()), new Figure<>("depthMessages", -1, BrokerSample::depth)));
        return List.copyOf(all);
    }

    static BrokerInInterval of(BrokerSample s) {
        return new BrokerInInterval(figures(SAMPLE, s), metrics(s.metrics()), s.processes().stream()
            .map(part -> new ProcessInInterval(part.name(), part.pid(), figures(USAGE, part.usage()))).toList());
    }

    private static <T> Map<String, Double> figures(List<Figure<T>> all, T sample) {
        Map<String, Double> figures = new LinkedHashMap<>();
        all.forEach(figure -> figures.put(figure.name, figure.value(sample)));
        return figures;
    }

    private static Map<String, Double> metrics(Map<String, Double> metrics) {
        Map<String, Double> all = new LinkedHashMap<>();
        metrics.forEach((name, value) -> all.put(name, rounded(value, 6)));
        return all;
    }

    /** Returns the figures of a run; null if its broker was not observed. */
    static ResultDocument.@Nullable BrokerUsage of(RunResult r) {
        BrokerFigures f = r.broker();
        if (f == null) {
            return null;
        }
        return new ResultDocument.BrokerUsage(f.observed(), rounded(f.seconds(), 3), rounded(f.cpuSeconds(), 3),
            ResultField.BROKER_CPU_PER_MESSAGE.file(r), ResultField.BROKER_CPU.file(r), ResultField.BROKER_CPU_MAX.file(r),
            ResultField.BROKER_MEMORY.file(r), ResultField.BROKER_MEMORY_MAX.file(r), rounded(f.memoryPercent(), 3),
            rounded(f.memoryPercentMax(), 3), rounded(f.waitingPercent(), 2), known(f.threadsMax()), f.busiestThread(),
            rounded(f.busiestThreadPercent(), 2),
            known(f.openFilesMax()), known(f.diskReadBytes()), known(f.diskWrittenBytes()), known(f.voluntarySwitches()),
            known(f.involuntarySwitches()), ResultField.BROKER_HEAP_MAX.file(r), known(f.heapMaxBytes()), known(f.gcCount()),
            known(f.gcMillis()), ResultField.BROKER_DEPTH_MAX.file(r), metrics(f.metrics()));
    }

    private static double known(long count) {
        return count < 0 ? Double.NaN : count;
    }
}
