package io.brokermeter.reports.table;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * One trial in a table.
 *
 * @param number number of the trial in the sweep, from 1
 * @param variant values that distinguish it from the others by name, in the order of the columns
 * @param repeat number of the repeat, from 1
 * @param published figures published about this variant, by the key of a column
 * @param state state of the trial in its sweep, as displayed: {@code passed}, {@code failed}, {@code running}; empty if the result alone
 *     determines it
 * @param result the result, or null if there is none
 * @param causes reasons why it failed, one sentence each
 */
public record TableRow(
        int number, Map<String, String> variant, int repeat, Map<String, PublishedFigure> published, String state,
        @Nullable StoredResult result, List<String> causes) {

    public TableRow {
        variant = Collections.unmodifiableMap(new LinkedHashMap<>(variant));
        published = Collections.unmodifiableMap(new LinkedHashMap<>(published));
        causes = List.copyOf(causes);
    }
}
