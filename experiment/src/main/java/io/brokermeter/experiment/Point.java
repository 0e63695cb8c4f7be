package io.brokermeter.experiment;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One combination of the values of a sweep. Immutable.
 *
 * @param values the value of each axis as it was written, by the path of the axis, in the order of the sweep; empty without a sweep
 */
public record Point(Map<String, String> values) {

    /** The only point of an experiment without a sweep. */
    public static final Point ONLY = new Point(Map.of());

    public Point {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Returns the values as {@code load.rate=37k/s, producers.count=2}; empty for the only point. */
    @Override
    public String toString() {
        return values.entrySet().stream().map(value -> value.getKey() + "=" + value.getValue())
            .collect(Collectors.joining(", "));
    }
}
