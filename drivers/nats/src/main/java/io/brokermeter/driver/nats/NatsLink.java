package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

import io.brokermeter.driver.wire.InTurn;
import io.brokermeter.driver.wire.WireConnection;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The socket to a NATS server: its subscriptions, the requests whose answers come to one inbox, which all share, and the server's errors. An
 * idle connection sends a ping every five seconds, and a server that sends nothing for 20 s is reported as lost.
 */
final class NatsLink extends WireConnection {

    static final byte[] PONG = ascii("PONG\r\n");
    private static final byte[] PING = ascii("PING\r\n");
    private static final long BEAT = TimeUnit.SECONDS.toNanos(5);
    /** Number of permission errors that are reported; each names a subject, and there may be many. */
    private static final int MOST_TOLD = 10;
    /** The bytes sent ahead from which on a server may end a connection that takes them too slowly; its own limit is 64 MiB by default. */
    private static final long MUCH = 32 << 20;
    private static final int NO_RESPONDERS = 503;

    /** A question whether the server has processed everything written before it. */
    static final class Ping {

        volatile boolean answered;
    }

    private static final class Request {

        private final String subject;
        private volatile byte @Nullable [] answer;
        private volatile @Nullable IOException refusal;

        Request(String subject) {
            this.subject = subject;
        }
    }

