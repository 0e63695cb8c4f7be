package io.brokermeter.reports.table;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;

/**
 * How tables are shown.
 *
 * @param width columns of the terminal that they must fit; {@link #ANY} for as wide as they are, 0 for Markdown
 * @param columns those that were chosen, in their order; empty for those of the table's kind
 */
public record TableView(int width, List<TableColumn> columns) {

    /** As wide as the tables are. */
    public static final int ANY = Integer.MAX_VALUE;
    /** Everything, in Markdown. */
    public static final TableView MARKDOWN = new TableView(0, List.of());

    public TableView {
        columns = List.copyOf(columns);
    }

    /**
     * Columns by their keys.
     *
     * @throws UsageException with one sentence for a key that there is not
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
