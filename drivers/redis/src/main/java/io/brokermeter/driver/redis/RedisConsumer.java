package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

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
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A consumer that reads one stream, on a thread of its own or on the polling thread, as a member of a group or alone. Acknowledgements are
 * written together with the next read, and nobody waits for their answers before.
 */
final class RedisConsumer implements Consumer {

    private static final Duration BLOCK = Duration.ofMillis(200);
    private static final long LONGEST_BLOCK_MILLIS = 1000;
    private static final byte[] NOTHING = {};
    private static final byte[] BEGIN = bytes("0-0");
    private static final byte[] NOBODY = bytes(GroupMember.NOBODY);
    /** The longest time before a consumer takes over messages of another member, in milliseconds. */
    private static final long LONGEST_CLAIM_MILLIS = 86_400_000;
    private static final long PAUSE_NANOS = 20_000_000;
    private static final byte[] PROPERTY = bytes(Payload.PROPERTY);

    private final RedisConnection owner;
    private final PipelinedConnection pipe;
    private final DeliveryListener listener;
    private final byte[] stream;
    private final byte @Nullable [] group;
    private final String member = UUID.randomUUID().toString();
    private final byte[] name = bytes(member);
    private final long claimLimit;
    private final byte[] claimMillis;
    private final long claimNanos;
    private final boolean deletes;
    private final boolean ephemeral;
    private final byte[][] open;
    /** Whether the listener accepts no more messages, or this consumer is being closed. */
    private boolean leaving;
    /** Ids of the messages that were read and are not delivered any more, which go back to the group at the end. */
    private final List<byte[]> unwanted = new ArrayList<>();
    /** Whether the end acknowledges something; {@link #told} tells the closing thread whether Redis has confirmed that. */
    private boolean tail;
    private volatile boolean told;
    private final boolean polling;
    private final Thread thread;
    /** Held during a poll, and at the end. */
    private final ReentrantLock turn = new ReentrantLock(true);
    private boolean left;
    /** Whether the listener has a message. */
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;

    // used by the thread that reads
    private final FetchSize size;
    /** The size as a word of a command. */
    private byte[] count;
    private byte[] last;
    private int openCount;
    private int answersDue;
    private long nextClaim;
    private byte[] claimFrom = BEGIN;

