package io.brokermeter.driver.amqp.lean;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

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
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * Sends from the calling thread: the frame goes into the connection's buffer, and to the socket at {@link #flush()}, when
 * enough has come together, or when the window of the caller is used up. Without link credit, messages wait here, as many
 * as the caller may have unconfirmed; beyond that {@link #send} blocks, and gives up after {@value #SEND_LIMIT_SECONDS} s.
 *
 * <p>The delivery id of a message is its number since this producer began, so a broker's range of ids is a range of tokens.
 */
final class LeanProducer extends Link implements Producer {

    private static final int SEND_LIMIT_SECONDS = 30;
    private static final int WRITE_AT = 64 * 1024;
    private static final int FRAME_OVERHEAD = 29;
    private static final int HELD_MESSAGES = 1000;
    private static final long HELD_BYTES = 16 * 1024 * 1024;

    private final Destination destination;
    private final String address;
    private final SendListener listener;
    private final MessageTemplate template;
    private final int maxPending;
    private final boolean delays;

    // under the connection's lock
    private final Deque<byte[]> held = new ArrayDeque<>();
    private long heldBytes;
    private int window;
    private int nextTransfer;
    /** Credit given back at the peer's request; it counts as used. */
    private int drained;
    private boolean delayed;
    private volatile int credit;
    private volatile boolean closing;
    private volatile boolean windowFull;

    /** Sends so far, held ones included; the sending thread writes. */
    private volatile long sent;
    /** Tokens by send number; the sending thread writes, and replaces them under this producer's monitor. */
    private long[] tokens;
    /** Whether a send out of turn was reported; under this producer's monitor. */
    private boolean[] done;
    /** Every send below is reported; under this producer's monitor. */
    private volatile long settled;
    /** The last send of an unbroken row that the broker accepted and the listener has not heard of. */
    private long confirmedToken;
    private boolean confirmed;
    private boolean finished;

    LeanProducer(
            LeanConnection connection, int channel, Destination destination, ProducerSettings settings,
            SendListener listener) {
        super(connection, channel);
        this.destination = destination;
        this.address = connection.address(destination);
        this.listener = listener;
        this.template = new MessageTemplate(destination, address, settings);
        this.maxPending = settings.maxPending();
        this.delays = settings.delayMillis() > 0;
        int capacity = Math.clamp(Integer.highestOneBit(Math.max(64, maxPending)) * 2L, 128, 1 << 16);
        tokens = new long[capacity];
        done = new boolean[capacity];
    }

    @Override
    String describe() {
        return destination.toString();
    }

    @Override
    Attach attach() {
        Source source = new Source();
        source.setAddress(connection.linkName("sender", channel));
        source.setOutcomes(LeanConsumer.outcomes());
        Target target = new Target();
        target.setAddress(address);
        target.setCapabilities(Symbol.valueOf(destination.isTopic() ? "topic" : "queue"));
        Attach attach = new Attach();
        attach.setName(connection.linkName("sender", channel) + ":" + address);
        attach.setHandle(UnsignedInteger.valueOf(HANDLE));
        attach.setRole(Role.SENDER);
        attach.setSndSettleMode(SenderSettleMode.UNSETTLED);
        attach.setRcvSettleMode(ReceiverSettleMode.FIRST);
        attach.setSource(source);
        attach.setTarget(target);
        attach.setInitialDeliveryCount(UnsignedInteger.ZERO);
        if (delays) {
            attach.setDesiredCapabilities(new Symbol[] {LeanConnection.DELAYED_DELIVERY});
        }
        return attach;
    }

    @Override
    void attached(Attach attach) {
        delayed = LeanConnection.holds(attach.getOfferedCapabilities(), LeanConnection.DELAYED_DELIVERY);
    }

    /** Whether the broker says of this link that it keeps messages back. Under the connection's lock. */
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
            if (sent - settled == tokens.length) {
                grow();
            }
            long number = sent;
            tokens[(int) number & (tokens.length - 1)] = token;
            sent = number + 1;
            if (now) {
                transmit((int) number, payload, size);
            } else {
                ByteBuffer message = ByteBuffer.allocate(size);
                template.write(message, payload);
                held.add(message.array());
                heldBytes += size;
            }
            write = connection.out.pending() >= WRITE_AT || (maxPending > 0 && sent - settled >= maxPending);
        } finally {
            connection.lock.unlock();
        }
        if (write) {
            connection.flush();
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
        int room = connection.maxFrame() - FRAME_OVERHEAD;
        return (size + room - 1) / room;
    }

    private boolean mustWait(int size) {
        return held.size() >= Math.max(maxPending, HELD_MESSAGES) || (!held.isEmpty() && heldBytes + size > HELD_BYTES);
    }

    private void awaitRoom(int size) throws Exception {
        long left = TimeUnit.SECONDS.toNanos(SEND_LIMIT_SECONDS);
        while (mustWait(size)) {
            if (left <= 0) {
                throw new IOException("The broker took no message on " + destination + " for " + SEND_LIMIT_SECONDS
                    + " s: " + stallReason() + ".");
            }
            left = connection.changed.awaitNanos(left);
            check();
        }
    }

    private synchronized void grow() {
        long[] moreTokens = new long[tokens.length * 2];
        boolean[] moreDone = new boolean[moreTokens.length];
        for (long i = settled; i < sent; i++) {
            moreTokens[(int) i & (moreTokens.length - 1)] = tokens[(int) i & (tokens.length - 1)];
            moreDone[(int) i & (moreDone.length - 1)] = done[(int) i & (done.length - 1)];
        }
        tokens = moreTokens;
        done = moreDone;
    }

    private void transmit(int id, Payload payload, int size) {
        if (size + FRAME_OVERHEAD <= connection.maxFrame()) {
            ByteBuffer out = connection.out.room(size + FRAME_OVERHEAD);
            header(out, id, size, false);
            template.write(out, payload);
            used(1);
        } else {
            ByteBuffer message = ByteBuffer.allocate(size);
            template.write(message, payload);
            transmit(id, message.array());
        }
        connection.out.appended();
    }

    private void transmit(int id, byte[] message) {
        int room = connection.maxFrame() - FRAME_OVERHEAD;
        int frames = 0;
        for (int at = 0; at < message.length; at += room) {
            int length = Math.min(room, message.length - at);
            ByteBuffer out = connection.out.room(length + FRAME_OVERHEAD);
            header(out, id, length, at + length < message.length);
            out.put(message, at, length);
            frames++;
        }
        used(frames);
        connection.out.appended();
    }

    private void used(int frames) {
        credit = credit - 1;
        window -= frames;
        nextTransfer += frames;
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
        // serial arithmetic: what the peer has not seen yet is on the way and uses its window
        window = saturated(flow.getIncomingWindow().longValue() - (nextTransfer - next));
        if (flow.getHandle() != null && flow.getLinkCredit() != null) {
            int transmitted = (int) (sent - held.size());
            int seen = flow.getDeliveryCount() == null ? 0 : flow.getDeliveryCount().intValue();
            credit = saturated(flow.getLinkCredit().longValue() - (transmitted + drained - seen));
        }
        if (!held.isEmpty()) {
            long first = sent - held.size();
            byte[] message;
            while ((message = held.peek()) != null && maySend(message.length)) {
                held.remove();
                heldBytes -= message.length;
                transmit((int) first++, message);
            }
            connection.owe();
            connection.changed.signalAll();
        } else {
            windowFull = false;
        }
    }

    /** Answers a flow frame that asked for it; {@code drain} gives up the credit that nothing is there to use. */
    void answer(boolean drain) {
        int transmitted = (int) (sent - held.size());
        Flow flow = new Flow();
        flow.setNextIncomingId(UnsignedInteger.ZERO);
        flow.setIncomingWindow(LeanConnection.WINDOW);
        flow.setNextOutgoingId(UnsignedInteger.valueOf(nextTransfer));
        flow.setOutgoingWindow(LeanConnection.WINDOW);
        flow.setHandle(UnsignedInteger.valueOf(HANDLE));
        flow.setDeliveryCount(UnsignedInteger.valueOf(drain ? transmitted + credit + drained : transmitted + drained));
        if (drain) {
            drained += credit;
            credit = 0;
        }
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        flow.setDrain(drain);
        connection.append(channel, flow);
    }

    @Override
    synchronized void disposition(int first, int last, @Nullable Throwable refusal) {
        long base = settled;
        long from = base + (first - (int) base);
        long to = Math.min(base + (last - (int) base), sent - 1);
        if (finished) {
            return;
        }
        for (long number = Math.max(from, base); number <= to; number++) {
            int at = (int) number & (tokens.length - 1);
            if (number < settled || done[at]) {
                continue;
            }
            if (refusal != null) {
                done[at] = true;
                listener.failed(tokens[at], refusal);
            } else if (number == settled) {
                settled = number + 1;
                confirmedToken = tokens[at];
                confirmed = true;
            } else {
                done[at] = true;
                listener.confirmed(tokens[at]);
            }
            passDone();
        }
        connection.touch(this);
    }

    /** Moves {@link #settled} over sends that were reported by themselves. */
    private void passDone() {
        long number = settled;
        int at = (int) number & (tokens.length - 1);
        while (number < sent && done[at]) {
            done[at] = false;
            number++;
            at = (int) number & (tokens.length - 1);
        }
        if (number != settled) {
            settled = number;
        }
    }

    @Override
    void endOfBatch() {
        report();
        if (closing) {
            connection.signal();
        }
    }

    private synchronized void report() {
        if (confirmed) {
            confirmed = false;
            listener.confirmedUpTo(confirmedToken);
        }
    }

    @Override
    void ended(Throwable reason, boolean byPeer) {
        finish(reason);
    }

    /** Reports what is left: what waited here for credit was never given to the broker, and of the rest nobody knows. */
    private void finish(Throwable reason) {
        int kept;
        connection.lock.lock();
        try {
            kept = held.size();
            held.clear();
            heldBytes = 0;
        } finally {
            connection.lock.unlock();
        }
        finish(reason, sent - kept);
    }

    private synchronized void finish(Throwable reason, long given) {
        if (finished) {
            return;
        }
        report();
        finished = true;
        for (long number = settled; number < sent; number++) {
            int at = (int) number & (tokens.length - 1);
            if (done[at]) {
                continue;
            }
            if (number < given) {
                listener.unknown(tokens[at], reason);
            } else {
                listener.failed(tokens[at], reason);
            }
        }
        settled = sent;
    }

    @Override
    public String stallReason() {
        if (connection.writingFor() > TimeUnit.SECONDS.toNanos(1)) {
            return "the broker does not read from its socket";
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
            connection.help();
            connection.await(() -> closed || sent == settled);
        } finally {
            connection.detach(this);
            finish(new IOException("The producer on " + destination + " was closed before the broker confirmed the message."));
        }
    }
}
