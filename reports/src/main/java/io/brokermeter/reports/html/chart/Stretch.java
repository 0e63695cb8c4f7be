package io.brokermeter.reports.html.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A part of the time of a run, with the events in it. Seconds are those since the start of the load.
 *
 * @param edges beginnings of all its columns, and the end of the last one
 * @param spans spans shown beside its charts, a row for each
 * @param named whether the spans are written above the chart; otherwise they are only read out
 * @param bend value up to which the y axis is linear, and beyond which it is logarithmic; NaN for a linear axis
 */
public record Stretch(double[] edges, List<Span> spans, boolean named, double bend) {

    /**
     * A moment, or a span from one moment to another.
     *
     * @param to end; equal to {@code from} for a moment, infinite if it is unknown
     * @param style number of its colour
     */
    public record Span(double from, double to, int style, String text) {}

    public Stretch {
        spans = List.copyOf(spans);
    }

    public int count() {
        return edges.length - 1;
    }

    public double middle(int column) {
        return (edges[column] + edges[column + 1]) / 2;
    }

    public double length(int column) {
        return edges[column + 1] - edges[column];
    }

    public Stretch unnamed() {
        return new Stretch(edges, spans, false, Double.NaN);
    }

    public Stretch bent(double at) {
        return new Stretch(edges, spans, named, at);
    }

    Map<String, Object> json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("edges", exact(edges));
        all.put("named", named);
        if (bend > 0) {
            all.put("bend", bend);
        }
        List<Object> list = new ArrayList<>();
        for (Span span : spans) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("from", millis(span.from));
            one.put("to", Double.isFinite(span.to) ? millis(span.to) : null);
            one.put("style", span.style);
            one.put("text", span.text);
            list.add(one);
        }
        all.put("spans", list);
        return all;
    }

    /** Rounds moments to a millisecond, also late in a long run. */
    private static List<Object> exact(double[] seconds) {
        List<Object> all = new ArrayList<>();
        for (double one : seconds) {
            all.add(millis(one));
        }
        return all;
    }

    private static double millis(double seconds) {
        return Math.rint(seconds * 1e3) / 1e3;
    }
}
