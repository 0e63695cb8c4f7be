package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.document.EventDocument;
import io.brokermeter.reports.document.FaultStep;
import io.brokermeter.reports.document.ResultDocument.FaultDocument;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Chart.Unit;
import io.brokermeter.reports.html.chart.Series;
import io.brokermeter.reports.html.chart.Stretch;
import io.brokermeter.reports.html.chart.Stretch.Span;
import io.brokermeter.reports.screen.ScorecardText;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/**
 * Shows how a run recovered from its faults: its scorecard, and charts of the time around them. The scorecard is taken from the result as
 * it is; the charts are drawn from {@code failover.csv}, or from the intervals if a run has no such file.
 */
final class FaultPart {

    private static final int FAULT = 3;
    private static final int SENDS = 0;
    private static final int DELIVERIES = 1;
    private static final int FAILED = 2;
    private static final int SENT = 5;
    private static final int OVER = 4;
    /** The time shown before the fault and after its end in seconds, for a run without {@code failover.csv}. */
    private static final double AIR = 5;

    /** The factor by which a value must exceed the linear part of the axis for the axis to be logarithmic above it. */
    private static final double BENT = 3;

    /** A fault that took effect, with its number on the time line, from one moment of the run to another in seconds. */
    private record Made(long number, String what, double from, double to) {}

    /** The time steps around the faults; empty if the run has none in its files. */
    private final List<FaultStep> course;
    private final boolean known;
    /** The times of the first fault, and of those after it that have their own. */
    private final List<FaultDocument> scored;
    private final ScorecardText.@Nullable Sheet sheet;
    private final List<Made> faults;

    FaultPart(StoredRun run) {
        FaultDocument card = run.result().document().failover();
        this.known = card != null && card.faultKnown();
        this.scored = card == null ? List.of() : Stream.<FaultDocument>concat(Stream.of(card), card.further().stream()).toList();
        this.sheet = ScorecardText.sheet(List.of(run.result())).orElse(null);
        this.faults = sheet == null ? List.of() : faults(run.events());
        this.course = sheet == null ? List.of() : run.faultCourse();
    }

    /** Returns the faults that took effect, in their order. */
    private static List<Made> faults(List<EventDocument> events) {
        Map<Long, Made> all = new LinkedHashMap<>();
        for (EventDocument event : events) {
            EventDocument.FaultOfEvent fault = event.fault();
            if (!event.finding().equals("fault-done") || fault == null) {
                continue;
            }
            long number = fault.number();
            double moment = Double.isFinite(fault.effectiveSeconds()) ? fault.effectiveSeconds() : event.elapsedSeconds();
            String action = fault.action().toLowerCase(Locale.ROOT);
            Made before = all.get(number);
            if (before != null) {
                all.put(number, new Made(number, before.what, before.from, moment));
            } else if ("began".equalsIgnoreCase(fault.step())) {
                all.put(number, new Made(number, action + " " + fault.target(), moment,
                    action.equals("reset") ? moment : Double.POSITIVE_INFINITY));
            }
        }
        return List.copyOf(all.values());
    }

    /** Adds the part, if there is a scorecard. */
    void addTo(Page page, TimeColumns columns) {
        ScorecardText.Sheet told = sheet;
        if (told == null) {
            return;
        }
        page.section("failover", "Failover").add(new Markup().element("p", told.heading() + ".", "id", "scorecard-heading"));
        if (faults.size() > 1) {
            page.add(new Markup().element("p",
                faults.size() + " faults were made, and all of them are marked. "
                    + (scored.size() == faults.size() ? "Each has times of its own"
                        : "The first has times of its own, and each that came when all was as before; another belongs to the one before it")
                    + ". Counts are those of the whole run.",
                "id", "scorecard-first"));
        }
        List<List<Span>> groups = spans();
        List<Span> spans = groups.stream().flatMap(List::stream).toList();
        Stretch fine = fine(spans);
        Stretch stretch = fine == null ? coarse(columns, spans) : fine;
        if (stretch.count() > 0) {
            pictures(page, stretch, fine != null, columns);
        }
        Table table = new Table("scorecard-table", head(told).toArray(String[]::new));
        told.rows().forEach(row -> table.row(Stream.concat(Stream.of(row.label(), row.text()),
            told.further().stream().map(later -> row.time() ? later.text(row.label()) : "")).toArray(String[]::new)));
        page.add(new Markup().open("div", "class", "pair").open("div").element("h3", "Scorecard")).add(table.markup())
            .add(new Markup().close("div").open("div").element("h3", "Moments")).add(moments(groups).markup())
            .add(new Markup().close("div").close("div"));
        page.end();
    }

