package io.brokermeter.reports.formats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.LimitDocument;
import io.brokermeter.reports.document.LimitDocument.TriedLoad;
import io.brokermeter.reports.document.WindowDocument;
import io.brokermeter.reports.stored.LoggedSamples;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/**
 * Converts a stored run to a result file of the OpenMessaging Benchmark, as its {@code bin/create_charts.py} reads it: lists with a value
 * for each 10 s of the measured part, and aggregated figures. The publish latency is the send ack time and the end-to-end latency the
 * transfer time, both in milliseconds; the publish delay is the send delay, in microseconds. The response time has no counterpart there.
 */
public final class OmbJson {

    /** The distance of the values of a list in the chart script, in seconds. */
    private static final double PERIOD_SECONDS = 10;
    /** The shortest rest at the end that counts as a period of its own, in seconds. */
    private static final double LEAST_SECONDS = 5;
    private static final int TICKS = 100;
    private static final List<String> FIGURES = List.of("Avg", "50pct", "75pct", "95pct", "99pct", "999pct", "9999pct", "Max");

    private final StoredRun run;
    private final StoredResult result;
    private final List<Period> periods = new ArrayList<>();

    /** The figures of 10 s. */
    private static final class Period {
        private double seconds;
        private double sent;
        private double failed;
        private double received;
        private double backlog;
        private final Map<Metric, Histogram> micros = new EnumMap<>(Metric.class);
    }

    private OmbJson(StoredRun run) {
        this.run = run;
        this.result = run.result();
    }

    /**
     * Returns the object as text. Its {@code workload} and {@code driver}, by which the charts are grouped and their curves named, are
     * the labels of these names if the run has them.
     */
    public static String of(StoredRun run) {
        return new OmbJson(run).text(new JsonObject());
    }

    /**
     * Returns the object of a search, which is what the benchmark makes of a producer rate of 0: that of the long trial at the limit, or else of
     * the trial with the greatest load that held, and the limit with its interval beside it.
     *
     * @throws UsageException when no trial held
     */
    public static String of(StoredSweep search) {
        LimitDocument answer = search.limit();
        WindowDocument.Estimate limit = answer.limit();
        JsonObject more = new JsonObject();
        more.put("limitPublishRate", limit == null ? null : limit.estimate());
        more.put("limitPublishRateLow", limit == null ? null : limit.low());
        more.put("limitPublishRateHigh", limit == null ? null : limit.high());
        List<TriedLoad> held = Stream.of(answer.trials(), answer.confirmations()).flatMap(trials -> trials.stream()
            .filter(trial -> trial.outcome().equals(LimitDocument.HELD)).max(Comparator.comparingDouble(TriedLoad::load)).stream())
            .toList();
        return search.trials().stream().filter(trial -> !held.isEmpty() && trial.number() == held.getLast().number())
            .flatMap(trial -> trial.run().stream()).findFirst().map(run -> new OmbJson(run).text(more))
            .orElseThrow(() -> new UsageException("No trial of this search held, so there is none to show."));
    }

    private String text(JsonObject more) {
        periods();
        JsonObject all = new JsonObject();
        EnvironmentDocument.Workload facts = run.environment().workload();
        double destinations = Math.max(1, known(facts.destinations()));
        all.put("workload", run.labels().getOrDefault("workload", run.title()));
        all.put("driver", run.labels().getOrDefault("driver", driver()));
        all.put("messageSize", known(facts.messageBytes()));
        all.put("topics", (long) destinations);
        all.put("partitions", 1L);
        all.put("producersPerTopic", Math.round(known(facts.producers()) / destinations));
        all.put("consumersPerTopic", Math.round(known(facts.consumers()) / destinations));
        all.put("publishRate", periods.stream().map(period -> period.sent / period.seconds).toList());
        all.put("publishErrorRate", periods.stream().map(period -> period.failed / period.seconds).toList());
        all.put("consumeRate", periods.stream().map(period -> period.received / period.seconds).toList());
        all.put("backlog", periods.stream().map(period -> Math.round(period.backlog)).toList());
        latency(all, "PublishLatency", Metric.SEND, 1e3);
        latency(all, "PublishDelayLatency", Metric.SEND_DELAY, 1);
        latency(all, "EndToEndLatency", Metric.TRANSFER, 1e3);
        all.putAll(more);
        return JsonText.of(all) + "\n";
    }

    private String driver() {
        return !result.brokerVersion().isEmpty() ? result.brokerVersion()
            : result.document().groups().isEmpty() ? "brokermeter" : result.document().groups().getFirst().protocol();
    }

    private static long known(@Nullable Long value) {
        return value == null ? 0 : value;
    }

