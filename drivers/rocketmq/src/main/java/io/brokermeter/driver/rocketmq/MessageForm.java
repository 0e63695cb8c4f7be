package io.brokermeter.driver.rocketmq;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerNumbers;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.PropertyText;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * Creates the messages of one producer and chooses their queues. Used by the sending thread, except for {@link #leave} and
 * {@link #comeBackTo}.
 */
final class MessageForm {

    /** The numbers of producers. Producers begin at different queues, most likely also those of different processes. */
    private static final ProducerNumbers NUMBERS = new ProducerNumbers(ThreadLocalRandom.current().nextInt(1 << 20));

    /** The queues that are in use: all of them in turn, and the queue of each variant, null if it is the producer's. */
    private record Ways(MessageQueue[] queues, @Nullable MessageQueue[] ofVariant) {}

    private final String topic;
    /** All queues that existed when the producer was created. */
    private final List<MessageQueue> queues;
    private final Set<String> left = new HashSet<>();
    private volatile Ways ways;
    private final boolean roundRobin;
    private final @Nullable String tags;
    private final @Nullable String keys;
    private final MessageVariant[] variants;
    private final int delayLevel;
    private final long delayMillis;
    private final boolean persistent;
    private int next;

    /** @throws IllegalArgumentException with one sentence, if a header has a name that RocketMQ itself uses, or a delay is given twice */
    MessageForm(String topic, List<MessageQueue> queues, ProducerSettings producer, RocketMqSettings settings, SendListener listener) {
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
        this.next = Math.floorMod(NUMBERS.of(listener, settings), queues.size());
        this.variants = producer.variants().toArray(MessageVariant[]::new);
        for (MessageVariant variant : variants) {
            check(variant.headers());
        }
        this.ways = waysOver(queues);
    }

    private Ways waysOver(List<MessageQueue> open) {
        MessageQueue[] ofVariant = new MessageQueue[variants.length];
        for (int i = 0; i < variants.length; i++) {
            // All messages of a group go to the same queue, whatever the selection for others.
            String group = variants[i].group();
            if (group != null) {
                ofVariant[i] = open.get(Math.floorMod(group.hashCode(), open.size()));
            }
        }
        return new Ways(open.toArray(MessageQueue[]::new), ofVariant);
    }

    /** Stops using a broker's queues, unless there are no others. Any thread. */
    synchronized void leave(String broker) {
        left.add(broker);
        choose();
    }

    /** Uses the queues of a broker again that has come back. Any thread. */
    synchronized void comeBackTo(String broker) {
        left.remove(broker);
        choose();
    }

    private void choose() {
        List<MessageQueue> open = queues.stream().filter(queue -> !left.contains(queue.getBrokerName())).toList();
        ways = waysOver(open.isEmpty() ? queues : open);
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

    /** Returns the queue of the next message, which has this variant. */
    MessageQueue nextQueue(int variant) {
        Ways now = ways;
        MessageQueue own = now.ofVariant[variant];
        if (own != null) {
            return own;
        }
        int at = next;
        if (roundRobin) {
            next = at + 1 >= now.queues.length ? 0 : at + 1;
        }
        return now.queues[at < now.queues.length ? at : at % now.queues.length];
    }

    /** Creates a message with a copy of the payload, since the client writes it later. */
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
