package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/**
 * A producer that sends from the calling thread. A frame is appended to the connection's buffer; it is written to the socket at
 * {@link #flush()}, when enough bytes are pending, or when the caller's limit of unconfirmed messages is reached. Without link credit,
 * messages are held here, up to the caller's limit of unconfirmed messages; beyond that {@link #send} blocks, and fails after
 * {@value #SEND_LIMIT_SECONDS} s.
 *
 * <p>The delivery id of a message is its send number in this producer, so a range of delivery ids is a range of sends.
 */
final class AmqpProducer extends Link implements Producer {

    private static final int SEND_LIMIT_SECONDS = 30;
    private static final int WRITE_AT = 64 * 1024;
    private static final int FRAME_OVERHEAD = 29;
    private static final int HELD_MESSAGES = 1000;
    private static final long HELD_BYTES = 16 * 1024 * 1024;

    /** The longest wait for credit while closing: less than a run waits for one step of closing when its broker is silent. */
    private static final long CREDIT_WITHIN_NANOS = 500_000_000;

    private final String address;
    private final TokenWindow tokens;
    private final AmqpMessageTemplate template;
    private final int maxPending;
    private final boolean delays;

    // guarded by the connection's lock
    private final Deque<byte[]> held = new ArrayDeque<>();
    private long heldBytes;
    /** Bytes of the first held message that were already sent; the session window had no room for the rest. */
    private int started;
    private int window;
    private int nextTransfer;
    /** Credit that was returned because the peer requested a drain; it counts as used. */
    private int drained;
    private boolean delayed;
    private volatile int credit;
    private volatile boolean closing;
    private volatile boolean windowFull;

    AmqpProducer(
            AmqpConnection connection, int channel, Destination destination, ProducerSettings settings,
            SendListener listener) {
        super(connection, channel, destination);
        this.address = connection.address(destination);
        this.tokens = new TokenWindow(listener, settings.maxPending());
        this.template = new AmqpMessageTemplate(destination, address, settings);
        this.maxPending = settings.maxPending();
        this.delays = settings.delayMillis() > 0;
    }

    @Override
    Attach attach() {
        Source source = new Source();
        source.setAddress(connection.linkName("sender", channel));
        Target target = new Target();
        target.setAddress(address);
        target.setCapabilities(Symbol.valueOf(destination.isTopic() ? "topic" : "queue"));
        Attach attach = attach("sender", Role.SENDER, address, source, target);
        attach.setInitialDeliveryCount(UnsignedInteger.ZERO);
        if (delays) {
            attach.setDesiredCapabilities(new Symbol[] {AmqpConnection.DELAYED_DELIVERY});
        }
        return attach;
    }

    @Override
    void attached(Attach attach) {
        delayed = AmqpConnection.holds(attach.getOfferedCapabilities(), AmqpConnection.DELAYED_DELIVERY);
    }

    /** Returns whether the broker offers delayed delivery on this link. Call under the connection's lock. */
    boolean isDelayed() {
        return delayed;
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        int size = template.size(payload);
        boolean write;
        connection.lock.lock();
        try {
            check();
            boolean now = held.isEmpty() && maySend(size);
            if (!now && mustWait(size)) {
                awaitRoom(size);
                now = held.isEmpty() && maySend(size);
            }
            long number = tokens.sent();
            tokens.add(token);
            if (now) {
                transmit((int) number, payload, size);
            } else {
                ByteBuffer message = ByteBuffer.allocate(size);
                template.writeHead(message, payload, 0, size);
                message.put(payload.bytes(), 0, payload.length());
                held.add(message.array());
                heldBytes += size;
                sendHeld();
            }
            write = connection.out.pending() >= WRITE_AT || (maxPending > 0 && tokens.count() >= maxPending);
        } finally {
            connection.lock.unlock();
        }
        if (write) {
            connection.flushOrWait();
        }
    }

