package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.Headline;
import io.brokermeter.reports.table.TableColumn;
import io.brokermeter.spi.parameter.Nearest;

/**
 * A figure by which runs are compared: one number for each trial. A percentile is taken over all messages of the trial together, since
 * neighbouring messages are not independent samples.
 *
 * @param name name of the figure in options and files, such as {@code response.p99}
 * @param heading name of the figure for people, such as {@code response p99}
 * @param kind kind of quantity, with its unit
 * @param value function that returns the figure of a result; NaN when the figure is not known
 */
public record ComparedFigure(String name, String heading, Kind kind, ToDoubleFunction<StoredResult> value) {

    /** The kind of quantity that a figure measures: its unit, its words for lower and higher, and which direction is better. */
    public enum Kind {
        /** A rate, in messages per second. */
        RATE(Quantity.Unit.PER_SECOND, "less", "more"),
        /** A rate of bytes, in bytes per second. */
        BYTE_RATE(Quantity.Unit.BYTES_PER_SECOND, "less", "more"),
        /** A time, in microseconds. */
        TIME(Quantity.Unit.MICROS, "shorter", "longer"),
        /** CPU time per message, in microseconds. */
        COST(Quantity.Unit.MICROS, "less", "more"),
        /** A share of a processor, in percent. A busy broker may be a fast one, so neither direction is better. */
        SHARE(Quantity.Unit.PERCENT, "less", "more"),
        /** An amount of memory, in bytes. */
        BYTES(Quantity.Unit.BYTES, "less", "more"),
        /** A number of messages. */
        COUNT(Quantity.Unit.MESSAGES, "less", "more"),
        /** The highest rate at which a broker meets goals. */
        LIMIT(Quantity.Unit.PER_SECOND, "lower", "higher"),
        /** The greatest number of something at which it does. */
        NUMBER(Quantity.Unit.COUNT, "lower", "higher");

        private final Quantity.Unit unit;
        private final String less;
        private final String more;

        Kind(Quantity.Unit unit, String less, String more) {
            this.unit = unit;
            this.less = less;
            this.more = more;
        }

        /** Returns the unit of the values, as text. */
        public String unit() {
            return unit.suffix();
        }

        /** Returns the word for a lower value. */
        public String less() {
            return less;
        }

        /** Returns the word for a higher value. */
        public String more() {
            return more;
        }

        /** Returns whether a difference in this direction is an improvement; false for kinds without a better direction. */
        public boolean isBetter(RatioVerdict verdict) {
            return verdict == (isBetterHigher() ? RatioVerdict.MORE : RatioVerdict.LESS) && this != SHARE;
        }

        private boolean isBetterHigher() {
            return this == RATE || this == BYTE_RATE || isLimit();
        }

        boolean isLimit() {
            return this == LIMIT || this == NUMBER;
        }

        /** Returns whether a difference in this direction is a deterioration; false for kinds without a better direction. */
        public boolean isWorse(RatioVerdict verdict) {
            return verdict == (isBetterHigher() ? RatioVerdict.LESS : RatioVerdict.MORE) && this != SHARE;
        }
    }

    /** Messages delivered per second to all consumers; messages sent per second in runs that only send. */
    public static final ComparedFigure THROUGHPUT = new ComparedFigure("throughput", "throughput", Kind.RATE, result -> {
        double received = TableColumn.receivedByAll(result);
        return Double.isFinite(received) ? received : TableColumn.SENT.of(result);
    });

    /** The highest rate that a search found; no run has it. */
    static final ComparedFigure LIMIT = new ComparedFigure("limit", "limit", Kind.LIMIT, _ -> Double.NaN);
    /** The greatest number of something else that a search found. */
    static final ComparedFigure GREATEST = new ComparedFigure("limit.number", "limit", Kind.NUMBER, _ -> Double.NaN);

    private static final Map<String, ComparedFigure> ALL = all();

