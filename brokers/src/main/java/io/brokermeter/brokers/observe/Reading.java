package io.brokermeter.brokers.observe;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;

import io.brokermeter.engine.recording.BrokerSample.Heap;
import io.brokermeter.engine.recording.BrokerSample.Usage;

/** A value for each {@link ProcessFigure}; NaN where it is not known. Written by one thread before others see it. */
final class Reading {

    private static final ProcessFigure[] FIGURES = ProcessFigure.values();

    private final double[] values = new double[FIGURES.length];

    /** Creates a reading in which nothing is known. */
    Reading() {
        Arrays.fill(values, Double.NaN);
    }

    /**
     * Creates a reading with only its time.
     *
     * @param nanos time of the reading, by {@link System#nanoTime()}
     */
    Reading(long nanos) {
        this();
        values[ProcessFigure.SECONDS.ordinal()] = nanos / 1e9;
    }

    /** Sets a figure; a negative value makes it unknown. */
    Reading set(ProcessFigure figure, double value) {
        values[figure.ordinal()] = value < 0 ? Double.NaN : value;
        return this;
    }

    double get(ProcessFigure figure) {
        return values[figure.ordinal()];
    }

    /** Returns a figure as an integer; -1 when it is not known. */
    long whole(ProcessFigure figure) {
        double value = get(figure);
        return Double.isNaN(value) ? -1 : Math.round(value);
    }

    boolean knows(ProcessFigure figure) {
        return !Double.isNaN(get(figure));
    }

    /** Returns the sum of both readings, at the later of their times; a figure that one of them lacks is unknown. */
    Reading plus(Reading other) {
        Reading sum = merged(other, Double::sum);
        sum.values[ProcessFigure.SECONDS.ordinal()] = Math.max(get(ProcessFigure.SECONDS), other.get(ProcessFigure.SECONDS));
        return sum;
    }

    /** Returns each figure from this reading, or else from the other. */
    Reading or(Reading other) {
        return merged(other, (mine, theirs) -> Double.isNaN(mine) ? theirs : mine);
    }

    /** Returns the greater value of each figure, or the one that is known. */
    Reading greatest(Reading other) {
        return merged(other, (mine, theirs) -> Double.isNaN(mine) || theirs > mine ? theirs : mine);
    }

    private Reading merged(Reading other, DoubleBinaryOperator operator) {
        Reading merged = new Reading();
        for (int i = 0; i < values.length; i++) {
            merged.values[i] = operator.applyAsDouble(values[i], other.values[i]);
        }
        return merged;
    }

    Usage usage() {
        return new Usage(get(ProcessFigure.CPU_PERCENT), whole(ProcessFigure.RESIDENT_BYTES), get(ProcessFigure.MEMORY_PERCENT),
            (int) whole(ProcessFigure.THREADS), (int) whole(ProcessFigure.OPEN_FILES), whole(ProcessFigure.DISK_READ_BYTES),
            whole(ProcessFigure.DISK_WRITTEN_BYTES), whole(ProcessFigure.VOLUNTARY_SWITCHES), whole(ProcessFigure.INVOLUNTARY_SWITCHES));
    }

    Heap heap() {
        return new Heap(whole(ProcessFigure.HEAP_USED_BYTES), whole(ProcessFigure.HEAP_COMMITTED_BYTES),
            whole(ProcessFigure.HEAP_MAX_BYTES),
            whole(ProcessFigure.GC_COUNT), whole(ProcessFigure.GC_MILLIS));
    }
}
