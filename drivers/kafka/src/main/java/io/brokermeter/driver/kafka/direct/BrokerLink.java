package io.brokermeter.driver.kafka.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

import io.brokermeter.driver.kafka.link.Greeting;
import io.brokermeter.driver.kafka.link.LeaderLink;
import io.brokermeter.driver.kafka.link.ResponseFrames;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a producer to one broker. Any thread may {@link #drain} what is due: one of them at a time writes, and the others leave
 * their part to it. A thread of the connection reads the answers, which come in the order of the requests.
 */
final class BrokerLink extends LeaderLink {

    /** The longest answer in bytes: to a request with all partitions of a topic. */
    static final int LARGEST_ANSWER = 16 << 20;
    static final short INIT_PRODUCER_ID = 1;

    private final Dispatch dispatch;
    private final DirectSettings settings;
    private final byte[] beginning;
    private final ResponseFrames in;
    private final CRC32C sum = new CRC32C();
    private final AtomicInteger wanted = new AtomicInteger();
    private int numbers;

    // guarded by the producer's lock
    private final Deque<ProduceRequest> requests = new ArrayDeque<>();
    private final Deque<ProduceRequest> idle = new ArrayDeque<>();
    private boolean identifying;
    private int turn;

    BrokerLink(int node, Dispatch dispatch, DirectSettings settings, byte[] beginning, Greeting.Greeted greeted) {
        super(node, greeted.wire());
        this.dispatch = dispatch;
        this.settings = settings;
        this.beginning = beginning;
        this.in = greeted.in();
    }

    /** Returns whether something that is due waits for an answer before it can be sent. Under the lock. */
    boolean isFull() {
        return identifying || requests.size() >= settings.inFlight();
    }

    @Override
    public boolean isOwed() {
        return !requests.isEmpty();
    }

    // ---- writing

    /** Writes what is due, unless another thread is about to. Blocks while the socket is full. Not under the lock. */
    void drain() {
        if (wanted.getAndIncrement() != 0) {
            return;
        }
        // an interrupt would close the socket
        boolean interrupted = Thread.interrupted();
        int seen;
        do {
            seen = wanted.get();
            ProduceRequest last = null;
            while (true) {
                ProduceRequest next = dispatch.next(this, last);
                if (next == null) {
                    break;
                }
                try {
                    next.since = System.nanoTime();
                    next.write(wire, sum);
                } catch (IOException | RuntimeException e) {
                    dispatch.broke(this, e);
                }
                last = next;
            }
        } while (!wanted.compareAndSet(seen, 0));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the next request; null if nothing is due or too much is unanswered. Under the lock. */
    @Nullable ProduceRequest choose(PartitionSends[] partitions, long now, boolean all) {
        if (!isUp() || requests.size() >= settings.inFlight()) {
            return null;
        }
        ProduceRequest request = null;
        int room = Integer.MAX_VALUE;
        for (int i = 0; i < partitions.length; i++) {
            PartitionSends each = partitions[turn + i < partitions.length ? turn + i : turn + i - partitions.length];
            if (each.link != this) {
                continue;
            }
            if (!identifying && each.asksForIdentity(now)) {
                identifying = true;
                ProduceRequest asks = fresh();
                asks.identifies = true;
                asks.other = Greeting.frame(identity(), identityHeader(asks.number));
                requests.add(asks);
                return asks;
            }
            Batch batch = each.take(now, room, all);
            if (batch != null) {
                if (request == null) {
                    request = fresh();
                    room = settings.maxRequest();
                }
                room -= batch.length();
                request.add(each, batch);
            }
        }
        turn = turn + 1 < partitions.length ? turn + 1 : 0;
        if (request != null) {
            requests.add(request);
        }
        return request;
    }

    private ProduceRequest fresh() {
        ProduceRequest kept = idle.poll();
        ProduceRequest request = kept != null ? kept : new ProduceRequest(beginning);
        numbers = numbers + 1 & Integer.MAX_VALUE;
        request.begin(numbers);
        return request;
    }

    private InitProducerIdRequest identity() {
        return new InitProducerIdRequest.Builder(new InitProducerIdRequestData().setTransactionalId(null)
            .setTransactionTimeoutMs(Integer.MAX_VALUE)).build(INIT_PRODUCER_ID);
    }

    private RequestHeader identityHeader(int number) {
        return new RequestHeader(ApiKeys.INIT_PRODUCER_ID, INIT_PRODUCER_ID, settings.link().clientId(), number);
    }

    /** Notes that a request is written; one without an answer is over then. Under the lock. */
    void written(ProduceRequest request) {
        request.written = true;
        if (request.stored) {
            request.answered = true;
            requests.remove(request);
        }
        keepIfDone(request);
    }

    private void keepIfDone(ProduceRequest request) {
        if (request.written && request.answered) {
            idle.add(request);
        }
    }

    // ---- reading

    @Override
    protected void work() {
        try {
            while (true) {
                boolean any = false;
                try {
                    while (in.next()) {
                        answer();
                        any = true;
                    }
                } finally {
                    dispatch.report();
                }
                if (any) {
                    drain();
                }
                in.fill(wire);
            }
        } catch (IOException | RuntimeException e) {
            dispatch.broke(this, e);
        }
    }

    private void answer() throws IOException {
        ProduceRequest request = dispatch.locked(requests::peek);
        ByteBuffer buffer = in.buffer();
        if (request == null || request.number != buffer.getInt(buffer.position())) {
            throw new IOException("it answered a request that was not made");
        }
        if (request.identifies) {
            var said = (InitProducerIdResponse) AbstractResponse.parseResponse(in.rest(), identityHeader(request.number));
            done(request);
            dispatch.identified(said.error(), said.data().producerId(), said.data().producerEpoch());
            return;
        }
        buffer.getInt();
        int topics = buffer.getInt();
        int left = request.count();
        for (int t = 0; t < topics; t++) {
            in.skipText();
            int count = buffer.getInt();
            for (int p = 0; p < count; p++) {
                left -= one(request, buffer);
            }
        }
        if (left != 0) {
            throw new IOException("it did not say what became of all batches");
        }
        done(request);
    }

    /** Reads what became of one batch; returns the number of batches of the request that this concerns. */
    private int one(ProduceRequest request, ByteBuffer buffer) {
        int partition = buffer.getInt();
        short error = buffer.getShort();
        buffer.position(buffer.position() + 3 * Long.BYTES); // offset, time, begin of the log
        for (int errors = buffer.getInt(); errors > 0; errors--) {
            buffer.getInt();
            in.skipText();
        }
        String message = in.text();
        for (int i = 0; i < request.count(); i++) {
            if (request.partition(i).partition == partition) {
                return dispatch.answered(request, i, error, message) ? 1 : 0;
            }
        }
        return 0;
    }

    private void done(ProduceRequest request) {
        dispatch.locked(() -> {
            if (request.identifies) {
                identifying = false;
            }
            requests.remove(request);
            request.answered = true;
            keepIfDone(request);
            return null;
        });
    }

    // ---- ends

    @Override
    protected void ended(Exception cause) {
        for (ProduceRequest request : requests) {
            for (int i = 0; i < request.count(); i++) {
                if (request.settle(i)) {
                    request.partition(i).failed(request.batch(i), cause);
                }
            }
        }
        requests.clear();
    }

    /** Ends the connection if its broker has left a request unanswered, or unread, for too long. Called by the timer. */
    void look() {
        ProduceRequest first = dispatch.locked(requests::peek);
        DisconnectException late = late(first == null ? null : first.number);
        if (late != null) {
            dispatch.broke(this, late);
        }
    }
}
