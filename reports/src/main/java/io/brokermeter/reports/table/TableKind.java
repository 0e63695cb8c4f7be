package io.brokermeter.reports.table;

import java.util.Arrays;
import java.util.List;

/** The columns of a table: those of the document that it is compared with. Columns without any figure are left out. */
public enum TableKind {

    /** Columns of the RocketMQ performance test: messages, success rate, seconds, messages per second. */
    ROCKETMQ("messages success seconds sent received responseP50 responseP99 unconfirmed lost left notInTime"),
    /** Columns of CERN's tests of ActiveMQ: messages per second, and the broker's use of processors and memory. */
    CERN(
        "messages receivedMessages lost left notInTime duplicates sent received responseP50 responseP99 brokerCpu brokerMemory brokerCpuPerMessage"),
    /** Columns of the chapter on performance tools in the Artemis manual. */
    ARTEMIS("sent received blocked delayMean delayP50 delayP99 sendMean sendP50 sendP99 transferMean transferP50 transferP99 responseMean "
        + "responseP50 responseP99"),
    /** Rates, times, failures and the cost of a message on both sides. */
    GENERIC(
        "messages receivedMessages success sent received sentMegabytes receivedMegabytes sendP50 sendP99 transferP50 transferP99 responseP50 responseP99 roundTripP50 "
            + "roundTripP99 lateMean lateP99 unconfirmed lost left notInTime duplicates brokerCpu brokerCpuPerMessage ownCpuPerMessage");

    private final List<TableColumn> columns;

    TableKind(String keys) {
        columns = Arrays.stream(keys.split(" ")).map(key -> TableColumn.ofKey(key).orElseThrow()).toList();
    }

    /** Returns the columns in their order. */
    public List<TableColumn> columns() {
        return columns;
    }
}
