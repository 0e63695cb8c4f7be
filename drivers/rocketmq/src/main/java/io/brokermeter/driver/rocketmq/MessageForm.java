package io.brokermeter.driver.rocketmq;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.PropertyText;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/** How the messages of one producer look, and which queues they go to. Used by the sending thread. */
final class MessageForm {

    /** Producers begin at different queues, those of another process most likely, too. */
    private static final AtomicInteger NEXT = new AtomicInteger(ThreadLocalRandom.current().nextInt(1 << 20));

    private final String topic;
    private final List<MessageQueue> queues;
    private final boolean roundRobin;
    private final @Nullable String tags;
    private final @Nullable String keys;
    private final MessageVariant[] variants;
    /** The queue of each variant, or -1 where it is that of the producer. */
    private final int[] queueOf;
    private final int delayLevel;
    private final long delayMillis;
    private final boolean persistent;
    private int next;

    /** @throws IllegalArgumentException with one sentence, when a header has a name that RocketMQ uses itself */
    MessageForm(String topic, List<MessageQueue> queues, ProducerSettings producer, RocketMqSettings settings) {
        this.topic = topic;
        this.queues = queues;
        this.tags = settings.tags.isEmpty() ? null : settings.tags;
        this.keys = settings.keys.isEmpty() ? null : settings.keys;
        this.delayLevel = settings.delayLevel;
        this.delayMillis = producer.delayMillis() > 0 ? producer.delayMillis() : settings.delayMillis;
        if (producer.delayMillis() > 0 && (settings.delayLevel > 0 || settings.delayMillis > 0)) {
            throw new IllegalArgumentException("A delay of delivery is given twice; leave out the parameter "
                + (settings.delayLevel > 0 ? "delay-level." : "delay-time."));
        }
        this.persistent = producer.persistent();
        this.roundRobin = settings.roundRobin;
        this.next = Math.floorMod(NEXT.getAndIncrement(), queues.size());
        this.variants = producer.variants().toArray(MessageVariant[]::new);
        this.queueOf = new int[variants.length];
        for (int i = 0; i < variants.length; i++) {
            // The messages of a group go one way, whatever is said about the others.
            String group = variants[i].group();
            queueOf[i] = group == null ? -1 : Math.floorMod(group.hashCode(), queues.size());
            check(variants[i].headers());
        }
    }

    private static void check(Map<String, String> headers) {
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (MessageConst.STRING_HASH_SET.contains(header.getKey()) || header.getKey().isBlank()
                || header.getValue().isBlank()) {
                throw new IllegalArgumentException("Header '" + header.getKey() + "=" + header.getValue()
                    + "' cannot be a property of a RocketMQ message: its name is RocketMQ's own, or one side is empty.");
            }
        }
    }

    String topic() {
        return topic;
    }

    /** The queue of the next message, which is of this variant. */
    MessageQueue nextQueue(int variant) {
        int own = queueOf[variant];
        if (own >= 0) {
            return queues.get(own);
        }
        MessageQueue queue = queues.get(next);
        if (roundRobin) {
            next = next + 1 == queues.size() ? 0 : next + 1;
        }
        return queue;
    }

    /** A message with a copy of the payload, since the client writes it later. */
    Message message(Payload payload) throws DriverException {
        if (payload.length() == 0) {
            throw new DriverException("MESSAGE_ILLEGAL (13): RocketMQ has no messages with an empty body.", null);
        }
        Message message = new Message(topic, null, null, 0, payload.copy(), persistent);
        if (tags != null) {
            message.setTags(tags);
        }
        if (keys != null) {
            message.setKeys(keys);
        }
        MessageVariant variant = variants[payload.variant()];
        String group = variant.group();
        if (group != null) {
            MessageAccessor.putProperty(message, MessageConst.PROPERTY_SHARDING_KEY, group);
        }
        if (delayLevel > 0) {
            message.setDelayTimeLevel(delayLevel);
        }
        if (delayMillis > 0) {
            message.setDelayTimeMs(delayMillis);
        }
        if (!variant.headers().isEmpty()) {
            for (Map.Entry<String, String> header : variant.headers().entrySet()) {
                message.putUserProperty(header.getKey(), header.getValue());
            }
        }
        byte[] envelope = payload.envelope();
        if (envelope != null) {
            message.putUserProperty(Payload.PROPERTY, PropertyText.encode(envelope));
        }
        return message;
    }
}
