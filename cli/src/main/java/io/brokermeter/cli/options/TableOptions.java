package io.brokermeter.cli.options;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.table.TableView;
import picocli.CommandLine.Option;

/** The options that commands share which show the tables of a sweep. */
public final class TableOptions {

    @Option(names = "--columns", order = 10, paramLabel = "KEY[,KEY]", split = ",", hideParamSyntax = true,
        description = "Columns of the tables of a sweep that are shown, in this order, by the names of table.csv: sent,received,responseP99. "
            + "Default: those of its files, on a terminal as many as fit.")
    List<String> columns = new ArrayList<>();

    @Option(names = "--wide", order = 11, description = "All columns, however narrow the terminal. Default: off.")
    boolean wide;

    /**
     * Returns the format of tables that the options describe.
     *
     * @throws UsageException for a column that does not exist
     */
    public TableView view() {
        return Formats.tables(columns, wide);
    }
}
