package io.brokermeter.reports.html.chart;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What charts over the time of a run share. Seconds are those since the start of the load.
 *
 * @param edges beginnings of all columns, and the end of the last one; empty where no chart is over time
 */
public record Course(double[] edges, List<Mark> marks, List<Band> bands) {

    /** The one of a page without charts over time. */
    public static final Course NONE = new Course(new double[0], List.of(), List.of());

    /** The moment of an event that explains a line. */
    public record Mark(double at, String kind, String text) {}

    /** A part of the run with a name: the warm-up or a phase. */
    public record Band(double from, double to, String name) {}

    public Course {
        marks = List.copyOf(marks);
        bands = List.copyOf(bands);
    }

    public Map<String, Object> json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("edges", Series.numbers(edges));
        all.put("marks", marks);
        all.put("bands", bands);
        return all;
    }
}
