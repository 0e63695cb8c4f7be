package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.FetchSize;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that reads one stream, on a thread of its own or on the polling thread, as a member of a group or alone. Acknowledgements are
 * written together with the next read, and nobody waits for their answers before.
 */
final class RedisConsumer implements Consumer {

    private static final Duration BLOCK = Duration.ofMillis(200);
    private static final long LONGEST_BLOCK_MILLIS = 1000;
    private static final byte[] BODY = {'b'};
    /** The longest time before a consumer takes over messages of another member, in milliseconds. */
    private static final long LONGEST_CLAIM_MILLIS = 86_400_000;
    private static final byte[] PROPERTY = Payload.PROPERTY.getBytes(StandardCharsets.US_ASCII);

    private final RedisConnection owner;
    private final RedisSocket socket;
    private final RespReader in;
    private final DeliveryListener listener;
    private final String stream;
    private final @Nullable String group;
    private final String member = UUID.randomUUID().toString();
    private final ClaimScan scan;
    private final AcknowledgementPipeline pipeline;
    private final boolean ephemeral;
    /** Ids of the messages that were accepted and are not acknowledged. */
    private final Ids open = new Ids();
    /** Whether nothing more is read, since the listener accepts no more messages or the connection is lost. For the thread that reads. */
    private boolean leaving;
    /** Ids of the messages that were read and are not delivered any more, which go back to the group at the end. */
    private final Ids unwanted = new Ids();
    /** Whether the end acknowledges something; {@link #told} tells the closing thread whether Redis has confirmed that. */
    private boolean tail;
    private volatile boolean told;
    /** What Redis said to the end of this consumer, if it refused that. */
    private volatile @Nullable IOException refusal;
    /** The thread that reads; null for a consumer that is polled. */
    private final @Nullable Thread thread;
    /** Held during a poll, and at the end. */
    private final ReentrantLock turn = new ReentrantLock(true);
    /** Whether the listener has a message. */
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;

    // used by the thread that reads
    private final FetchSize size;
    private final ReadCommand reading;
    /** The id after which to read, if there is no group. */
    private final Ids last = new Ids();
    private ByteBuffer envelope = ByteBuffer.allocate(64);

    /**
     * @param group group to join, or null to read alone
     * @param last id after which to read, if there is no group
     */
    RedisConsumer(
            RedisConnection owner, RedisSocket socket, Destination destination, @Nullable String group, String last,
            ConsumerSettings settings, Duration claimAfter, DeliveryListener listener) {
        this.owner = owner;
        this.socket = socket;
        this.in = socket.in();
        this.listener = listener;
        this.stream = destination.name();
        this.group = group;
        this.reading = new ReadCommand(stream, group, member);
        byte[] after = RedisSocket.words(last);
        this.last.add(ByteBuffer.wrap(after), 0, after.length);
        // other consumers of the group take over what is reached too late
        this.size = FetchSize.of(settings, group != null && settings.mayBlock(), claimAfter);
        this.scan = new ClaimScan(claimAfter);
        this.pipeline = new AcknowledgementPipeline(socket, stream, group, !destination.isTopic(),
            settings.ackMode() == AckMode.AUTO ? 1 : Math.max(1, settings.batch()));
        this.ephemeral = destination.isTopic() && !settings.durable();
        this.thread = settings.polling() ? null : ConsumerThread.unstarted("redis-consumer", this::run);
    }

    /**
     * Joins a group that ends with its last member. Before 7.2, Redis itself adds a waiting member only with its first message, and the
     * first of several members to leave would look like the last.
     */
    void join() throws IOException {
        String members = group;
        if (ephemeral && members != null) {
            socket.ask("XGROUP", "CREATECONSUMER", stream, members, member);
        }
    }

    void start() {
        scan.begin();
        if (thread != null) {
            thread.start();
        }
    }

    @Override
    public boolean needsPolling() {
        return thread == null;
    }

