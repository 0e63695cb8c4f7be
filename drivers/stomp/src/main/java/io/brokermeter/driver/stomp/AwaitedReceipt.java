package io.brokermeter.driver.stomp;

import org.jspecify.annotations.Nullable;

/** A frame for whose receipt a thread waits. Guarded by the connection's lock. */
final class AwaitedReceipt {

    /** The first character of these receipts; receipts of messages begin with the number of their producer. */
    static final char MARK = 'r';

    /** The value of the header {@code receipt}. */
    final String receipt;
    /** The beginning of the error message if the broker refuses: "The broker refused a subscription to queue://A". */
    final String failed;
    boolean done;
    @Nullable Exception refusal;

    AwaitedReceipt(long number, String failed) {
        this.receipt = MARK + Long.toString(number);
        this.failed = failed;
    }
}
