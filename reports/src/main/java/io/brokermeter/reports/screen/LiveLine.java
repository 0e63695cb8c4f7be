package io.brokermeter.reports.screen;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.RunShape;
import org.jspecify.annotations.Nullable;

/**
 * Formats the progress of a run as one line: the elapsed time, the rate in messages and, where there is room, in bytes, and the p99 of the response time (of the send ack time if
 * nothing is received), the last two with a small graph of the last intervals, each scaled from 0 to its maximum. If an interval has too
 * few messages for a p99, a lower percentile takes its place, so that slow runs have a graph, too. Used by one thread.
 */
final class LiveLine {

    private static final int MOST = 24;
    private static final int LEAST = 6;
    private static final List<Double> PERCENTILES = List.of(99.0, 90.0, 50.0);
    private static final String BLOCKS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
    private static final String LETTERS = " .:-=+*#@";

    private final RunShape shape;
    private final ScreenStyle style;
    private final boolean graphs;
    private final Deque<Double> rates = new ArrayDeque<>();
    /** The {@link #PERCENTILES} of each of the last intervals, in microseconds; NaN for those with too few samples. */
    private final Deque<List<Double>> times = new ArrayDeque<>();
    private long done;
    private long failed;

    /** @param graphs whether the line has graphs of the last intervals, if there is room for them */
    LiveLine(RunShape shape, ScreenStyle style, boolean graphs) {
        this.shape = shape;
        this.style = style;
        this.graphs = graphs;
    }

    /** Returns the line after another interval, at most as long as the terminal is wide. */
    String after(Interval i) {
        long count = shape.sends() ? i.sent() : i.received();
        done += count;
        failed += i.failed();
        double rate = i.seconds() > 0 ? count / i.seconds() : 0;
        add(rates, rate);
        Map<Metric, Distribution> samples = i.warmup() ? i.warmupSamples() : i.measured();
        Metric metric = shape.receives() ? Metric.RESPONSE : Metric.SEND;
        add(times, micros(samples.get(metric)));
        int shown = shown();
        double newest = times.getLast().get(shown);
        String far = far(i);
        String rateText = Amounts.rate(rate);
        String timeText = metric.label() + " "
            + "p" + Numbers.fixed(PERCENTILES.get(shown), 0) + " "
            + (Double.isFinite(newest) ? Amounts.time(newest) : "n/a");
        String tail = failed > 0 ? "  " + Amounts.count(failed) + " failed" : "";
        int room = style.width() - 1 - far.length() - rateText.length() - timeText.length() - tail.length() - 6;
        boolean drawn = graphs && room >= 2 * LEAST;
        long size = i.count(shape.sends() ? Count.SENT_BYTES : Count.RECEIVED_BYTES);
        String bytes = "  " + Amounts.byteRate(i.seconds() > 0 ? size / i.seconds() : 0);
        if (room - bytes.length() >= (drawn ? 2 * LEAST : 0)) {
            rateText += bytes;
            room -= bytes.length();
        }
        if (!drawn) {
            String line = far + "  " + rateText + "  " + timeText + tail;
            return line.substring(0, Math.min(line.length(), style.width() - 1));
        }
        int length = Math.min(MOST, room / 2);
        return far + "  " + rateText + " " + graph(rates, length) + "  " + timeText + " "
            + graph(times.stream().map(all -> all.get(shown)).toList(), length) + tail;
    }

    private static List<Double> micros(@Nullable Distribution d) {
        return PERCENTILES.stream().map(percentile -> d != null && d.supports(percentile) ? d.nanosAt(percentile) / 1e3 : Double.NaN)
            .toList();
    }

    /**
     * Returns the index of the first percentile that the newest interval has, and at least half of the intervals that have any, so that
     * the choice does not change all the time.
     */
    private int shown() {
        long any = times.stream().filter(all -> Double.isFinite(all.getLast())).count();
        for (int k = 0; k < PERCENTILES.size(); k++) {
            int one = k;
            if (Double.isFinite(times.getLast().get(k))
                && 2 * times.stream().filter(all -> Double.isFinite(all.get(one))).count() >= any) {
                return k;
            }
        }
        return 0;
    }

    private String far(Interval i) {
        // An interval of an overloaded machine ends late.
        double whole = shape.duration().toNanos() / 1e9;
        double elapsed = whole > 0 ? Math.min(whole, i.elapsedNanos() / 1e9) : i.elapsedNanos() / 1e9;
        StringBuilder text = new StringBuilder(i.warmup() ? "warm-up " : i.phase().isEmpty() ? "" : i.phase() + " ")
            .append(Numbers.fixed(elapsed, 0)).append(" s");
        if (!shape.duration().isZero()) {
            text.append(" of ").append(Numbers.fixed(whole, 0)).append(" s");
        }
        if (shape.messageCount() > 0) {
            text.append(", ").append(Numbers.fixed(Math.min(100, 100.0 * done / shape.messageCount()), 0)).append(" % of ")
                .append(Amounts.count(shape.messageCount()));
        }
        return text.toString();
    }

    private static <T> void add(Deque<T> values, T value) {
        values.addLast(value);
        if (values.size() > MOST) {
            values.removeFirst();
        }
    }

    /** Formats a graph of the last values, the newest on the right, padded with blanks on the left. */
    private String graph(Collection<Double> values, int length) {
        String signs = style.blocks() ? BLOCKS : LETTERS;
        double most = values.stream().filter(Double::isFinite).mapToDouble(Double::doubleValue).max().orElse(0);
        StringBuilder graph = new StringBuilder();
        values.stream().skip(Math.max(0, values.size() - length)).forEach(value -> {
            int level = !Double.isFinite(value) || value <= 0 || most <= 0 ? 0
                : Math.max(1, (int) Math.round(value / most * (signs.length() - 1)));
            graph.append(signs.charAt(level));
        });
        return Numbers.padded(graph.toString(), length);
    }
}
