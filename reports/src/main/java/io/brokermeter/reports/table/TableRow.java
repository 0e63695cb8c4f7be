package io.brokermeter.reports.table;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

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

    /** The components of a row by name, for {@link #of}; those that are not set are empty, and the numbers are 1. */
    public static final class Values {

        public int number = 1;
        public Map<String, String> variant = Map.of();
        public int repeat = 1;
        public Map<String, PublishedFigure> published = Map.of();
        public String state = "";
        public @Nullable StoredResult result;
        public List<String> causes = List.of();

        private Values() {}
    }

    /** Creates a row with the values that {@code change} sets. */
    public static TableRow of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new TableRow(its.number, its.variant, its.repeat, its.published, its.state, its.result, its.causes);
    }

    public TableRow {
        variant = Collections.unmodifiableMap(new LinkedHashMap<>(variant));
        published = Collections.unmodifiableMap(new LinkedHashMap<>(published));
        causes = List.copyOf(causes);
    }
}
