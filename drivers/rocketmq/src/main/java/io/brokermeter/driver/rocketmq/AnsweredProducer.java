package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageQueue;

/** A producer of messages that are sent asynchronously, synchronously or one-way, outside transactions. */
final class AnsweredProducer implements Producer, ConnectionLossListener {

    /** The most sends without an answer. Beyond 65,535 requests the client's own thread blocks; several producers may share it. */
    private static final int MOST_PENDING = 16_384;

    private final DefaultMQProducerImpl client;
    private final MessageForm form;
    private final RocketMqSettings.Send send;
    private final UnansweredSends pending;
    /** Whether a close waited for the broker in vain; shared by the producers and consumers of a connection. */
    private final AtomicBoolean mute;
    private final long timeoutMillis;
    private final long closeMillis;
    private volatile boolean isClosed;

    /** @param limit the longest time that {@link #close} may wait for answers */
    @SuppressWarnings("deprecation") // the way to the methods that skip name spaces and traces
    AnsweredProducer(DefaultMQProducer producer, MessageForm form, RocketMqSettings.Send send, AtomicBoolean mute,
            int maxPending, Duration limit, SendListener listener) {
        this.mute = mute;
        this.client = producer.getDefaultMQProducerImpl();
        this.form = form;
        this.send = send;
        this.pending = new UnansweredSends(listener, maxPending, form.topic(), MOST_PENDING);
        this.timeoutMillis = producer.getSendMsgTimeout();
        // The client looks once a second for requests that are a second over their time.
        this.closeMillis = Math.min(timeoutMillis + 2500, limit.toMillis());
    }

    @Override
    @SuppressWarnings("deprecation") // as above
    public void send(Payload payload, long token) throws Exception {
        if (isClosed) {
            throw new DriverException("The producer is closed.", null);
        }
        Message message = form.message(payload);
        MessageQueue queue = form.nextQueue(payload.variant());
        SendCallback place = pending.add(token);
        switch (send) {
            case ASYNC -> client.send(message, queue, place, timeoutMillis);
            case SYNC -> sendAndWait(message, queue, place);
            case ONEWAY -> sendWithoutAnswer(message, queue, place);
        }
    }

    /** Sends a message and waits for the answer. Throws nothing: a message that was reported must not count as one that was not sent. */
    private void sendAndWait(Message message, MessageQueue queue, SendCallback place) {
        try {
            place.onSuccess(client.send(message, queue, timeoutMillis));
        } catch (Exception e) {
            stayInterrupted(e);
            place.onException(e);
        }
    }

    private void sendWithoutAnswer(Message message, MessageQueue queue, SendCallback place) {
        try {
            client.sendOneway(message, queue);
            place.onSuccess(WRITTEN);
        } catch (Exception e) {
            stayInterrupted(e);
            place.onException(e);
        }
    }

    /** Restores the interrupt status, since the client wraps an interruption in an exception of its own. */
    private static void stayInterrupted(Exception failure) {
        if (Failure.find(failure, InterruptedException.class) != null) {
            Thread.currentThread().interrupt();
        }
    }

    private static final SendResult WRITTEN = new SendResult();

    static {
        WRITTEN.setSendStatus(SendStatus.SEND_OK);
    }

    @Override
    public void abandon(Throwable cause) {
        pending.giveUpAll(cause);
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        boolean answered = false;
        try {
            answered = pending.awaitAll(mute.get() ? 1 : closeMillis);
            if (!answered) {
                mute.set(true);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pending.giveUpAll(new DriverException(answered ? "The producer is closed."
            : "TIMEOUT: The broker did not answer a send to " + form.topic() + " before the producer was closed.", null));
    }
}
