package io.brokermeter.experiment;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A row of published figures.
 *
 * @param where the values that a trial must have for this row to be its own, by the path of the axis; empty for all trials
 * @param figures what was published
 * @param note what else was said, or null
 */
public record Published(Map<String, String> where, List<Figure> figures, @Nullable String note) {

    public Published {
        where = Collections.unmodifiableMap(new LinkedHashMap<>(where));
        figures = List.copyOf(figures);
    }

    /** Whether it speaks of this point. */
    public boolean matches(Point point) {
        return point.values().entrySet().containsAll(where.entrySet());
    }
}
