package io.brokermeter.experiment;

import java.util.List;

/**
 * A key that a sweep varies. Immutable.
 *
 * @param path path of the key, such as {@code producers.count}
 * @param values values of the key as they were written
 */
public record Axis(String path, List<String> values) {

    public Axis {
        values = List.copyOf(values);
    }
}
