package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A producer that sends in Kafka's transactions. Used by one thread, which also calls the listener. */
final class TransactedProducer extends ClientProducer {

    private final Supplier<KafkaProducer<byte[], byte[]>> clients;
    private final Callback callback = (metadata, failure) -> {
        if (failure != null) {
            refused(failure);
        }
    };

    private volatile KafkaProducer<byte[], byte[]> client;
    private BrokerLossWatch.Client watched;
    private volatile @Nullable Exception failure;
    private boolean isClosing;
    private boolean open;
    private boolean broken;
    private long first;
    private long last;
    /** Tokens of this transaction whose send threw. */
    private final Set<Long> thrown = new HashSet<>();

    /** @param clients creates clients with the same transactional id; a newer one aborts the open transaction of an older one */
    TransactedProducer(KafkaConnection connection, Supplier<KafkaProducer<byte[], byte[]>> clients, RecordFactory records,
            SendListener listener) {
        super(connection, records, listener);
        this.clients = clients;
        this.client = clients.get();
        this.watched = connection.watch(client.metrics());
        try {
            client.initTransactions();
        } catch (RuntimeException e) {
            connection.unwatch(watched);
            abort();
            throw e;
        }
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        DriverException lost = connection.lost();
        if (lost != null) {
            throw lost;
        }
        if (broken) {
            replace();
        }
        if (!open) {
            client.beginTransaction();
            failure = null;
            open = true;
            first = token;
            last = token;
        }
        last = token;
        try {
            client.send(outgoing.next(payload, token), callback);
        } catch (RuntimeException e) {
            thrown.add(token);
            throw connection.sendFailure(e);
        }
    }

    private void refused(Exception cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    @Override
    public void commit() throws Exception {
        if (!open) {
            return;
        }
        open = false;
        DriverException lost = connection.lost();
        if (lost != null) {
            // nobody requests the commit any more, so the broker rolls the transaction back
            report(lost, true);
            throw lost;
        }
        try {
            client.commitTransaction();
        } catch (RuntimeException e) {
            Exception before = failure;
            Exception cause = connection.sendFailure(before == null ? e : before);
            rollBack();
            // The commit is not even requested if a send failed before.
            report(cause,
                !(e instanceof TimeoutException) && (before != null || !connection.leavesUnknown(e)) && connection.lost() == null);
            if (isClosing && e instanceof TimeoutException) {
                connection.foundSlow();
            }
            throw cause;
        }
        thrown.clear();
        listener.confirmedUpTo(last);
    }

    /** @param refused whether the transaction is certain to have no effect */
    private void report(Exception cause, boolean refused) {
        for (long token = first; token <= last; token++) {
            if (thrown.contains(token)) {
                continue;
            }
            if (refused) {
                listener.failed(token, cause);
            } else {
                listener.unknown(token, cause);
            }
        }
        thrown.clear();
    }

    @Override
    public void rollback() throws Exception {
        if (!open) {
            return;
        }
        open = false;
        thrown.clear();
        try {
            client.abortTransaction();
        } catch (RuntimeException e) {
            broken = true;
            throw connection.sendFailure(e);
        }
    }

    private void rollBack() {
        try {
            client.abortTransaction();
        } catch (RuntimeException e) {
            // The next client with this transactional id rolls the transaction back when it starts.
            broken = true;
        }
    }

    private void replace() throws DriverException {
        connection.unwatch(watched);
        client.close(Duration.ZERO);
        KafkaProducer<byte[], byte[]> next = clients.get();
        client = next;
        watched = connection.watch(next.metrics());
        try {
            next.initTransactions();
        } catch (KafkaException e) {
            throw connection.sendFailure(e);
        }
        broken = false;
    }

    @Override
    KafkaProducer<byte[], byte[]> client() {
        return client;
    }

    @Override
    public void close() {
        isClosing = true;
        if (open && connection.isSlow()) {
            open = false;
            report(new DriverException("The producer was closed without a commit, since the broker does not answer.", null), true);
        }
        try {
            commit();
        } catch (Exception e) {
            // each token of the transaction was reported with this cause
        }
        connection.close(this, watched, client::close);
    }
}
