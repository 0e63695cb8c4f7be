package io.brokermeter.driver.nats;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.brokermeter.driver.nats.NatsConsumer.Item;
import io.brokermeter.driver.wire.FetchSize;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/**
 * Requests messages from a pull consumer of JetStream, and receives all answers over one subscription. A request brings up to a number of
 * messages until it expires, which the server then reports; there is one request at a time. Used by one thread at a time.
 */
final class Fetch {

    /** Ends a wait for messages. */
    private static final Item WAKE = new Item(null, ByteBuffer.allocate(0), ByteBuffer.allocate(0), 100, "");
    private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(1);
    /** The longest delay of an answer after its request expired, in nanoseconds; then another request is made. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int HEARTBEAT = 100;
    private static final int NO_MESSAGES = 404;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int CONFLICT = 409;
    private static final int NO_RESPONDERS = 503;
    /** Conflicts that do not end by themselves. */
    private static final Pattern FINAL = Pattern.compile("(?i)consumer deleted|push based|exceeded maxrequest");

    private final NatsLink link;
    private final String subject;
    private final FetchSize size;
    private final String inbox;
    /** Messages that have arrived, filled by the reader thread. */
    private final BlockingQueue<Item> answers = new LinkedBlockingQueue<>();
    private final Runnable leaving;
    private final Duration patience;
    private Duration known = Duration.ZERO;
    private byte[] request = {};
    /** Number of messages that the last request may still bring, until it expires. */
    private int due;
    /** Number of messages that the last request asked for. */
    private int asked;
    /** The {@link System#nanoTime()} when the first message of the last request arrived. */
    private long begun;
    private long expiry;
    /** The {@link System#nanoTime()} since which requests have gone unanswered; 0 if the last one was answered. */
    private long unheardSince;

    /**
     * @param subject subject of the requests
     * @param size the most messages that one request may bring
     * @param patience how long requests may go unanswered, as while a cluster elects a leader of the consumer
     * @param leaving called by {@link #leave()}
     */
    Fetch(NatsLink link, String subject, FetchSize size, Duration patience, Runnable leaving) {
        this.patience = patience;
        this.link = link;
        this.subject = subject;
        this.size = size;
        this.leaving = leaving;
        this.inbox = link.newInbox();
    }

    /** Returns the subject to which the messages come. */
    String inbox() {
        return inbox;
    }

    /** Takes a message that arrived. Called by the reader thread. */
    void arrived(Item item) {
        answers.add(item);
    }

    /** Ends the wait for messages of a fetch. */
    void wake() {
        answers.add(WAKE);
    }

    private @Nullable Item next(long nanos) throws InterruptedException {
        return answers.poll(Math.max(1, nanos), TimeUnit.NANOSECONDS);
    }

    /**
     * Passes the messages that arrive within a time to {@code taker}, and returns when no more are available at the moment.
     *
     * @throws DriverException if the consumer no longer exists, or refuses requests
     */
    void fetch(Duration limit, Consumer<Item> taker, BooleanSupplier stopped) throws InterruptedException, DriverException {
        long end = System.nanoTime() + limit.toNanos();
        while (!stopped.getAsBoolean()) {
            long now = System.nanoTime();
            if (now - end >= 0) {
                return;
            }
            if (due > 0 && now - expiry > GRACE_NANOS) {
                // The server reports when a request expires, so it has not received this one.
                unheard(now);
                over(now);
            }
            if (due == 0) {
                ask(end - now);
            }
            Item message = next(end - now);
            if (message == null) {
                return;
            }
            if (message.status() != 0) {
                heed(message.status(), message.words(), end);
                continue;
            }
            unheardSince = 0;
            if (due == asked) {
                begun = System.nanoTime();
            }
            due--;
            taker.accept(message);
            if (due == 0) {
                over(System.nanoTime());
            }
            if (Acks.isLast(message.reply(), 0, message.reply().capacity())) {
                return;
            }
        }
    }

    /** Handles a status message: the end of a request, a temporary failure, or a final one. */
    private void heed(int code, String words, long end) throws DriverException {
        if (code == HEARTBEAT) {
            return;
        }
        long now = System.nanoTime();
        over(now);
        if (code == NO_MESSAGES || code == REQUEST_TIMEOUT) {
            unheardSince = 0;
            return;
        }
        if (code == NO_RESPONDERS) {
            unheard(now);
        } else if (code != CONFLICT || FINAL.matcher(words).find()) {
            throw new DriverException("JetStream refuses requests for messages (" + code + " " + words + ").", null);
        }
        // The request was refused at once, and the next one may be as well.
        LockSupport.parkNanos(Math.clamp(end - now, 1, PAUSE_NANOS));
    }

    /** Notes that the last request went unanswered; fails if that lasts too long. */
    private void unheard(long now) throws DriverException {
        unheardSince = unheardSince == 0 ? now | 1 : unheardSince;
        if (now - unheardSince > patience.toNanos()) {
            throw new DriverException("Nobody answers requests for messages on " + subject + "; the consumer or its stream is gone.", null);
        }
    }

    /** Ends the last request, and notes how long its messages took. */
    private void over(long now) {
        int brought = asked - due;
        due = 0;
        if (brought > 0) {
            size.took(brought, now - begun);
        }
    }

    private void ask(long nanos) {
        Duration wait = Duration.ofMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        if (!wait.equals(known) || asked != size.messages()) {
            known = wait;
            asked = size.messages();
            request = ("{\"batch\":" + asked + ",\"expires\":" + wait.toNanos() + "}")
                .getBytes(StandardCharsets.US_ASCII);
        }
        link.locked(() -> link.publish(subject, inbox, request));
        link.flush();
        due = asked;
        expiry = System.nanoTime() + wait.toNanos();
    }

    /**
     * Passes on the messages that arrived after the last fetch. Waits until the last request has brought all, or has expired: what arrives
     * after the end of the subscription the server would deliver again only after its acknowledgement timeout.
     *
     * @param limit the longest wait, in nanoseconds
     */
    void close(Consumer<Item> taker, long limit) throws InterruptedException {
        long end = System.nanoTime() + limit;
        for (Item item = next(rest(end)); item != null; item = next(rest(end))) {
            if (item.status() == 0) {
                due--;
                taker.accept(item);
            } else if (item.status() != HEARTBEAT) {
                due = 0;
            }
        }
    }

    /** Returns how long the last request may still bring messages, in nanoseconds, at least a millisecond. */
    private long rest(long end) {
        long now = System.nanoTime();
        return Math.max(MOMENT, due > 0 ? Math.min(end - now, expiry + GRACE_NANOS - now) : 0);
    }

    /** Runs the cleanup that the constructor was given; no request is made afterwards. */
    void leave() {
        leaving.run();
    }
}