    private final NatsReader in;
    private final ConnectionListener listener;
    final Json info;
    private final String inbox = "_INBOX." + Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 36);
    /** The bytes before the number of an answer in the subject. */
    private final int prefix = inbox.length() + 1;
    private final InTurn<Ping> pings = new InTurn<>();
    /** The messages that the server may send ahead to all consumers of the connection. */
    private final AtomicLong ahead = new AtomicLong();

    // guarded by the lock
    private final Map<Long, Request> requests = new HashMap<>();
    private long requestNumber;
    private int inboxes;
    private int producersMade;
    private int subscriptionsMade = 1;
    private @Nullable Ping farewell;

    // written under the lock; the index is the number in a reply subject, and that of a subscription
    private volatile @Nullable NatsProducer[] producers = new NatsProducer[4];
    private volatile @Nullable NatsConsumer[] consumers = new NatsConsumer[4];

    // used by the reader thread
    private final Set<String> told = new HashSet<>();
    private boolean answered;
    private long messages;
    private long bytes;

    private volatile @Nullable String violation;
    private volatile @Nullable DriverException lastError;
    private volatile boolean unconfirmed;

    NatsLink(NatsGreeting.Met met, ConnectionListener listener, Duration timeout) {
        super("nats", met.wire(), met.reader(), listener, timeout, new AtomicBoolean());
        this.in = met.reader();
        this.info = met.info();
        this.listener = listener;
    }

    /** Starts to read. */
    void begin() {
        locked(() -> {
            subscribe(inbox + ".*", "", 1);
        });
        start(BEAT, BEAT);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a text of the server without its quotation marks. */
    static String unquoted(String text) {
        return text.replaceAll("^'|'$", "");
    }

    // ---- what the server sends

    @Override
    protected void frame() throws IOException {
        switch (in.kind()) {
            case MESSAGE -> message();
            case PING -> {
                locked(() -> out.append(PONG, PONG.length));
                owe();
            }
            case PONG -> {
                pings.next().answered = true;
                answered = true;
            }
            case ERROR -> error(unquoted(in.text()));
            case INFO, OK -> {}
        }
    }

    private void message() {
        long number = in.subscription();
        if (number == 1) {
            answer();
            return;
        }
        messages++;
        bytes += in.length();
        @Nullable NatsConsumer[] all = consumers;
        NatsConsumer consumer = number < all.length ? all[(int) number] : null;
        if (consumer != null) {
            consumer.message(in);
        }
    }

    /** Handles a message to the inbox, whose last word is the number of a producer and of its send, or that of a request. */
    private void answer() {
        ByteBuffer buffer = in.buffer();
        int index = 0;
        long number = 0;
        for (int i = in.subjectFrom() + prefix; i < in.subjectTo(); i++) {
            byte digit = buffer.get(i);
            if (digit == '-') {
                index = (int) number;
                number = 0;
            } else {
                number = number * 10 + digit - '0';
            }
        }
        if (index > 0) {
            @Nullable NatsProducer[] all = producers;
            NatsProducer producer = index < all.length ? all[index] : null;
            if (producer != null) {
                producer.answered(in, number);
            }
            return;
        }
        long key = number;
        boolean nobody = in.status() == NO_RESPONDERS;
        byte[] body = in.bytes();
        locked(() -> {
            Request request = requests.get(key);
            if (request != null && nobody) {
                request.refusal = new IOException("nobody answers " + request.subject);
            } else if (request != null) {
                request.answer = body;
            }
            changed.signalAll();
        });
    }

    private void error(String text) {
        if (!Forbidden.isIt(text)) {
            lastError = new DriverException("The NATS server says: " + text + ".", null);
            return;
        }
        violation = text;
        locked(() -> {
            for (Request each : requests.values()) {
                if (Forbidden.isAbout(text, each.subject)) {
                    each.refusal = new Forbidden(text);
                }
            }
            changed.signalAll();
        });
        if (told.size() < MOST_TOLD && told.add(text)) {
            listener.notice("The NATS server says: " + text + ".");
        }
    }

    /** Returns the last permission violation; empty if there was none. */
    String violation() {
        String last = violation;
        return last == null ? "" : last;
    }

    // ---- what is sent

    /** Appends a message. Call under the lock. */
    void publish(String subject, String reply, byte[] body) {
        byte[] head = ("PUB " + subject + " " + (reply.isEmpty() ? "" : reply + " ") + body.length + "\r\n")
            .getBytes(StandardCharsets.UTF_8);
        out.room(head.length + body.length + 2).put(head).put(body).put((byte) '\r').put((byte) '\n');
        out.appended();
    }

    /** Appends a subscription. Call under the lock. */
    private void subscribe(String subject, String group, int number) {
        byte[] line = ("SUB " + subject + " " + (group.isEmpty() ? "" : group + " ") + number + "\r\n").getBytes(StandardCharsets.UTF_8);
        out.append(line, line.length);
    }

    /** Appends a ping. Call under the lock. */
    Ping ping() {
        Ping ping = new Ping();
        pings.add(ping);
        out.append(PING, PING.length);
        return ping;
    }

    /** Returns a subject that nobody else uses. */
    String newInbox() {
        return locked(() -> inbox + "-" + ++inboxes);
    }

    /**
     * Subscribes, and waits until the server has the subscription.
     *
     * @param group name of the queue group; empty for none
     * @throws Forbidden if the user may not
     */
    void subscribe(NatsConsumer consumer, String subject, String group) throws IOException, InterruptedException {
        violation = null;
        Ping ping = locked(() -> {
            check();
            int number = ++subscriptionsMade;
            @Nullable NatsConsumer[] all = consumers;
            @Nullable NatsConsumer[] more = Arrays.copyOf(all, Math.max(all.length, number + 1 + number / 2));
            more[number] = consumer;
            consumers = more;
            consumer.number = number;
            subscribe(subject, group, number);
            return ping();
        });
        await(() -> ping.answered, requestLimitNanos(), "The NATS server did not answer a subscription");
        if (Forbidden.isAbout(violation(), subject)) {
            throw new Forbidden(violation());
        }
    }

    /** Appends the end of a subscription, and a ping behind it. */
    Ping unsubscribe(NatsConsumer consumer) {
        return locked(() -> {
            byte[] line = ascii("UNSUB " + consumer.number + "\r\n");
            out.append(line, line.length);
            return ping();
        });
    }

    /** Waits while closing until the server has everything written so far; returns whether it said so. */
    boolean hasAll() {
        Ping ping = locked(this::ping);
        return awaitClosing(() -> ping.answered);
    }

    /**
     * Makes a request and waits for the answer.
     *
     * @throws Forbidden if the user may not make the request
     * @throws DriverException if there is no answer in time
     * @throws IOException if nobody answers such requests, or the connection is gone
     */
    byte[] request(String subject, String body, long limitNanos) throws IOException, InterruptedException {
        Request request = new Request(subject);
        long number = locked(() -> {
            check();
            long next = ++requestNumber;
            requests.put(next, request);
            publish(subject, inbox + "." + next, body.getBytes(StandardCharsets.UTF_8));
            return next;
        });
        try {
            await(() -> request.answer != null || request.refusal != null, limitNanos,
                "The NATS server did not answer " + subject);
        } finally {
            locked(() -> {
                requests.remove(number);
            });
        }
        IOException refusal = request.refusal;
        byte[] answer = request.answer;
        if (refusal != null || answer == null) {
            throw refusal != null ? refusal : new IOException("no answer");
        }
        return answer;
    }

    // ---- producers and consumers

    /** Adds a producer, which is made with its number. */
    NatsProducer add(IntFunction<NatsProducer> maker) throws IOException {
        sends();
        return locked(() -> {
            check();
            int index = ++producersMade;
            NatsProducer made = maker.apply(index);
            @Nullable NatsProducer[] all = producers;
            @Nullable NatsProducer[] more = Arrays.copyOf(all, Math.max(all.length, index + 1 + index / 2));
            more[index] = made;
            producers = more;
            return made;
        });
    }

    /** Returns the subject of the answers to a producer, up to the number of the send. */
    String inboxOf(int producer) {
        return inbox + "." + producer + "-";
    }

    void remove(int producer) {
        locked(() -> {
            @Nullable NatsProducer[] left = producers.clone();
            left[producer] = null;
            producers = left;
        });
    }

    void remove(NatsConsumer consumer) {
        locked(() -> {
            @Nullable NatsConsumer[] left = consumers.clone();
            left[consumer.number] = null;
            consumers = left;
        });
    }

    /** Notes that the server may send so many messages more ahead of what is taken. */
    void aheadBy(long pending) {
        ahead.addAndGet(pending);
    }

    /** Notes that messages count as confirmed which no server confirms. */
    void confirmsNothing() {
        unconfirmed = true;
    }

    // ---- lifecycle of the connection

    @Override
    protected void endOfBatch() {
        if (answered) {
            answered = false;
            signal();
        }
    }

    @Override
    protected long longestSilence() {
        return 4 * BEAT;
    }

    @Override
    protected String silence() {
        return ", not even an answer to a ping";
    }

    @Override
    protected boolean beatDue(long unwritten, long unread) {
        return unread > BEAT && pings.isEmpty();
    }

    @Override
    protected void beat() {
        ping();
    }

    /** Returns what the server said last, or what it may mean that it said nothing: it gives no reason to a client that is too slow. */
    @Override
    protected Throwable reason(Throwable end) {
        DriverException error = lastError;
        if (end instanceof DriverException) {
            return end;
        }
        if (error != null) {
            return error;
        }
        Throwable cause = super.reason(end);
        long size = bytes / Math.max(1, messages);
        return ahead.get() * size < MUCH ? cause : new DriverException(new Refusal(
            "The NATS server ended the connection (%s); it does that without a reason where more waits for a"
                + " client than its max_pending, 64 MiB by default, and up to %d messages of about %d bytes may come ahead here: lower %s.",
            Failure.words(cause), ahead.get(), size, Setting.PREFETCH));
    }

    @Override
    protected void goodbye() {
        if (unconfirmed) {
            farewell = ping();
        }
    }

    @Override
    protected boolean isReleased() {
        Ping last = farewell;
        return last == null || last.answered;
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        // consumers first, since they acknowledge their last messages
        List<WireEndpoint> open = new ArrayList<>();
        for (WireEndpoint[] each : List.of(consumers, producers)) {
            Arrays.stream(each).filter(one -> one != null).forEach(open::add);
        }
        return open;
    }

    /** Closes the connection. Returns false if the server did not say that it has everything of a connection that no server confirms. */
    boolean close() {
        boolean alive = isAlive();
        closeAll();
        return !alive || locked(this::isReleased);
    }
}