    /** Reads once, on the calling thread. */
    @Override
    public void poll(Duration wait) {
        if (thread != null || ended) {
            LockSupport.parkNanos(wait.toNanos());
            return;
        }
        turn.lock();
        try {
            if (leaving) {
                // also if the connection is lost, so that the caller does not poll in a busy loop
                LockSupport.parkNanos(wait.toNanos());
            } else if (!ended) {
                read(block(wait, owner.limit()));
                if (leaving) {
                    leave();
                }
            }
        } catch (IOException e) {
            leaving = true;
            failed(e);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Returns how long a read blocks in the server, in milliseconds: 0 would mean for ever, and the socket waits no longer than the connect
     * timeout.
     */
    static long block(Duration wait, Duration connectTimeout) {
        return Math.clamp(Math.min(wait.toMillis(), connectTimeout.toMillis() / 2), 1, LONGEST_BLOCK_MILLIS);
    }

    private void run() {
        try {
            while (!ended && !leaving) {
                read(block(BLOCK, owner.limit()));
            }
            leave();
        } catch (IOException e) {
            failed(e);
        }
    }

    private void failed(IOException e) {
        if (ended) {
            refusal = e instanceof RedisError ? e : null;
            return;
        }
        if (e instanceof RedisError) {
            listener.failed(e);
        } else {
            if (group != null) {
                owner.lostMembers().add(member);
            }
            owner.lost(e);
        }
    }

    private void read(long blockMillis) throws IOException {
        String members = group;
        // there may be more to take over, which need not wait for new messages
        if (members != null && claim(members)) {
            return;
        }
        byte[] command = reading.of(size.messages(), blockMillis);
        ByteBuffer out = socket.room(command.length + last.length()).put(command);
        if (members == null) {
            last.put(out);
        }
        socket.appended();
        pipeline.ask(false);
        long streams = elements();
        for (long i = 0; i < streams; i++) {
            list();
            socket.await(true); // the name of the stream
            deliver(list(), false);
        }
    }

    /** Moves to the head of a list, and returns the number of its elements. */
    private long list() throws IOException {
        socket.await(false);
        return elements();
    }

    private long elements() throws IOException {
        if (!in.isList()) {
            throw new IOException("The server answered a read with something that is no list.");
        }
        return in.number();
    }

    /**
     * Takes over messages that a lost member of the group left behind, as many as one read brings. From time to time the whole list of
     * unacknowledged messages is scanned for them: messages still being processed are skipped without waiting, and the scan continues where
     * the last read ended.
     *
     * @return whether any message was taken over
     */
    private boolean claim(String members) throws IOException {
        if (!scan.isDue()) {
            return false;
        }
        boolean found = false;
        boolean through = false;
        while (!found && !through) {
            socket.append(RedisSocket.command("XAUTOCLAIM", stream, members, member, Long.toString(scan.limitMillis()), scan.from(),
                "COUNT", Integer.toString(size.messages())));
            pipeline.ask(false);
            long parts = elements();
            socket.await(true);
            through = scan.endsAt(in.text()) || ended;
            long entries = list();
            found = entries > 0;
            deliver(entries, true);
            for (long i = 2; i < parts; i++) {
                socket.await(true); // ids of entries that are deleted
            }
        }
        if (through) {
            scan.pause();
        }
        return found;
    }

    private void deliver(long entries, boolean again) throws IOException {
        if (entries <= 0) {
            return;
        }
        long begun = System.nanoTime();
        for (long i = 0; i < entries; i++) {
            socket.await(true);
            deliverEntry(again);
        }
        size.took((int) entries, System.nanoTime() - begun);
    }

    private void deliverEntry(boolean again) throws IOException {
        if (!in.isList() || in.number() < 2) {
            return; // an entry that is deleted
        }
        in.read();
        int from = in.token();
        int to = in.behind();
        if (!in.isText() || (again && open.contains(in.buffer(), from, to))) {
            return;
        }
        if (ended || leaving || deliver(again) == Settlement.LEAVE) {
            leaving = true;
            unwanted.add(in.buffer(), from, to);
            return;
        }
        if (group == null) {
            last.clear();
            last.add(in.buffer(), from, to);
            return;
        }
        open.add(in.buffer(), from, to);
        if (pipeline.isBatch(open)) {
            acknowledge();
        }
    }

    /** Delivers the entry whose fields are the next element. */
    private Settlement deliver(boolean again) throws IOException {
        int bodyFrom = -1;
        int bodyTo = -1;
        boolean beside = false;
        in.read();
        long fields = in.isList() ? in.number() : 0;
        for (long i = 1; i < fields; i += 2) {
            in.read();
            // the first field of a name counts
            boolean body = bodyFrom < 0 && in.is(BODY);
            boolean property = !beside && in.is(PROPERTY);
            in.read();
            if (body) {
                bodyFrom = in.content();
                bodyTo = in.contentEnd();
            } else if (property) {
                beside = true;
                keepEnvelope(in.content(), in.contentEnd() - in.content());
            }
        }
        ByteBuffer body = in.view(Math.max(0, bodyFrom), Math.max(0, bodyTo));
        delivering.setOpaque(true);
        try {
            return beside ? listener.delivered(envelope, body, again) : listener.delivered(body, again);
        } finally {
            delivering.setOpaque(false);
        }
    }

    private void keepEnvelope(int from, int length) {
        if (envelope.capacity() < length) {
            envelope = ByteBuffer.allocate(length);
        }
        envelope.clear().limit(length).put(0, in.buffer(), from, length);
    }

    private void acknowledge() {
        if (open.count() == 0 || group == null) {
            return;
        }
        pipeline.acknowledge(open);
        open.clear();
    }

    /**
     * Acknowledges the last messages, gives back what was read behind them, and leaves the group: as soon as the listener leaves, since others
     * of the group would take over later what is left with this member. The group of a subscription that is not durable is deleted with its last member.
     */
    private void leave() throws IOException {
        String members = group;
        if (members == null) {
            return;
        }
        tail = open.count() > 0 || pipeline.isAnswerDue();
        acknowledge();
        giveBack(members);
        socket.append(RedisSocket.command("XGROUP", "DELCONSUMER", stream, members, member));
        pipeline.ask(true);
        told = true;
        if (ephemeral) {
            var left = GroupMember.of(socket.ask("XINFO", "CONSUMERS", stream, members));
            if (left.stream().allMatch(each -> owner.lostMembers().contains(each.name()) || each.isGone(scan.limitMillis()))) {
                socket.ask("XGROUP", "DESTROY", stream, members);
            }
        }
    }

    /**
     * Passes the messages that were not delivered to a member that no consumer uses, with a long idle time, so that other consumers take
     * them over as soon as they look. With this member they would be lost.
     */
    private void giveBack(String members) {
        if (unwanted.count() == 0) {
            return;
        }
        pipeline.append(8, RedisSocket.words("XCLAIM", stream, members, GroupMember.NOBODY, "0"), unwanted);
        socket.append(RedisSocket.words("IDLE", Long.toString(LONGEST_CLAIM_MILLIS), "JUSTID"));
        unwanted.clear();
    }

    /** Returns false if a poll did not end in time. */
    private boolean leaveInTurn(Duration limit) throws InterruptedException {
        if (!turn.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        try {
            if (!leaving) {
                leaving = true;
                leave();
            }
        } catch (IOException e) {
            // if the connection is lost, others take over the messages that are not acknowledged
            failed(e);
        } finally {
            turn.unlock();
        }
        return true;
    }

    /** Returns false if the thread goes on. A wait for Redis ends with the socket, one for the listener does not. */
    private boolean awaitThread(Thread reader, Duration limit) throws InterruptedException {
        boolean over = Bounded.join(reader, limit);
        socket.drop();
        if (!over && reader.join(Duration.ofSeconds(1))) {
            owner.foundMute();
            over = true;
        }
        return over;
    }

    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        ended = true;
        Duration limit = owner.closeLimit();
        boolean over = true;
        try {
            over = thread == null ? leaveInTurn(limit) : awaitThread(thread, limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        socket.drop();
        owner.closed(this);
        if (group != null && !told) {
            owner.lostMembers().add(member);
        }
        if (!over && delivering.getOpaque() && group != null && !owner.isLost()) {
            throw new IOException("The last delivery from " + stream + " did not end within "
                + limit.toMillis() + " ms, so neither it nor what came before it in the same read is acknowledged.");
        }
        IOException refused = refusal;
        if (refused != null && !owner.isLost()) {
            throw new IOException("Redis refused the end of the consumer on " + stream + ": " + refused.getMessage() + ".", refused);
        }
        if (!told && (tail || open.count() > 0 || pipeline.isAnswerDue()) && !owner.isLost()) {
            throw new IOException("Redis did not say that it has the last acknowledgements on "
                + stream + "; it may deliver those messages again.");
        }
    }
}