    private void check() throws IOException {
        Throwable reason = cause;
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
        }
        if (closed || closing) {
            throw new IOException("The producer on " + destination + " is closed.");
        }
    }

    private boolean maySend(int size) {
        if (credit <= 0) {
            return false;
        }
        boolean fits = window >= frames(size);
        if (windowFull == fits) {
            windowFull = !fits;
        }
        return fits;
    }

    private int frames(int size) {
        int room = connection.maxFrame - FRAME_OVERHEAD;
        return (size + room - 1) / room;
    }

    private boolean mustWait(int size) {
        return held.size() >= Math.max(maxPending, HELD_MESSAGES) || (!held.isEmpty() && heldBytes + size > HELD_BYTES);
    }

    /** Waits for credit. Call under the lock, which is released meanwhile. */
    private void awaitRoom(int size) throws Exception {
        long left = TimeUnit.SECONDS.toNanos(SEND_LIMIT_SECONDS);
        while (mustWait(size)) {
            // A broker grants more credit only after it has seen messages, and many small messages fit below WRITE_AT unseen. A thread
            // that is writing now also writes what was appended meanwhile.
            if (connection.out.pending() > 0 && connection.out.writingSince() == 0) {
                connection.lock.unlock();
                try {
                    connection.flush();
                } finally {
                    connection.lock.lock();
                }
                check();
                continue;
            }
            if (left <= 0) {
                throw new IOException("The broker took no message on " + destination + " for " + SEND_LIMIT_SECONDS
                    + " s: " + stallReason() + ".");
            }
            left = connection.changed.awaitNanos(left);
            check();
        }
    }

    private void transmit(int id, Payload payload, int size) {
        int head = template.headSize(payload);
        ByteBuffer out = connection.out.room(payload, frames(size) * FRAME_OVERHEAD + head);
        for (int at = 0; at < size;) {
            int length = frame(out, id, size, at);
            int ofHead = template.writeHead(out, payload, at, length);
            at += length;
            out = connection.out.body(payload, Math.max(0, at - length - head), length - ofHead, FRAME_OVERHEAD + Math.max(0, head - at));
        }
        connection.out.appended();
        credit = credit - 1;
    }

    /** Appends the beginning of the frame with the part of a message that begins at byte {@code at}. Returns the length of that part. */
    private int frame(ByteBuffer out, int id, int size, int at) {
        int length = Math.min(connection.maxFrame - FRAME_OVERHEAD, size - at);
        header(out, id, length, at + length < size);
        window--;
        nextTransfer++;
        return length;
    }

    /** Sends held messages as far as credit and window allow; a message larger than the window is sent in part. Call under the lock. */
    private void sendHeld() {
        byte[] message;
        while ((message = held.peek()) != null && (started > 0 || credit > 0) && window > 0) {
            int id = (int) (tokens.sent() - held.size());
            while (started < message.length && window > 0) {
                ByteBuffer out = connection.out.room(Math.min(message.length - started + FRAME_OVERHEAD, connection.maxFrame));
                int length = frame(out, id, message.length, started);
                out.put(message, started, length);
                connection.out.appended();
                started += length;
            }
            if (started == message.length) {
                started = 0;
                credit = credit - 1;
                held.remove();
                heldBytes -= message.length;
            }
        }
        windowFull = window <= 0 && !held.isEmpty() && (started > 0 || credit > 0);
    }

    private void header(ByteBuffer out, int id, int length, boolean more) {
        out.putInt(FRAME_OVERHEAD + length).put((byte) 2).put((byte) 0).putShort((short) channel);
        out.put((byte) 0).put((byte) 0x53).put((byte) 0x14);
        out.put((byte) 0xc0).put((byte) 16).put((byte) 6);
        out.put((byte) 0x43);
        out.put((byte) 0x70).putInt(id);
        out.put((byte) 0xa0).put((byte) 4).putInt(id);
        out.put((byte) 0x43);
        out.put((byte) 0x42);
        out.put((byte) (more ? 0x41 : 0x42));
    }

    @Override
    public void flush() throws Exception {
        connection.flush();
    }

    @Override
    void begun(Begin begin) {
        window = saturated(begin.getIncomingWindow().longValue() - nextTransfer);
    }

    private static int saturated(long value) {
        return (int) Math.clamp(value, 0, Integer.MAX_VALUE);
    }

    @Override
    void flow(Flow flow) {
        int next = flow.getNextIncomingId() == null ? 0 : flow.getNextIncomingId().intValue();
        // serial number arithmetic: frames that the peer has not seen yet are on their way and use its window
        window = saturated(flow.getIncomingWindow().longValue() - (nextTransfer - next));
        if (flow.getHandle() != null && flow.getLinkCredit() != null) {
            int transmitted = (int) (tokens.sent() - held.size());
            int seen = flow.getDeliveryCount() == null ? 0 : flow.getDeliveryCount().intValue();
            credit = saturated(flow.getLinkCredit().longValue() - (transmitted + drained - seen));
        }
        if (!held.isEmpty()) {
            sendHeld();
            connection.owe();
            connection.changed.signalAll();
        } else {
            windowFull = false;
        }
    }

    /** Answers a flow frame that asked for an answer; {@code drain} gives up the unused credit. */
    void answer(boolean drain) {
        int transmitted = (int) (tokens.sent() - held.size());
        int count = drain ? transmitted + credit + drained : transmitted + drained;
        if (drain) {
            drained += credit;
            credit = 0;
        }
        appendFlow(0, nextTransfer, count, credit, drain);
    }

    @Override
    void disposition(int first, int last, @Nullable Throwable refusal) {
        long base = tokens.first();
        long from = base + (first - (int) base);
        long to = base + (last - (int) base);
        if (refusal == null) {
            tokens.confirm(from, to);
        } else {
            tokens.refuse(from, to, refusal);
        }
        connection.touch(this);
    }

    @Override
    protected void endOfBatch() {
        tokens.report();
        if (closing) {
            connection.signal();
        }
    }

    @Override
    void ended(Throwable reason, boolean byPeer) {
        finish(reason);
    }

    /** Reports the sends that wait for credit as failed, unless one of them was sent in part: {@link #finish} reports those. */
    private void failHeld() {
        String why = stallReason();
        long last = tokens.sent() - 1;
        int count = connection.locked(() -> {
            int waiting = started > 0 ? 0 : held.size();
            if (waiting > 0) {
                held.clear();
                heldBytes = 0;
            }
            return waiting;
        });
        if (count > 0) {
            tokens.refuse(last - count + 1, last,
                new IOException("The broker would not take the message, so it was never sent" + (why.isEmpty() ? "." : ": " + why + ".")));
        }
    }

    /** Reports all unreported sends: those still held were never given to the broker and have failed, the fate of the others is unknown. */
    private void finish(Throwable reason) {
        int kept = connection.locked(() -> {
            int count = held.size();
            held.clear();
            heldBytes = 0;
            started = 0;
            return count;
        });
        tokens.finish(reason, tokens.sent() - kept);
    }

    @Override
    public String stallReason() {
        String reason = connection.stallReason();
        if (!reason.isEmpty()) {
            return reason;
        }
        if (credit <= 0) {
            return "link credit 0";
        }
        return windowFull ? "the broker's session window is full" : "";
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        try {
            long began = System.nanoTime();
            connection.awaitClosing(
                () -> closed || tokens.count() == 0 || !held.isEmpty() && System.nanoTime() - began > CREDIT_WITHIN_NANOS);
            failHeld();
            connection.awaitClosing(() -> closed || tokens.count() == 0);
        } finally {
            connection.links.detach(this);
            finish(new IOException("The producer on " + destination + " was closed before the broker confirmed the message."));
        }
    }
}
