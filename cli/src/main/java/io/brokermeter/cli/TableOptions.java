package io.brokermeter.cli;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.table.TableView;
import picocli.CommandLine.Option;

/** What commands that show the tables of a sweep have in common. */
final class TableOptions {

    @Option(names = "--columns", order = 10, paramLabel = "KEY[,KEY]", split = ",", hideParamSyntax = true,
        description = "Columns of the tables of a sweep that are shown, in this order, by the names of table.csv: sent,received,responseP99. "
            + "Default: those of its files, on a terminal as many as fit.")
    List<String> columns = new ArrayList<>();

    @Option(names = "--wide", order = 11, description = "All columns, however narrow the terminal. Default: off.")
    boolean wide;

    /** @throws UsageException for a column that there is not */
    TableView view() {
        return Formats.tables(columns, wide);
    }
}
