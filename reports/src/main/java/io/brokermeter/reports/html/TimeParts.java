package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * Shows where the time of a message went: bars of the mean times, one below the other on one scale that begins when a message was due, and
 * its way as places in their order, each with its time and the messages in it on average, which are their rate times their mean time there
 * (Little 1961). The bars are means, since those add up, and percentiles do not; percentiles are beside them.
 */
final class TimeParts {

    private static final int WIDTH = 1000;
    private static final int BAR = 22;
    private static final int GAP = 8;

    private final StoredResult result;
    private final double handling;

    /**
     * Creates the parts of a run.
     *
     * @param handling time that consumers were to spend on each message, in microseconds; NaN if there was none, or groups differed. It
     *     replaces the handler time if that was not measured, as in files of earlier versions
     */
    TimeParts(StoredResult result, double handling) {
        this.result = result;
        this.handling = handling;
    }

    private double mean(Metric time) {
        return result.micros(time, "mean");
    }

    /** Returns the bars and the table; empty if nothing was timed. */
    Markup markup() {
        Markup m = new Markup();
        Table table = new Table("parts-table", "from, to", "mean", "p50", "p90", "p99", "p99.9", "max", "samples");
        row(table, "send delay: due, sent", Metric.SEND_DELAY);
        row(table, "send ack: sent, confirmed", Metric.SEND);
        row(table, "transfer: sent, delivered", Metric.TRANSFER);
        row(table, "response: due, delivered", Metric.RESPONSE);
        row(table, "round trip: request sent, reply delivered", Metric.ROUND_TRIP);
        row(table, "late delivery: to be delivered, delivered", Metric.LATE_DELIVERY);
        row(table, "handler: delivered, processed", Metric.HANDLER);
        Markup rows = table.markup();
        if (rows.isEmpty()) {
            return m;
        }
        return m.add(bars()).add(rows);
    }

    private void row(Table table, String name, Metric time) {
        if (!(result.samples(time) > 0)) {
            return;
        }
        table.row(name, figure(time, "mean"), figure(time, "p50"), figure(time, "p90"), figure(time, "p99"), figure(time, "p99.9"),
            figure(time, "max"), Amounts.count(result.samples(time)));
    }

    private String figure(Metric time, String figure) {
        return Margin.time(result, time, figure);
    }

    private Markup bars() {
        double delay = Double.isFinite(mean(Metric.SEND_DELAY)) ? mean(Metric.SEND_DELAY) : 0;
        double ack = mean(Metric.SEND);
        double transfer = mean(Metric.TRANSFER);
        boolean timed = mean(Metric.HANDLER) > 0;
        double work = !Double.isFinite(transfer) ? 0 : timed ? mean(Metric.HANDLER) : handling > 0 ? handling : 0;
        double end = Math.max(delay + (Double.isFinite(ack) ? ack : 0), delay + (Double.isFinite(transfer) ? transfer : 0) + work);
        if (!(end > 0)) {
            return new Markup();
        }
        double sent = result.number(ResultField.MEAN_SENT);
        double received = result.number(ResultField.MEAN_RECEIVED);
        List<Bar> bars = new ArrayList<>();
        if (delay > 0) {
            bars.add(new Bar("producer: due, sent", 0, delay, 5, Metric.SEND_DELAY, sent));
        }
        if (Double.isFinite(ack)) {
            bars.add(new Bar("at the same time: sent, confirmed", delay, ack, 2, Metric.SEND, sent));
        }
        double own = result.generator().clockAndWakeMicros();
        if (Double.isFinite(transfer)) {
            // The time that a loopback socket alone takes is the generator's, whatever the broker does.
            if (own > 0 && own < transfer) {
                bars.add(new Bar("client, wire, broker: sent, delivered", delay, transfer - own, 1, Metric.TRANSFER, received));
                bars.add(new Bar("of that the generator's own clock and wake-up", delay + transfer - own, own, 0, null, received));
            } else {
                bars.add(new Bar("client, wire, broker: sent, delivered", delay, transfer, 1, Metric.TRANSFER, received));
            }
        }
        if (work > 0) {
            bars.add(new Bar(timed ? "consumer: delivered, processed" : "consumer, as its processing time was asked for", delay + transfer,
                work, 3, timed ? Metric.HANDLER : null, received));
        }
        int height = bars.size() * (BAR + GAP);
        StringBuilder said = new StringBuilder("Mean times of a message: ");
        Markup svg = new Markup();
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            said.append(i == 0 ? "" : ", ").append(bar.name()).append(' ').append(Amounts.time(bar.length()));
            double x = bar.from() / end * WIDTH;
            double width = Math.max(2, bar.length() / end * WIDTH);
            svg.open("rect", "x", number(x), "y", Integer.toString(i * (BAR + GAP)), "width", number(width), "height",
                Integer.toString(BAR),
                "class", "fill" + bar.style()).close("rect");
        }
        Markup m = new Markup().open("figure", "class", "bars").open("figcaption").element("b", "Mean times of a message").text(" ")
            .element("span", "On one scale, from the moment at which it was due.", "class", "note").close("figcaption")
            .open("svg", "viewBox", "0 0 " + WIDTH + " " + height, "preserveAspectRatio", "none", "role", "img", "aria-label",
                said.toString(),
                "height", Integer.toString(height))
            .add(svg).close("svg").open("ol", "class", "way");
        for (Bar bar : bars) {
            m.open("li", "class", "edge" + bar.style()).element("b", bar.name())
                .element("span", "mean " + Amounts.time(bar.length()) + ", " + Amounts.percent(Math.rint(100 * bar.length() / end)));
            Metric time = bar.time();
            if (time != null && result.samples(time) > 0) {
                m.element("span", "p50 " + Amounts.time(result.micros(time, "p50")) + ", p99 " + Amounts.time(result.micros(time, "p99")));
            }
            double there = bar.perSecond() * bar.length() / 1e6;
            if (Double.isFinite(there)) {
                m.element("span", there < 0.01 ? "hardly a message in it" : Amounts.number(there) + " in it on average");
            }
            m.close("li");
        }
        return m.close("ol").close("figure").line();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /**
     * A place on the way.
     *
     * @param length mean time there
     * @param time the time whose percentiles are those of the place; null for none
     * @param perSecond messages that come there in a second
     */
    private record Bar(String name, double from, double length, int style, @Nullable Metric time, double perSecond) {}
}
