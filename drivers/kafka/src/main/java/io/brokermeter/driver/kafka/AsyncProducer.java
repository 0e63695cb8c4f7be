package io.brokermeter.driver.kafka;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A producer without transactions. The client's network thread confirms the messages; if the client rejects a message at once,
 * {@link #send} throws. The callback objects are kept in a ring and reused.
 */
final class AsyncProducer extends ClientProducer {

    /**
     * The most callback objects in the ring: as many as messages of 100 bytes fill the client's default buffer of 32 MiB. Beyond it new
     * objects are created.
     */
    private static final int MOST_SLOTS = 1 << 18;
    private static final VarHandle BUSY;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(Slot.class, "busy", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final KafkaProducer<byte[], byte[]> client;
    private final BrokerLossWatch.Client watched;
    private final Slot[] slots;
    private final int mask;

    /** The thread that is inside the client's send; each thread compares it only with itself. */
    private @Nullable Thread sending;
    private @Nullable Exception refusal;

    AsyncProducer(KafkaConnection connection, KafkaProducer<byte[], byte[]> client, BrokerLossWatch.Client watched, RecordFactory records,
            int maxPending, SendListener listener) {
        super(connection, records, listener);
        this.client = client;
        this.watched = watched;
        int asked = maxPending == 0 ? MOST_SLOTS : Math.min(maxPending, MOST_SLOTS);
        int capacity = asked <= 1 ? 1 : Integer.highestOneBit(asked - 1) * 2;
        this.slots = new Slot[capacity];
        this.mask = capacity - 1;
    }

    /** The callback of one send at a time. */
    private static final class Slot implements Callback {

        private final AsyncProducer owner;
        private long token;
        @SuppressWarnings("unused")
        private boolean busy;

        private Slot(AsyncProducer owner) {
            this.owner = owner;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
            long mine = token;
            BUSY.setRelease(this, false);
            if (failure == null) {
                owner.listener.confirmed(mine);
            } else {
                owner.failed(mine, failure);
            }
        }
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        DriverException lost = connection.lost();
        if (lost != null) {
            throw lost;
        }
        sending = Thread.currentThread();
        try {
            client.send(outgoing.next(payload, token), slot(token));
        } finally {
            sending = null;
        }
        Exception refused = refusal;
        if (refused != null) {
            refusal = null;
            throw connection.notTaken(refused);
        }
    }

    private Slot slot(long token) {
        int index = (int) token & mask;
        Slot slot = slots[index];
        if (slot == null) {
            slot = new Slot(this);
            slots[index] = slot;
        } else if ((boolean) BUSY.getAcquire(slot)) {
            slot = new Slot(this);
        }
        slot.token = token;
        BUSY.set(slot, true);
        return slot;
    }

    /**
     * Reports a failed send. If the client rejects a message at once, it calls back on the sending thread, and {@link #send} throws
     * instead; otherwise the network thread calls.
     */
    private void failed(long token, Exception failure) {
        if (sending == Thread.currentThread()) {
            refusal = failure;
        } else if (connection.leavesUnknown(failure)) {
            listener.unknown(token, connection.sendFailure(failure));
        } else {
            listener.failed(token, connection.sendFailure(failure));
        }
    }

    @Override
    KafkaProducer<byte[], byte[]> client() {
        return client;
    }

    @Override
    public void close() {
        connection.close(this, watched, client::close);
    }
}
