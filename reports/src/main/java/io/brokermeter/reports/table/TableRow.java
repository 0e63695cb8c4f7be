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
 * @param number its number in the sweep, from 1
 * @param variant what sets it apart from the others: values by name, in the order of the columns
 * @param repeat which of the repeats it is, from 1
 * @param published what was published about this variant, by the key of a column
 * @param state what its sweep says of it, for people: {@code passed}, {@code failed}, {@code running}; empty where its result alone says it
 * @param result the result, or null when there is none
 * @param causes why it failed, one sentence each
 */
public record TableRow(
        int number, Map<String, String> variant, int repeat, Map<String, PublishedFigure> published, String state,
        @Nullable StoredResult result, List<String> causes) {

    /** What it is made of by name; what is not set is empty, and the first one counts. */
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

    /** Of what {@code change} sets. */
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
