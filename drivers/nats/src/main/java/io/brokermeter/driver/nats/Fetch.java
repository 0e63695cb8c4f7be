package io.brokermeter.driver.nats;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.brokermeter.spi.DriverException;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.support.Status;

/**
 * Asks a pull consumer of JetStream for messages, over one subscription for all answers. A request brings up to
 * a number of them until it expires, which the server reports then; there is one at a time. Used by one thread at a time.
 */
final class Fetch {

    private static final Duration MOMENT = Duration.ofMillis(1);
    /** What an answer may take beyond the time of its request; then another request is made. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int HEARTBEAT = 100;
    private static final int NO_MESSAGES = 404;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int CONFLICT = 409;
    private static final int NO_RESPONDERS = 503;
    /** Conflicts that do not end by themselves. */
    private static final Pattern FINAL = Pattern.compile("(?i)consumer deleted|push based|exceeded maxrequest");

    private final Connection connection;
    private final String subject;
    private final int most;
    private final String inbox;
    private final Subscription answers;
    private final Runnable leaving;
    private final Duration patience;
    private Duration known = Duration.ZERO;
    private byte[] request = {};
    /** Messages that the last request may still bring, until it expires. */
    private int due;
    private long expiry;
    /** Since when no request was heard by anybody, as {@link System#nanoTime()}; 0 when the last one was. */
    private long unheardSince;

    /**
     * @param subject where the requests go
     * @param most messages that one request brings at most
     * @param patience how long nobody may hear the requests, as while a cluster looks for a leader of the consumer
     * @param leaving what to do at the end
     */
    Fetch(Connection connection, String subject, int most, Duration patience, Runnable leaving) {
        this.patience = patience;
        this.connection = connection;
        this.subject = subject;
        this.most = most;
        this.leaving = leaving;
        this.inbox = connection.createInbox();
        this.answers = connection.subscribe(inbox);
        answers.setPendingLimits(0, 0);
    }

    /**
     * Hands over what comes within a time, and returns when there is no more at the moment.
     *
     * @throws DriverException when the consumer is not there any more, or refuses to be asked
     */
    void fetch(Duration limit, Consumer<Message> taker, BooleanSupplier stopped) throws InterruptedException, DriverException {
        long end = System.nanoTime() + limit.toNanos();
        while (!stopped.getAsBoolean()) {
            long now = System.nanoTime();
            if (now - end >= 0) {
                return;
            }
            if (due > 0 && now - expiry > GRACE_NANOS) {
                // The server says when a request expires, so it has not heard this one.
                unheard(now);
                due = 0;
            }
            if (due == 0) {
                ask(end - now);
            }
            Message message = answers.nextMessage(Duration.ofNanos(Math.max(1, end - now)));
            if (message == null) {
                return;
            }
            if (message.isStatusMessage()) {
                heed(message.getStatus(), end);
                continue;
            }
            unheardSince = 0;
            due--;
            taker.accept(message);
            if (isLast(message.getReplyTo())) {
                return;
            }
        }
    }

    /** The end of a request, a word about it, or the end of all. */
    private void heed(Status status, long end) throws DriverException {
        int code = status.getCode();
        String words = String.valueOf(status.getMessage());
        if (code == HEARTBEAT) {
            return;
        }
        due = 0;
        if (code == NO_MESSAGES || code == REQUEST_TIMEOUT) {
            unheardSince = 0;
            return;
        }
        long now = System.nanoTime();
        if (code == NO_RESPONDERS) {
            unheard(now);
        } else if (code != CONFLICT || FINAL.matcher(words).find()) {
            throw new DriverException("JetStream refuses requests for messages (" + code + " " + words + ").", null);
        }
        // It was refused at once, and so may be the next one.
        LockSupport.parkNanos(Math.clamp(end - now, 1, PAUSE_NANOS));
    }

    /** Nobody has heard the last request. */
    private void unheard(long now) throws DriverException {
        unheardSince = unheardSince == 0 ? now | 1 : unheardSince;
        if (now - unheardSince > patience.toNanos()) {
            throw new DriverException("Nobody answers requests for messages on " + subject + "; the consumer or its stream is gone.", null);
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
