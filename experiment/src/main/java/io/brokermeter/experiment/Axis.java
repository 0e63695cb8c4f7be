package io.brokermeter.experiment;

import java.util.List;

/**
 * A key that a sweep varies.
 *
 * @param path of the key, {@code producers.count}
 * @param values its values as they were written
 */
public record Axis(String path, List<String> values) {

    public Axis {
        values = List.copyOf(values);
    }
}
