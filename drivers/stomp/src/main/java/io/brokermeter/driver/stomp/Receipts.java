package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/** The frames other than messages for whose receipts threads wait. Guarded by the connection's lock. */
final class Receipts {

    private final StompConnection connection;
    private final List<AwaitedReceipt> requests = new ArrayList<>();
    private long requestNumber;

    Receipts(StompConnection connection) {
        this.connection = connection;
    }

    /** Completes the request that a receipt or an error refers to; returns false if there is none. */
    boolean answer(byte[] bytes, int from, int to, @Nullable String error) {
        if (to - from < 2 || bytes[from] != AwaitedReceipt.MARK) {
            return false;
        }
        String receipt = new String(bytes, from, to - from, StandardCharsets.US_ASCII);
        return connection.locked(() -> {
            AwaitedReceipt found = requests.stream().filter(each -> each.receipt.equals(receipt)).findFirst().orElse(null);
            if (found != null) {
                end(found, error == null ? null : BrokerError.of(found.failed, error));
            }
            return found != null;
        });
    }

    /** Completes a request. Call under the lock. */
    private void end(AwaitedReceipt request, @Nullable Exception refusal) {
        request.done = true;
        request.refusal = refusal;
        requests.remove(request);
        connection.changed.signalAll();
    }

    /** Appends a frame that requests a receipt. Call under the lock. */
    AwaitedReceipt request(Frame frame, String failed) {
        AwaitedReceipt request = new AwaitedReceipt(requestNumber++, failed);
        requests.add(request);
        connection.append(frame.with("receipt", request.receipt).whole());
        return request;
    }

    /** Returns whether any thread waits for a receipt. */
    boolean areAwaited() {
        return connection.locked(() -> !requests.isEmpty());
    }

    /** Waits for the receipt of a request. */
    void await(AwaitedReceipt request, long nanos) throws Exception {
        try {
            connection.await(() -> request.done, nanos, request.failed);
        } finally {
            connection.locked(() -> requests.remove(request));
        }
        Exception refusal = request.refusal;
        if (refusal != null) {
            throw refusal;
        }
    }

    /** Appends a frame that requests a receipt and waits for the receipt, at most for the connect timeout. */
    void ask(Frame frame, String failed) throws Exception {
        await(connection.locked(() -> {
            connection.check();
            return request(frame, failed);
        }), connection.requestLimitNanos());
    }

    /** Waits for an answer while closing. Returns whether the broker has processed the request, and everything sent before. */
    boolean isDone(AwaitedReceipt request) {
        connection.awaitClosing(() -> request.done);
        return connection.locked(() -> {
            requests.remove(request);
            return request.done && request.refusal == null;
        });
    }

    /** Ends all requests with the connection. Called under the lock. */
    void terminated(Throwable reason) {
        for (AwaitedReceipt request : List.copyOf(requests)) {
            // some brokers answer a refused frame with an error that does not name the frame
            end(request, reason instanceof BrokerError refusal ? refusal : new DriverException(
                request.failed + " because the connection was lost. " + reason.getMessage(), reason));
        }
    }
}