    private static List<String> head(ScorecardText.Sheet told) {
        List<String> head = new ArrayList<>(List.of("", told.further().isEmpty() ? "" : "first fault"));
        told.further().forEach(later -> head.add("fault at " + later.at() + ": " + later.said()));
        return head;
    }

    // ---- what is shown beside the lines ----

    /** Returns, for each fault with times of its own, the faults that belong to it, and after them how the run recovered. */
    private List<List<Span>> spans() {
        List<List<Span>> all = new ArrayList<>();
        for (FaultDocument of : scored) {
            List<Span> spans = new ArrayList<>();
            for (Made fault : faults) {
                if (scoredAs(fault) == all.size()) {
                    spans.add(new Span(fault.from, fault.to, FAULT, (faults.size() > 1 ? "fault " + fault.number + ": " : "fault: ")
                        + fault.what
                        + (fault.to > fault.from && Double.isFinite(fault.to) ? ", for " + Amounts.seconds(fault.to - fault.from) : "")));
                }
            }
            gotOver(spans, of, known);
            all.add(spans);
        }
        return all;
    }

    /** Returns the index of the fault whose times a fault belongs to. Moments of scorecards are rounded to a microsecond. */
    private int scoredAs(Made fault) {
        return (int) scored.stream().skip(1).filter(one -> one.begin().faultSeconds() < fault.from + 1e-5).count();
    }

    private static void gotOver(List<Span> all, FaultDocument of, boolean known) {
        double at = of.begin().faultSeconds();
        double detect = of.cost().detectSeconds();
        if (Double.isFinite(detect)) {
            all.add(new Span(at + detect, at + detect, FAULT,
                !known ? "noticed" : detect == 0 ? "noticed at once" : "noticed after " + Amounts.seconds(detect)));
        }
        gap(all, of.sendsStoppedSeconds(), of.cost().withoutSendSeconds(), SENDS, "no confirmed send");
        gap(all, of.deliveriesStoppedSeconds(), of.cost().withoutDeliverySeconds(), DELIVERIES, "no delivery");
        double back = of.cost().to95PercentSeconds();
        if (back > 0) {
            all.add(new Span(at + back, at + back, OVER, "95 % of the rate after " + Amounts.seconds(back)));
        }
        double next = of.deliveriesStoppedSeconds() + of.cost().withoutDeliverySeconds();
        double catchUp = of.cost().catchUpSeconds();
        if (catchUp > 0 && Double.isFinite(next)) {
            // Nothing is caught up before the fault, so it begins then at the earliest.
            double begin = Math.max(next, at);
            all.add(new Span(begin, begin + catchUp, OVER, "backlog gone in " + Amounts.seconds(catchUp)));
        }
    }

    private static void gap(List<Span> all, double from, double seconds, int style, String what) {
        if (Double.isFinite(from)) {
            boolean ended = Double.isFinite(seconds);
            all.add(new Span(from, ended ? from + seconds : Double.POSITIVE_INFINITY, style,
                what + (ended ? " for " + Amounts.seconds(seconds) : " to the end")));
        }
    }

    private Table moments(List<List<Span>> groups) {
        Table table = new Table("moments-table", "", "from", "to",
            known ? "after the fault" : "after it was noticed");
        for (int i = 0; i < groups.size(); i++) {
            double at = scored.get(i).begin().faultSeconds();
            for (Span span : groups.get(i)) {
                table.row(span.text(), moment(span.from()),
                    span.to() == span.from() ? "" : Double.isFinite(span.to()) ? moment(span.to()) : "the end",
                    String.format(Locale.ROOT, "%.3f s", span.from() - at));
            }
        }
        return table;
    }

    private static String moment(double seconds) {
        return String.format(Locale.ROOT, "%.3f s", seconds);
    }

    // ---- the lines ----

    /** Returns the time steps of {@code failover.csv}; null if the run has no such file. */
    private @Nullable Stretch fine(List<Span> spans) {
        if (course.isEmpty()) {
            return null;
        }
        double[] edges = new double[course.size() + 1];
        for (int i = 0; i < course.size(); i++) {
            double end = course.get(i).elapsedSeconds();
            double length = course.get(i).seconds();
            if (!(length > 0) || !Double.isFinite(end)) {
                return null;
            }
            edges[i] = end - length;
            edges[i + 1] = end;
        }
        return new Stretch(edges, shown(spans, edges), true, Double.NaN);
    }

