package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.StoredResult;

/**
 * Shows where the time of a message went: bars of the mean times, one below the other on one scale that begins when a message was due.
 * The bars are means, since those add up, and percentiles do not; percentiles are in the table.
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

    private double mean(String time) {
        return result.micros(time, "mean");
    }

    /** Returns the bars and the table; empty if nothing was timed. */
    Markup markup() {
        Markup m = new Markup();
        Table table = new Table("parts-table", "from, to", "mean", "p50", "p90", "p99", "p99.9", "max", "samples");
        row(table, "send delay: due, sent", "send-delay");
        row(table, "send ack: sent, confirmed", "send");
        row(table, "transfer: sent, delivered", "transfer");
        row(table, "response: due, delivered", "response");
        row(table, "round trip: request sent, reply delivered", "round-trip");
        row(table, "late delivery: to be delivered, delivered", "late-delivery");
        row(table, "handler: delivered, processed", "handler");
        Markup rows = table.markup();
        if (rows.isEmpty()) {
            return m;
        }
        return m.add(bars()).add(rows);
    }

    private void row(Table table, String name, String time) {
        if (!(result.samples(time) > 0)) {
            return;
        }
        table.row(name, figure(time, "mean"), figure(time, "p50"), figure(time, "p90"), figure(time, "p99"), figure(time, "p99.9"),
            figure(time, "max"), Amounts.count(result.samples(time)));
    }

    private String figure(String time, String figure) {
        return Margin.time(result, time, figure);
    }

    private Markup bars() {
        double delay = Double.isFinite(mean("send-delay")) ? mean("send-delay") : 0;
        double ack = mean("send");
        double transfer = mean("transfer");
        boolean timed = mean("handler") > 0;
        double work = !Double.isFinite(transfer) ? 0 : timed ? mean("handler") : handling > 0 ? handling : 0;
        double end = Math.max(delay + (Double.isFinite(ack) ? ack : 0), delay + (Double.isFinite(transfer) ? transfer : 0) + work);
        if (!(end > 0)) {
            return new Markup();
        }
        List<Bar> bars = new ArrayList<>();
        if (delay > 0) {
            bars.add(new Bar("send delay", 0, delay, 5));
        }
        if (Double.isFinite(ack)) {
            bars.add(new Bar("send to confirm", delay, ack, 2));
        }
        double own = result.generator().clockAndWakeMicros();
        if (Double.isFinite(transfer)) {
            // The time that a loopback socket alone takes is the generator's, whatever the broker does.
            if (own > 0 && own < transfer) {
                bars.add(new Bar("broker, wire and client", delay, transfer - own, 1));
                bars.add(new Bar("the generator's own clock and wake-up", delay + transfer - own, own, 0));
            } else {
                bars.add(new Bar("broker, wire and client", delay, transfer, 1));
            }
        }
        if (work > 0) {
            bars.add(new Bar(timed ? "handler" : "handler, as its processing time was asked for", delay + transfer, work, 3));
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
            .add(svg).close("svg").open("ul", "class", "swatches");
        for (Bar bar : bars) {
            m.open("li").element("span", "", "class", "swatch fill" + bar.style()).text(bar.name() + " " + Amounts.time(bar.length()))
                .close("li");
        }
        return m.close("ul").close("figure").line();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private record Bar(String name, double from, double length, int style) {}
}