    /**
     * Assigns the intervals of the measured part, up to the end of sending, to periods: each to the one that contains its middle. An
     * interval that is longer than a period counts in every period that it covers, with a share of its messages.
     */
    private void periods() {
        List<StoredInterval> intervals = run.intervals();
        // The script cannot draw a run without periods, so if every interval began in the warm-up, they all count.
        boolean all = intervals.stream().allMatch(StoredInterval::warmup);
        double begin = intervals.stream().filter(one -> all || !one.warmup()).findFirst().map(one -> one.elapsedSeconds() - one.seconds())
            .orElse(0.0);
        double sending = result.number(ResultField.SENDING_SECONDS);
        double end = result.sends() && sending > 0 ? sending : Double.MAX_VALUE;
        double subscriptions = Math.max(1, Math.round(known(result.number(ResultField.EXPECTED) / result.number(ResultField.COMPLETED))));
        double waiting = 0;
        for (StoredInterval one : intervals) {
            double from = one.elapsedSeconds() - one.seconds() - begin;
            double to = Math.min(one.elapsedSeconds(), end) - begin;
            double middle = from + one.seconds() / 2;
            double before = waiting;
            waiting += one.sent() * subscriptions - one.received();
            boolean isLong = isLong(one.seconds());
            if (!all && one.warmup() || !(isLong ? from < to : middle + begin < end)) {
                continue;
            }
            if (!isLong) {
                add(period(index(middle)), one, to - from, 1, 1).backlog = Math.max(0, waiting);
                continue;
            }
            double covered = 0;
            for (int i = index(from); i * PERIOD_SECONDS < to; i++) {
                double seconds = covered(i, from, to);
                covered += seconds;
                double waited = before + one.sent() * subscriptions * covered / (to - from) - one.received() * covered / one.seconds();
                // The interval sent up to the end of sending, and received up to its own end.
                add(period(i), one, seconds, seconds / (to - from), seconds / one.seconds()).backlog = Math.max(0, waited);
            }
        }
        run.samples(one -> {
            double from = one.startSeconds() - begin;
            double middle = from + one.seconds() / 2;
            if (one.warmup()) {
                return;
            }
            if (!isLong(one.seconds()) || middle < 0) {
                // An interval that began in the warm-up may have samples of the measured part, which belong to the first period.
                add(index(middle), one);
                return;
            }
            for (int i = index(from); i < periods.size(); i++) {
                // Of two intervals in a period, the one that covers less than half of it says nothing about the rest.
                if (covered(i, from, from + one.seconds()) >= LEAST_SECONDS) {
                    add(i, one);
                }
            }
        });
        periods.removeIf(period -> period.seconds <= 0);
        if (periods.size() > 1 && periods.getLast().seconds < LEAST_SECONDS) {
            periods.removeLast();
        }
    }

    private static boolean isLong(double seconds) {
        return seconds > PERIOD_SECONDS;
    }

    /** Returns the number of seconds of a period that lie between two moments. */
    private static double covered(int period, double from, double to) {
        return Math.max(0, Math.min(to, (period + 1) * PERIOD_SECONDS) - Math.max(from, period * PERIOD_SECONDS));
    }

    private static Period add(Period period, StoredInterval one, double seconds, double ofSent, double ofReceived) {
        period.seconds += seconds;
        period.sent += one.sent() * ofSent;
        period.failed += one.failed() * ofSent;
        period.received += one.received() * ofReceived;
        return period;
    }

    private void add(int period, LoggedSamples one) {
        if (period < periods.size()) {
            periods.get(period).micros.computeIfAbsent(one.metric(), _ -> new Histogram(3)).add(one.micros());
        }
    }

    private static double known(double value) {
        return Double.isFinite(value) ? value : 1;
    }

    private static int index(double seconds) {
        return (int) Math.max(0, seconds / PERIOD_SECONDS);
    }

    private Period period(int index) {
        while (periods.size() <= index) {
            periods.add(new Period());
        }
        return periods.get(index);
    }

    /**
     * Adds the lists and the aggregate of one time. For a time that was left out the lists and quantiles are empty, since the chart
     * script fails without their names, and draws an empty one as a curve without points; its other figures are absent.
     */
    private void latency(JsonObject all, String name, Metric metric, double microsPerUnit) {
        Histogram none = new Histogram(3);
        String small = Character.toLowerCase(name.charAt(0)) + name.substring(1);
        if (!run.isShown(metric)) {
            FIGURES.forEach(figure -> all.put(small + figure, List.of()));
            all.put("aggregated" + name + "Quantiles", Map.of());
            return;
        }
        for (String figure : FIGURES) {
            List<Number> values = new ArrayList<>();
            periods.forEach(period -> values.add(number(figure(period.micros.getOrDefault(metric, none), figure), figure, microsPerUnit)));
            all.put(small + figure, values);
        }
        Histogram whole = run.times().getOrDefault(metric, none);
        for (String figure : FIGURES) {
            all.put("aggregated" + name + figure, number(figure(whole, figure), figure, microsPerUnit));
        }
        Map<String, Number> quantiles = new LinkedHashMap<>();
        for (HistogramIterationValue value : whole.percentiles(TICKS)) {
            quantiles.put(Double.toString(value.getPercentile()), number(value.getValueIteratedTo(), "", microsPerUnit));
        }
        all.put("aggregated" + name + "Quantiles", quantiles);
    }

    /** Converts a time to the unit of the file. Times in microseconds are whole numbers there, except for the mean. */
    private static Number number(double micros, String figure, double microsPerUnit) {
        if (microsPerUnit == 1 && !figure.equals("Avg")) {
            return Math.round(micros);
        }
        return micros / microsPerUnit;
    }

    /** Returns a figure of samples, in their unit; 0 without samples, as in files of the benchmark. */
    private static double figure(Histogram micros, String figure) {
        if (micros.getTotalCount() == 0) {
            return 0;
        }
        return switch (figure) {
            case "Avg" -> micros.getMean();
            case "Max" -> micros.getMaxValue();
            case "999pct" -> micros.getValueAtPercentile(99.9);
            case "9999pct" -> micros.getValueAtPercentile(99.99);
            default -> micros.getValueAtPercentile(Double.parseDouble(figure.substring(0, 2)));
        };
    }
}