    /**
     * @param group group to join, or null to read alone
     * @param last id after which to read, if there is no group
     */
    RedisConsumer(
            RedisConnection owner, PipelinedConnection pipe, Destination destination, @Nullable String group, String last,
            ConsumerSettings settings, Duration claimAfter, DeliveryListener listener) {
        this.owner = owner;
        this.pipe = pipe;
        this.listener = listener;
        this.stream = bytes(destination.name());
        this.group = group == null ? null : bytes(group);
        this.last = bytes(last);
        // other consumers of the group take over what is reached too late
        this.size = FetchSize.of(settings, group != null && settings.mayBlock(), claimAfter);
        this.count = bytes(Integer.toString(size.messages()));
        this.claimLimit = claimAfter.toMillis();
        this.claimMillis = bytes(Long.toString(claimLimit));
        this.claimNanos = claimAfter.toNanos() / 4;
        this.deletes = !destination.isTopic();
        this.ephemeral = destination.isTopic() && !settings.durable();
        this.open = new byte[settings.ackMode() == AckMode.AUTO ? 1 : Math.max(1, settings.batch())][];
        this.polling = settings.polling();
        this.thread = Thread.ofPlatform().daemon().name("redis-consumer").unstarted(this::run);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Joins a group that ends with its last member. Before 7.2, Redis itself adds a waiting member only with its first message, and the
     * first of several members to leave would look like the last.
     */
    void join() {
        byte[] members = group;
        if (ephemeral && members != null) {
            pipe.sendCommand(Command.XGROUP, bytes("CREATECONSUMER"), stream, members, name);
            answer();
        }
    }

    void start() {
        nextClaim = System.nanoTime();
        if (!polling) {
            thread.start();
        }
    }

    @Override
    public boolean needsPolling() {
        return polling;
    }

    /** Reads once, on the calling thread. */
    @Override
    public void poll(Duration wait) {
        if (!polling || ended) {
            LockSupport.parkNanos(wait.toNanos());
            return;
        }
        turn.lock();
        try {
            if (leaving || left) {
                // also if the connection is lost, so that the caller does not poll in a busy loop
                LockSupport.parkNanos(wait.toNanos());
            } else if (!ended) {
                read(block(wait, owner.limit()));
            }
        } catch (JedisException e) {
            left = true;
            failed(e);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Returns how long a read blocks in the server, in milliseconds: 0 would mean for ever, and the socket waits no longer than the connect
     * timeout.
     */
    static byte[] block(Duration wait, Duration connectTimeout) {
        return bytes(Long.toString(Math.clamp(Math.min(wait.toMillis(), connectTimeout.toMillis() / 2), 1, LONGEST_BLOCK_MILLIS)));
    }

    private void run() {
        try {
            while (!ended) {
                if (leaving) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                } else {
                    read(block(BLOCK, owner.limit()));
                }
            }
            leave();
        } catch (JedisException e) {
            failed(e);
        }
    }

    private void failed(JedisException e) {
        if (ended) {
            return;
        }
        if (e instanceof JedisConnectionException) {
            if (group != null) {
                owner.lostMembers().add(member);
            }
            owner.lost(e);
        } else {
            listener.failed(e);
        }
    }

    private void read(byte[] blockMillis) {
        byte[] members = group;
        if (members == null) {
            pipe.sendCommand(Command.XREAD, bytes("COUNT"), count, bytes("BLOCK"), blockMillis, bytes("STREAMS"), stream, last);
        } else {
            if (claim(members)) {
                // there may be more of them, which need not wait for new messages
                return;
            }
            pipe.sendCommand(Command.XREADGROUP, bytes("GROUP"), members, name, bytes("COUNT"), count, bytes("BLOCK"),
                blockMillis, bytes("STREAMS"), stream, bytes(">"));
        }
        deliverStreams(answer());
    }

    /** Returns the answer to the last command, after reading those of the acknowledgements before it. */
    private Object answer() {
        pipe.push();
        while (answersDue > 0) {
            answersDue--;
            pipe.answer();
        }
        return pipe.answer();
    }

    /**
     * Takes over messages that a lost member of the group left behind, as many as one read brings. From time to time the whole list of
     * unacknowledged messages is scanned for them: messages still being processed are skipped without waiting, and the scan continues where
     * the last read ended.
     *
     * @return whether any message was taken over
     */
    private boolean claim(byte[] members) {
        if (System.nanoTime() - nextClaim < 0) {
            return false;
        }
        boolean found = false;
        boolean through = false;
        while (!found && !through) {
            pipe.sendCommand(Command.XAUTOCLAIM, stream, members, name, claimMillis, claimFrom, bytes("COUNT"), count);
            through = true;
            if (answer() instanceof List<?> claimed && claimed.size() > 1 && claimed.get(0) instanceof byte[] next
                && claimed.get(1) instanceof List<?> entries) {
                claimFrom = next;
                through = Arrays.equals(next, BEGIN) || ended;
                found = !entries.isEmpty();
                deliver(entries, true);
            }
        }
        if (through) {
            nextClaim = System.nanoTime() + claimNanos;
        }
        return found;
    }

    private void deliverStreams(@Nullable Object answer) {
        if (answer instanceof List<?> streams) {
            for (Object one : streams) {
                if (one instanceof List<?> named && named.size() == 2 && named.get(1) instanceof List<?> entries) {
                    deliver(entries, false);
                }
            }
        }
    }

    private void deliver(List<?> entries, boolean again) {
        long begun = System.nanoTime();
        for (Object one : entries) {
            if (!(one instanceof List<?> entry) || !(entry.getFirst() instanceof byte[] id) || again && isOpen(id)) {
                continue;
            }
            if (ended || leaving || deliver(entry.get(1), again) == Settlement.LEAVE) {
                leaving = true;
                unwanted.add(id);
                continue;
            }
            last = id;
            if (group != null) {
                open[openCount++] = id;
                if (openCount == open.length) {
                    acknowledge();
                }
            }
        }
        if (size.took(entries.size(), System.nanoTime() - begun)) {
            count = bytes(Integer.toString(size.messages()));
        }
    }

    private boolean isOpen(byte[] id) {
        for (int i = 0; i < openCount; i++) {
            if (Arrays.equals(open[i], id)) {
                return true;
            }
        }
        return false;
    }

    private Settlement deliver(@Nullable Object fields, boolean again) {
        byte[] body = NOTHING;
        byte[] envelope = null;
        if (fields instanceof List<?> all) {
            // from the end, since the first field of a name counts
            for (int i = (all.size() & ~1) - 2; i >= 0; i -= 2) {
                if (all.get(i) instanceof byte[] field && all.get(i + 1) instanceof byte[] value) {
                    if (field.length == 1 && field[0] == 'b') {
                        body = value;
                    } else if (Arrays.equals(field, PROPERTY)) {
                        envelope = value;
                    }
                }
            }
        }
        delivering.setOpaque(true);
        try {
            return envelope == null ? listener.delivered(ByteBuffer.wrap(body), again)
                : listener.delivered(ByteBuffer.wrap(envelope), ByteBuffer.wrap(body), again);
        } finally {
            delivering.setOpaque(false);
        }
    }

    private void acknowledge() {
        byte[] members = group;
        if (openCount == 0 || members == null) {
            return;
        }
        byte[][] command = new byte[openCount + 2][];
        command[0] = stream;
        command[1] = members;
        System.arraycopy(open, 0, command, 2, openCount);
        pipe.sendCommand(Command.XACK, command);
        answersDue++;
        if (deletes) {
            byte[][] deletion = new byte[openCount + 1][];
            deletion[0] = stream;
            System.arraycopy(open, 0, deletion, 1, openCount);
            pipe.sendCommand(Command.XDEL, deletion);
            answersDue++;
        }
        openCount = 0;
    }

    /**
     * Acknowledges the last messages and leaves the group. The group of a subscription that is not durable is deleted with its last member.
     */
    private void leave() {
        byte[] members = group;
        if (members == null) {
            return;
        }
        tail = openCount > 0 || answersDue > 0;
        acknowledge();
        giveBack(members);
        pipe.sendCommand(Command.XGROUP, bytes("DELCONSUMER"), stream, members, name);
        answer();
        told = true;
        if (ephemeral) {
            pipe.sendCommand(Command.XINFO, bytes("CONSUMERS"), stream, members);
            if (GroupMember.of(answer()).stream().allMatch(each -> owner.lostMembers().contains(each.name()) || each.isGone(claimLimit))) {
                pipe.sendCommand(Command.XGROUP, bytes("DESTROY"), stream, members);
                answer();
            }
        }
    }

    /**
     * Passes the messages that were not delivered to a member that no consumer uses, with a long idle time, so that other consumers take
     * them over as soon as they look. With this member they would be lost.
     */
    private void giveBack(byte[] members) {
        if (unwanted.isEmpty()) {
            return;
        }
        List<byte[]> words = new ArrayList<>(List.of(stream, members, NOBODY, bytes("0")));
        words.addAll(unwanted);
        words.addAll(List.of(bytes("IDLE"), bytes(Long.toString(LONGEST_CLAIM_MILLIS)), bytes("JUSTID")));
        pipe.sendCommand(Command.XCLAIM, words.toArray(byte[][]::new));
        answersDue++;
        unwanted.clear();
    }

    /** Returns false if a poll did not end in time. */
    private boolean leaveInTurn(Duration limit) throws InterruptedException {
        if (!turn.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        try {
            if (!left) {
                left = true;
                leave();
            }
        } catch (JedisException e) {
            // the connection is lost, and others take over the messages that are not acknowledged
        } finally {
            turn.unlock();
        }
        return true;
    }

    /** Returns false if the thread goes on. A wait for Redis ends with the socket, one for the listener does not. */
    private boolean awaitThread(Duration limit) throws InterruptedException {
        boolean over = Bounded.join(thread, limit);
        pipe.drop();
        if (!over && thread.join(Duration.ofSeconds(1))) {
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
            over = polling ? leaveInTurn(limit) : awaitThread(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pipe.drop();
        owner.closed(this);
        if (group != null && !told) {
            owner.lostMembers().add(member);
        }
        if (!over && delivering.getOpaque() && group != null && !owner.isLost()) {
            throw new IOException("The last delivery from " + new String(stream, StandardCharsets.UTF_8) + " did not end within "
                + limit.toMillis() + " ms, so neither it nor what came before it in the same read is acknowledged.");
        }
        if (!told && (tail || openCount > 0 || answersDue > 0) && !owner.isLost()) {
            throw new IOException("Redis did not say that it has the last acknowledgements on "
                + new String(stream, StandardCharsets.UTF_8) + "; it may deliver those messages again.");
        }
    }
}
