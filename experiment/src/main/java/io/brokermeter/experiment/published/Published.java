package io.brokermeter.experiment.published;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.experiment.Point;
import org.jspecify.annotations.Nullable;

/**
 * A row of published figures. Immutable.
 *
 * @param where the values of axes that a trial must have for the row to apply to it, by the path of the axis; empty for all trials
 * @param figures published figures
 * @param note further remark, or null
 */
public record Published(Map<String, String> where, List<Figure> figures, @Nullable String note) {

    public Published {
        where = Collections.unmodifiableMap(new LinkedHashMap<>(where));
        figures = List.copyOf(figures);
    }

    /** Returns whether the row applies to a point. */
    public boolean matches(Point point) {
        return point.values().entrySet().containsAll(where.entrySet());
    }
}
