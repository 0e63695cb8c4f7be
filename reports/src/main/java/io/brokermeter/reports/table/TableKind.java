package io.brokermeter.reports.table;

import java.util.List;

/** Which columns a table has: those of the document that it stands beside. Columns without any figure are left out. */
public enum TableKind {

    /** As the RocketMQ performance test: messages, success rate, seconds, messages a second. */
    ROCKETMQ(TableColumn.MESSAGES, TableColumn.SUCCESS, TableColumn.SECONDS, TableColumn.SENT, TableColumn.RECEIVED,
            TableColumn.RESPONSE_P50, TableColumn.RESPONSE_P99, TableColumn.UNCONFIRMED, TableColumn.LOST, TableColumn.LEFT,
            TableColumn.NOT_IN_TIME),
    /** As CERN's tests of ActiveMQ: messages a second, and what the broker used of processors and memory. */
    CERN(TableColumn.MESSAGES, TableColumn.RECEIVED_MESSAGES, TableColumn.SENT, TableColumn.RECEIVED, TableColumn.RESPONSE_P50,
            TableColumn.RESPONSE_P99, TableColumn.CPU, TableColumn.MEMORY, TableColumn.CPU_PER_MESSAGE),
    /** As the chapter on performance tools of the Artemis manual. */
    ARTEMIS(TableColumn.SENT, TableColumn.RECEIVED, TableColumn.BLOCKED, TableColumn.DELAY_MEAN, TableColumn.DELAY_P50,
            TableColumn.DELAY_P99, TableColumn.SEND_MEAN, TableColumn.SEND_P50, TableColumn.SEND_P99, TableColumn.TRANSFER_MEAN,
            TableColumn.TRANSFER_P50, TableColumn.TRANSFER_P99, TableColumn.RESPONSE_MEAN, TableColumn.RESPONSE_P50,
            TableColumn.RESPONSE_P99),
    /** Rates, times, failures and the cost of a message on both sides. */
    GENERIC(TableColumn.MESSAGES, TableColumn.RECEIVED_MESSAGES, TableColumn.SUCCESS, TableColumn.SENT, TableColumn.RECEIVED, TableColumn.SEND_P50,
            TableColumn.SEND_P99, TableColumn.TRANSFER_P50, TableColumn.TRANSFER_P99, TableColumn.RESPONSE_P50, TableColumn.RESPONSE_P99,
            TableColumn.ROUND_TRIP_P50,
            TableColumn.ROUND_TRIP_P99, TableColumn.LATE_MEAN, TableColumn.LATE_P99, TableColumn.UNCONFIRMED, TableColumn.LOST,
            TableColumn.LEFT, TableColumn.NOT_IN_TIME, TableColumn.DUPLICATES,
            TableColumn.CPU, TableColumn.CPU_PER_MESSAGE, TableColumn.OWN_CPU_PER_MESSAGE);

    private final List<TableColumn> columns;

    TableKind(TableColumn... columns) {
        this.columns = List.of(columns);
    }

    /** The columns in their order. */
    public List<TableColumn> columns() {
        return columns;
    }
}
