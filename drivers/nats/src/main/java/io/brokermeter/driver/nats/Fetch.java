package io.brokermeter.driver.nats;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;

/**
 * Asks a pull consumer of JetStream for messages, over one subscription for all answers. A request brings up to
 * a number of them until it expires, which the server reports then; there is one at a time. Used by one thread at a time.
 */
final class Fetch {

    private static final Duration MOMENT = Duration.ofMillis(1);
    /** What an answer may take beyond the time of its request; then another request is made. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Connection connection;
    private final String subject;
    private final int most;
    private final String inbox;
    private final Subscription answers;
    private final Runnable leaving;
    private Duration known = Duration.ZERO;
    private byte[] request = {};
    /** Messages that the last request may still bring, until it expires. */
    private int due;
    private long expiry;

    /**
     * @param subject where the requests go
     * @param most messages that one request brings at most
     * @param leaving what to do at the end
     */
    Fetch(Connection connection, String subject, int most, Runnable leaving) {
        this.connection = connection;
        this.subject = subject;
        this.most = most;
        this.leaving = leaving;
        this.inbox = connection.createInbox();
        this.answers = connection.subscribe(inbox);
        answers.setPendingLimits(0, 0);
    }

    /** Hands over what comes within a time, and returns when there is no more at the moment. */
    void fetch(Duration limit, Consumer<Message> taker, BooleanSupplier stopped) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!stopped.getAsBoolean()) {
            long now = System.nanoTime();
            if (now - end >= 0) {
                return;
            }
            if (due == 0 || now - expiry > GRACE_NANOS) {
                ask(end - now);
            }
            Message message = answers.nextMessage(Duration.ofNanos(Math.max(1, end - now)));
            if (message == null) {
                return;
            }
            if (message.isStatusMessage()) {
                due = 0;
                continue;
            }
            due--;
            taker.accept(message);
            if (isLast(message.getReplyTo())) {
                return;
            }
        }
    }

    private void ask(long nanos) {
        Duration wait = Duration.ofMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        if (!wait.equals(known)) {
            known = wait;
            request = ("{\"batch\":" + most + ",\"expires\":" + wait.toNanos() + "}")
                .getBytes(StandardCharsets.US_ASCII);
        }
        connection.publish(subject, inbox, request);
        due = most;
        expiry = System.nanoTime() + wait.toNanos();
    }

    /** Whether nothing waits behind a message: the last word of its reply subject, or the one before a random word. */
    private static boolean isLast(String reply) {
        int words = 1;
        for (int i = 0; i < reply.length(); i++) {
            words += reply.charAt(i) == '.' ? 1 : 0;
        }
        int end = words > 11 ? reply.lastIndexOf('.') : reply.length();
        return end >= 2 && reply.charAt(end - 1) == '0' && reply.charAt(end - 2) == '.';
    }

    /** Hands over what came and was not asked for any more. */
    void close(Consumer<Message> taker) throws InterruptedException {
        Message message = answers.nextMessage(MOMENT);
        while (message != null) {
            if (!message.isStatusMessage()) {
                taker.accept(message);
            }
            message = answers.nextMessage(MOMENT);
        }
        answers.unsubscribe();
    }

    /** Nothing will be asked for any more. */
    void leave() {
        leaving.run();
    }
}
