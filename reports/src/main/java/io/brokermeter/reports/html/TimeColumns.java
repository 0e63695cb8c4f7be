package io.brokermeter.reports.html;

import java.util.List;
import java.util.function.ToDoubleFunction;

import io.brokermeter.reports.stored.StoredInterval;

/**
 * Groups the intervals of a run, so that a page has a bounded number of columns however long the run was: each column is a number of
 * neighbouring intervals. Seconds are those since the start of the load.
 */
final class TimeColumns {

    /** The largest number of columns, more than a screen can show beside each other. */
    static final int MOST = 900;

    private final List<StoredInterval> intervals;
    private final int each;
    private final int count;

    TimeColumns(List<StoredInterval> intervals) {
        this(intervals, MOST);
    }

    /** @param most largest number of columns, at most {@link #MOST} */
    TimeColumns(List<StoredInterval> intervals, int most) {
        this.intervals = intervals.stream().filter(one -> one.elapsedSeconds() >= 0 && one.seconds() > 0).toList();
        this.each = Math.max(1, (this.intervals.size() + most - 1) / most);
        this.count = (this.intervals.size() + each - 1) / each;
    }

    int count() {
        return count;
    }

    /** Returns the number of intervals in each column except for the last one, which may have fewer. */
    int each() {
        return each;
    }

    /** Returns the intervals of a column. */
    List<StoredInterval> in(int column) {
        return intervals.subList(column * each, Math.min(intervals.size(), (column + 1) * each));
    }

    double from(int column) {
        StoredInterval first = in(column).getFirst();
        return Math.max(0, first.elapsedSeconds() - first.seconds());
    }

    double to(int column) {
        return in(column).getLast().elapsedSeconds();
    }

    /** Returns the beginnings of all columns, and the end of the last one. */
    double[] edges() {
        double[] edges = new double[count == 0 ? 0 : count + 1];
        for (int c = 0; c < count; c++) {
            edges[c] = from(c);
        }
        if (count > 0) {
            edges[count] = to(count - 1);
        }
        return edges;
    }

    /** Returns the column of a moment; the last one for a later moment. */
    int at(double seconds) {
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (seconds < to(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Returns the mean of a figure for each column, weighted by the lengths of intervals; NaN if no interval has the figure. */
    double[] means(ToDoubleFunction<StoredInterval> figure) {
        double[] means = new double[count];
        for (int c = 0; c < count; c++) {
            double sum = 0;
            double seconds = 0;
            for (StoredInterval one : in(c)) {
                double value = figure.applyAsDouble(one);
                if (Double.isFinite(value)) {
                    sum += value * one.seconds();
                    seconds += one.seconds();
                }
            }
            means[c] = seconds > 0 ? sum / seconds : Double.NaN;
        }
        return means;
    }

    /** Returns the maximum of a figure for each column; NaN if no interval has the figure. */
    double[] most(ToDoubleFunction<StoredInterval> figure) {
        double[] most = new double[count];
        for (int c = 0; c < count; c++) {
            most[c] = in(c).stream().mapToDouble(figure).filter(Double::isFinite).max().orElse(Double.NaN);
        }
        return most;
    }

    /** Returns an amount per second for each column; NaN if no interval has the amount. */
    double[] perSecond(ToDoubleFunction<StoredInterval> amount) {
        return means(one -> amount.applyAsDouble(one) / one.seconds());
    }
}
