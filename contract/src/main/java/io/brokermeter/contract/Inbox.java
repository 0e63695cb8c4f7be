package io.brokermeter.contract;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/** The messages of a queue. They are received at once if the queue would not keep them, and otherwise when they are awaited. */
public final class Inbox {

    private final Subject test;
    private final Destination queue;
    private final Deliveries deliveries = new Deliveries();
    private @Nullable Connection early;

    Inbox(Subject test, Destination queue) throws Exception {
        this.test = test;
        this.queue = queue;
        if (!test.has(BrokerTrait.QUEUES_KEEP_MESSAGES)) {
            early = test.connect();
            early.consumer(queue, TestMessages.auto(), deliveries);
        }
    }

    /** Waits for a number of messages, then closes the connection of the consumer. */
    public Deliveries await(int count) throws Exception {
        var opened = early;
        try (var connection = opened != null ? opened : test.driver().connect(test.settings(), new ConnectionLog())) {
            if (opened == null) {
                connection.consumer(queue, TestMessages.auto(), deliveries);
            }
            deliveries.await(count);
        }
        return deliveries;
    }
}