    private static final List<String> SHOWN =
        List.of("throughput", "sent.rate", "response.p50", "response.p99", "response.p99.9", "send.p50",
            "send.p99", "roundTrip.p50", "roundTrip.p99", "broker.cpuPerMessage", "generator.cpuPerMessage");

    private static Map<String, ComparedFigure> all() {
        List<ComparedFigure> all = new ArrayList<>(List.of(THROUGHPUT, LIMIT, GREATEST,
            new ComparedFigure("sent.rate", "sent", Kind.RATE, TableColumn.SENT::of),
            new ComparedFigure("received.rate", "received", Kind.RATE, TableColumn::receivedByAll)));
        all.add(field("sent bytes", ResultField.MEAN_SENT_BYTES));
        all.add(field("received bytes", ResultField.MEAN_RECEIVED_BYTES));
        times(all, "response", Metric.RESPONSE);
        times(all, "transfer", Metric.TRANSFER);
        times(all, "send", Metric.SEND);
        times(all, "send delay", Metric.SEND_DELAY);
        times(all, "round trip", Metric.ROUND_TRIP);
        all.add(field("broker CPU/msg", ResultField.BROKER_CPU_PER_MESSAGE));
        all.add(field("own CPU/msg", ResultField.CPU_PER_MESSAGE));
        all.add(field("broker CPU", ResultField.BROKER_CPU));
        all.add(field("broker memory", ResultField.BROKER_MEMORY));
        all.add(field("most waiting", ResultField.BROKER_DEPTH_MAX));
        Map<String, ComparedFigure> named = new LinkedHashMap<>();
        all.forEach(figure -> named.put(figure.name(), figure));
        return named;
    }

    private static void times(List<ComparedFigure> all, String heading, Metric metric) {
        StoredResult.PARTS.forEach(part -> all.add(new ComparedFigure(metric.key() + "." + part, heading + " " + part, Kind.TIME,
            result -> result.micros(metric, part))));
    }

    /** Creates a figure that is a single number of the result. A field in microseconds is a cost, since times have distributions. */
    private static ComparedFigure field(String heading, ResultField field) {
        Kind kind = Arrays.stream(Kind.values()).filter(one -> one != Kind.TIME && one.unit == field.quantity().unit()).findFirst()
            .orElseThrow();
        return new ComparedFigure(field.quantity().key(), heading, kind, result -> result.number(field));
    }

    /** Returns the figure of a result; NaN when the figure is not known. */
    public double of(StoredResult result) {
        return value.applyAsDouble(result);
    }

    /** Returns the figures that are compared by default. */
    public static List<ComparedFigure> shown() {
        return SHOWN.stream().map(ComparedFigure::of).toList();
    }

    /**
     * Returns the figure with the given name.
     *
     * @throws UsageException when there is no figure with this name
     */
    public static ComparedFigure of(String name) {
        ComparedFigure figure = ALL.get(name);
        if (figure == null) {
            String near = Nearest.to(name, ALL.keySet());
            throw new UsageException("There is no figure '" + name + "'" + (near == null ? "; there are "
                + String.join(", ", ALL.keySet()) + "." : "; did you mean '" + near + "'?"));
        }
        return figure;
    }

    /** Formats a value with its unit, in as many digits as can be read at a glance. */
    public String text(double value) {
        if (!Double.isFinite(value)) {
            return "n/a";
        }
        return switch (kind) {
            case RATE, LIMIT -> Amounts.rate(value);
            case BYTE_RATE -> Amounts.byteRate(value);
            case TIME -> Headline.micros(value);
            case COST -> String.format(Locale.ROOT, "%.2f us", value);
            case SHARE -> String.format(Locale.ROOT, "%.1f %%", value);
            case BYTES -> Amounts.bytes(value);
            case COUNT, NUMBER -> String.format(Locale.ROOT, "%,.0f", value);
        };
    }

    /** Returns the median of the values; NaN when there are no values. */
    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }
}
