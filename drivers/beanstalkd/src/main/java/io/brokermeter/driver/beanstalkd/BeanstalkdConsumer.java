package io.brokermeter.driver.beanstalkd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.driver.wire.InTurnConnection;
import io.brokermeter.driver.wire.LineBuffer;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;

/**
 * A consumer that reserves jobs over a socket of its own, several at a time as long as jobs are available, and delivers them on its reader
 * thread. The broker reads no command while it makes us wait for a job. Therefore a waiting reservation is sent only after all other
 * commands are answered and every message is settled or held for its batch. Jobs that are not deleted when the socket ends go back to the
 * tube.
 *
 * <p>While the listener blocks, nothing is read from this socket. A broker that dies then is noticed by the reader of the owner's socket;
 * the loss of this socket alone is noticed only when the listener returns.
 */
final class BeanstalkdConsumer extends InTurnConnection implements Consumer {

    private static final int PREFETCH = 100;
    private static final long EAGER = TimeUnit.MILLISECONDS.toNanos(1);
    private static final byte[] RESERVE = ascii("reserve-with-timeout 0\r\n");
    private static final byte[] WAIT = ascii("reserve-with-timeout 4\r\n");
    private static final byte[] DELETE = ascii("delete ");
    private static final Pattern JOB = Pattern.compile("(?s)\nid: (\\d+)\n.*\npri: (\\d+)\n");

    private final BeanstalkdConnection owner;
    private final Destination destination;
    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final int prefetch;
    /** Whether to acknowledge before all messages of one read are delivered. */
    private final boolean eager;
    private final Command reserve = this::reserved;
    private final Command settle = this::settled;

    /** Held while the answers of one read are processed. */
    private final ReentrantLock turn = new ReentrantLock();
    // guarded by turn
    private final long[] accepted;
    private int acceptedCount;
    private long acknowledgedAt;
    private int window = 1;
    private int outstanding;
    private boolean dry;
    private boolean late;
    /** Whether the listener accepts no more messages. */
    private boolean left;

    private final AtomicInteger unsettled = new AtomicInteger();
    private final AtomicInteger releasing = new AtomicInteger();
    private volatile long received;
    private volatile boolean empty;
    private volatile boolean closing;

    BeanstalkdConsumer(
            BeanstalkdConnection owner, BeanstalkdConnection.Dialed dialed, ConnectionListener life, Duration timeout, AtomicBoolean mute,
            Destination destination, ConsumerSettings settings, DeliveryListener listener) {
        super("beanstalkd", dialed.wire(), dialed.answers(), life, timeout, mute, BeanstalkdConnection.HARMLESS);
        this.owner = owner;
        this.destination = destination;
        this.settings = settings;
        this.listener = listener;
        this.prefetch = settings.prefetch() < 0 ? settings.fit(PREFETCH) : Math.max(1, settings.prefetch());
        this.accepted = new long[settings.ackMode() == AckMode.BATCH ? settings.batch() : PREFETCH];
        this.eager = settings.mayBlock() && settings.ackMode() == AckMode.AUTO;
    }

    // ---- deliveries

    @Override
    protected void frame() throws IOException {
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
        }
        super.frame();
    }

    /** Handles the answer to a reservation. Like all answers, it is handled with {@code turn} held. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under turn
    private void reserved(LineBuffer in) throws IOException {
        outstanding--;
        dry = !in.is("RESERVED");
        if (!dry) {
            received++;
            window = Math.min(prefetch, window + 1);
            deliver(in.number("RESERVED"), in.body());
            return;
        }
        window = 1;
        if (in.is("DEADLINE_SOON")) {
            // the time to run of a message that waits for the rest of its batch is nearly over
            late = true;
        } else if (!in.is("TIMED_OUT")) {
            throw new IOException("it answered a reservation with " + in.text());
        }
    }

    private void deliver(long id, ByteBuffer body) {
        if (left || closing) {
            return;
        }
        switch (listener.delivered(body, false)) {
            case ACCEPT -> {
                accepted[acceptedCount++] = id;
                if (acceptedCount == accepted.length || eager && System.nanoTime() - acknowledgedAt > EAGER) {
                    acknowledge();
                    flush();
                }
            }
            // a release sets the priority, which only the job has
            case REQUEUE -> {
                releasing.incrementAndGet();
                settle("stats-job " + id, this::release);
            }
            case REJECT -> settle("bury " + id + " 1024", settle);
            case LEAVE -> left = true;
        }
    }

    private void settle(String command, Command answer) {
        unsettled.incrementAndGet();
        append(command, answer);
    }

    /** Appends the deletion of the accepted jobs. Call with {@code turn} held. */
    private void acknowledge() {
        unsettled.addAndGet(acceptedCount);
        locked(() -> {
            for (int i = 0; i < acceptedCount; i++) {
                expect(settle);
                WriteBuffer.decimal(out.room(DELETE.length + 24).put(DELETE), accepted[i]).put((byte) '\r').put((byte) '\n');
            }
            out.appended();
        });
        acceptedCount = 0;
        acknowledgedAt = System.nanoTime();
    }

    private void release(LineBuffer in) {
        Matcher job = JOB.matcher(in.text());
        if (job.find()) {
            append("release " + job.group(1) + " " + job.group(2) + " 0", settle);
        } else {
            settled(in);
        }
        releasing.decrementAndGet();
    }

    private void settled(LineBuffer in) {
        unsettled.decrementAndGet();
        if (!in.is("DELETED") && !in.is("RELEASED") && !in.is("BURIED")) {
            listener.failed(new DriverException("A message of " + destination + " was not settled within its time to run, so that "
                + "the broker delivers it again (" + in.text() + "); the parameter ttr of who sends sets that time.", null));
        }
    }

    // ---- reservations

    @Override
    protected void endOfBatch() {
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
        }
        if (acceptedCount > 0 && (settings.ackMode() == AckMode.AUTO || late)) {
            acknowledge();
        }
        late = false;
        reserve();
        turn.unlock();
        super.endOfBatch();
        owe();
    }

    /** Requests as many jobs as the window allows, or waits for the next job if there was none. */
    private void reserve() {
        if (left || closing || releasing.get() > 0) {
            return;
        }
        if (!dry) {
            for (; outstanding < window; outstanding++) {
                append(RESERVE, reserve);
            }
        } else if (outstanding == 0 && isAnswered()) {
            outstanding = 1;
            empty = true;
            append(WAIT, reserve);
        }
    }

    /** Waits until the tube is empty; fails if no job arrives within the connect timeout. */
    void awaitEmpty() throws Exception {
        while (!empty) {
            long before = received;
            await(() -> empty || received > before, requestLimitNanos(), "The broker did not empty " + destination);
        }
    }

    // ---- the end

    @Override
    public void close() throws DriverException {
        if (closing) {
            return;
        }
        boolean alive = isAlive();
        boolean over = false;
        try {
            over = turn.tryLock(closeLimitNanos(), TimeUnit.NANOSECONDS);
            if (over) {
                closing = true;
                acknowledge();
                turn.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closing = true;
        awaitClosing(() -> releasing.get() == 0);
        end();
        owner.remove(this);
        if (alive && !over) {
            throw new DriverException("The last delivery from " + destination + " did not end within "
                + TimeUnit.NANOSECONDS.toMillis(closeLimitNanos()) + " ms, so what came before it is not acknowledged.", null);
        }
        if (alive && unsettled.get() > 0) {
            throw new DriverException("The broker did not say that it has the last acknowledgements on " + destination + "; it may"
                + " deliver those messages again.", null);
        }
    }
}
