package io.brokermeter.reports.table;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;

/**
 * The form in which tables are shown.
 *
 * @param width number of terminal columns that tables must fit; {@link #ANY} for any number, 0 for Markdown
 * @param columns chosen columns, in their order; empty for those of the table's kind
 */
public record TableView(int width, List<TableColumn> columns) {

    /** The width that never limits a table. */
    public static final int ANY = Integer.MAX_VALUE;
    /** The view of all columns, in Markdown. */
    public static final TableView MARKDOWN = new TableView(0, List.of());

    public TableView {
        columns = List.copyOf(columns);
    }

    /**
     * Returns columns by their keys.
     *
     * @throws UsageException with one sentence, for a key that no column has
     */
    public static List<TableColumn> columns(List<String> keys) {
        List<TableColumn> columns = new ArrayList<>();
        for (String key : keys) {
            columns.add(TableColumn.ofKey(key.strip()).orElseThrow(() -> new UsageException("--columns: there is no column '" + key.strip()
                + "'; there are " + String.join(", ", TableColumn.ALL.stream().map(TableColumn::key).toList()) + ".")));
        }
        return columns;
    }
}