    /** Returns the columns of those intervals that lie around the fault. */
    private Stretch coarse(TimeColumns columns, List<Span> spans) {
        double from = scored.getFirst().begin().faultSeconds() - AIR;
        double last =
            spans.stream().mapToDouble(span -> Double.isFinite(span.to()) ? span.to() : Double.MAX_VALUE).max().orElse(from + AIR);
        int first = columns.count() == 0 ? 0 : columns.at(Math.max(0, from));
        int end = columns.count() == 0 ? -1 : columns.at(last + AIR);
        double[] all = columns.edges();
        double[] edges = columns.count() == 0 ? new double[1] : Arrays.copyOfRange(all, first, end + 2);
        return new Stretch(edges, shown(spans, edges), true, Double.NaN);
    }

    /** Returns the spans that are long enough to be visible. */
    private static List<Span> shown(List<Span> spans, double[] edges) {
        double least = edges.length < 2 ? 0 : edges[1] - edges[0];
        return spans.stream().filter(span -> span.to() == span.from() || span.to() - span.from() >= least).toList();
    }

    private void pictures(Page page, Stretch stretch, boolean fine, TimeColumns columns) {
        List<Series> lines = new ArrayList<>();
        add(lines, "sent", SENT, ofIntervals(stretch, columns, StoredInterval::sentPerSecond));
        if (fine) {
            add(lines, "confirmed", SENDS, rates(stretch, FaultStep::confirmed));
            add(lines, "delivered", DELIVERIES, rates(stretch, FaultStep::delivered));
            double[] failed = rates(stretch, FaultStep::failed);
            if (Arrays.stream(failed).anyMatch(value -> value > 0)) {
                add(lines, "failed", FAILED, failed);
            }
        } else {
            add(lines, "confirmed", SENDS, ofIntervals(stretch, columns, StoredInterval::completedPerSecond));
            add(lines, "delivered", DELIVERIES, ofIntervals(stretch, columns, StoredInterval::receivedPerSecond));
            double[] failed = ofIntervals(stretch, columns, one -> one.document().failedMessages() / one.seconds());
            if (Arrays.stream(failed).anyMatch(value -> value > 0)) {
                add(lines, "failed", FAILED, failed);
            }
        }
        double each = stretch.length(0);
        // A backlog is delivered at many times the usual rate, which would be a line at the bottom beside it.
        double most = lines.stream().flatMapToDouble(line -> Arrays.stream(line.values())).filter(Double::isFinite).max().orElse(0);
        double bend = round(2 * scored.getFirst().cost().rateBefore());
        boolean bent = bend > 0 && most > BENT * bend;
        page.chart(Chart.ofStretch("fault-rates", "Messages a second around the fault" + (faults.size() > 1 ? "s" : ""),
            (fine ? "Each point is " + Amounts.seconds(each) + "; sent is the mean of an interval." : "Each point is an interval.")
                + (bent ? " Above " + Amounts.rate(bend) + " the axis is logarithmic." : ""),
            Unit.PER_SECOND, 230 + 17 * stretch.spans().size(), lines, bent ? stretch.bent(bend) : stretch));
        if (fine) {
            page.chart(
                Chart.ofStretch("fault-waits", "Longest wait since a message was due", "Of those that were delivered.", Unit.MICROS, 150,
                    List.of(Series.line("longest wait", OVER, column(FaultStep::longestWaitMicros))), stretch.unnamed()).onLogarithm());
        }
    }

    /** Rounds up to 1, 2 or 5 times a power of ten. */
    private static double round(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        return value <= power ? power : value <= 2 * power ? 2 * power : value <= 5 * power ? 5 * power : 10 * power;
    }

    private static void add(List<Series> lines, String label, int style, double[] values) {
        lines.add(Series.line(label, style, values));
    }

    private double[] column(ToDoubleFunction<FaultStep> figure) {
        return course.stream().mapToDouble(figure).toArray();
    }

    private double[] rates(Stretch stretch, ToDoubleFunction<FaultStep> figure) {
        double[] counts = column(figure);
        for (int i = 0; i < counts.length; i++) {
            counts[i] /= stretch.length(i);
        }
        return counts;
    }

    /** Returns, for each column, the figure of the interval that contains its middle. */
    private static double[] ofIntervals(Stretch stretch, TimeColumns columns, ToDoubleFunction<StoredInterval> figure) {
        double[] all = columns.means(figure);
        double[] values = new double[stretch.count()];
        for (int i = 0; i < values.length; i++) {
            double at = stretch.middle(i);
            values[i] = columns.count() == 0 || at > columns.to(columns.count() - 1) ? Double.NaN : all[columns.at(at)];
        }
        return values;
    }
}
