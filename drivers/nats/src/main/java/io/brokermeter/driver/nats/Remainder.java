package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The messages that the server counts as delivered to a pushed consumer when its last receiver has left. The server counts a message before
 * it sends it; when nobody subscribes any more at that moment, it keeps the message until its acknowledgement timeout, although no client
 * has it. The same happens to a message that a leaving receiver gives back before the server has noticed that it left.
 */
final class Remainder {

    /** The longest wait, in nanoseconds, until the server notices that nobody receives; other processes may go on receiving. */
    private static final long NOTICED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** The most messages that are given back, the last ones: many before them may be acknowledged, but not the first. */
    private static final long MOST = 20_000;
    private static final byte[] GIVEN_BACK = "-NAK".getBytes(StandardCharsets.US_ASCII);
    private static final String IN_PROGRESS = "+WPI";

    /** The receivers of a consumer in this process. Guarded by its own monitor, which is held while messages are given back. */
    private static final class Receivers {

        private int count;
        /** Whether one of them left while it may have had a message, which must not be given back. */
        private boolean unclear;
    }

    /** The receivers in this process, by server and consumer. */
    private static final Map<String, Receivers> RECEIVERS = new ConcurrentHashMap<>();

    private final NatsLink link;
    private final JetStreams streams;
    private final String stream;
    private final String consumer;
    private final Receivers receivers;

    private Remainder(NatsLink link, JetStreams streams, String stream, String consumer) {
        this.link = link;
        this.streams = streams;
        this.stream = stream;
        this.consumer = consumer;
        this.receivers = RECEIVERS.computeIfAbsent(
            link.info.text("server_id") + " " + stream + " " + consumer, _ -> new Receivers());
    }

    /**
     * Counts a receiver before it subscribes; it calls {@link #left} or {@link #neverReceived} once. Blocks while messages of this consumer
     * are given back, since the receiver would get some of them twice.
     *
     * @param stream name of the stream
     * @param consumer name of the consumer, which all its receivers share
     */
    static Remainder enter(NatsLink link, JetStreams streams, String stream, String consumer) {
        Remainder entered = new Remainder(link, streams, stream, consumer);
        synchronized (entered.receivers) {
            entered.receivers.count++;
        }
        return entered;
    }

    /** Takes a receiver out of the count that could not be opened. */
    void neverReceived() {
        synchronized (receivers) {
            receivers.count--;
        }
    }

    /**
     * Gives back what nobody got, if the receiver was the last one. Blocks for at most four times the limit of a close and a second.
     *
     * @param answered whether the receiver has no message any more, and the server has processed all that it wrote
     */
    void left(boolean answered) {
        synchronized (receivers) {
            receivers.unclear |= !answered;
            if (--receivers.count > 0) {
                return;
            }
            if (!receivers.unclear) {
                tryToGiveBack();
            }
            receivers.unclear = false;
        }
    }

    private void tryToGiveBack() {
        try {
            giveBack();
        } catch (IOException e) {
            // the server delivers it again after its acknowledgement timeout
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void giveBack() throws IOException, InterruptedException {
        String subject = "$JS.ACK." + stream + "." + consumer + ".1.";
        awaitProcessed(subject);
        long begun = System.nanoTime();
        Json found = streams.consumer(stream, consumer);
        while (found.flag("push_bound") && System.nanoTime() - begun < NOTICED_NANOS) {
            LockSupport.parkNanos(PAUSE_NANOS);
            found = streams.consumer(stream, consumer);
        }
        if (found.flag("push_bound") || found.number("num_ack_pending") == 0) {
            return;
        }
        // The server ignores what is acknowledged.
        long last = found.number("delivered.stream_seq");
        long first = Math.max(found.number("ack_floor.stream_seq"), last - MOST) + 1;
        String rest = "." + found.number("delivered.consumer_seq") + ".0.0";
        link.locked(() -> {
            for (long sequence = first; sequence <= last; sequence++) {
                link.publish(subject + sequence + rest, "", GIVEN_BACK);
            }
        });
        awaitProcessed(subject);
    }

    /** Waits until the server has processed all acknowledgements and returned messages that were written, by a word about no message. */
    private void awaitProcessed(String subject) throws IOException, InterruptedException {
        link.request(subject + Long.MAX_VALUE + ".1.0.0", IN_PROGRESS, link.leftToCloseNanos());
    }
}
