package io.brokermeter.driver.rocketmq;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/** The names of topics and consumer groups by destination. RocketMQ allows letters, digits, and {@code % | - _} in both. */
final class Names {

    private static final int LONGEST_TOPIC = 127;
    private static final int LONGEST_GROUP = 255;
    private static final int LONGEST_ID = 100;

    private Names() {}

    /**
     * Returns the topic of a destination. Characters that RocketMQ does not allow are encoded as in a URL: {@code a.b} becomes
     * {@code a%2Eb}.
     *
     * @throws IllegalArgumentException with one sentence, if the topic is too long
     */
    static String topic(Destination destination) {
        String topic = legal(destination.name());
        if (topic.length() > LONGEST_TOPIC) {
            throw new IllegalArgumentException("Destination " + destination + " has a name of " + topic.length()
                + " characters; RocketMQ allows " + LONGEST_TOPIC + ".");
        }
        return topic;
    }

    /** Returns the group of all consumers of a queue without a selector. */
    static String queueGroup(Destination destination, RocketMqSettings settings) {
        return settings.group.isEmpty() ? checked("brokermeter_" + topic(destination)) : legal(settings.group);
    }

    /**
     * Returns the group of all consumers of a queue with the same selector. A RocketMQ group has one selector and skips the messages that
     * do not match, so consumers with different selectors need different groups.
     */
    static String queueGroup(Destination destination, @Nullable String selector, RocketMqSettings settings) {
        String group = queueGroup(destination, settings);
        return selector == null || !settings.group.isEmpty() ? group
            : checked(group + "_" + Integer.toHexString(selector.hashCode()));
    }

    /** Returns the group of a named subscription. */
    static String subscriptionGroup(Destination destination, String subscription, @Nullable String clientId,
            RocketMqSettings settings) {
        if (!settings.group.isEmpty()) {
            return legal(settings.group);
        }
        return checked(legal((clientId == null ? "" : clientId + "_") + subscription) + "_" + topic(destination));
    }

    /** Returns the client id for the name of a subscription's group; null unless the subscription is durable and not shared. */
    static @Nullable String owner(ConsumerSettings consumer, @Nullable String clientId) {
        return consumer.durable() && !consumer.shared() ? clientId : null;
    }

    /** @throws IllegalArgumentException with one sentence, if the client id leaves no room for a subscription's name in a group name */
    static void checkClientId(@Nullable String clientId) {
        if (clientId != null && legal(clientId).length() > LONGEST_ID) {
            throw new IllegalArgumentException("RocketMQ cannot carry this client id in the name of a consumer group; it may have "
                + LONGEST_ID + " characters, of which those other than letters, digits and %|-_ count three times.");
        }
    }

    private static String checked(String group) {
        if (group.length() > LONGEST_GROUP) {
            throw new IllegalArgumentException("Consumer group '" + group + "' has " + group.length()
                + " characters; RocketMQ allows " + LONGEST_GROUP + ".");
        }
        return group;
    }

    private static String legal(String name) {
        StringBuilder legal = new StringBuilder(name.length() + 8);
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "%|-_".indexOf(c) >= 0) {
                legal.append(c);
            } else {
                legal.append(String.format(Locale.ROOT, "%%%02X", (int) c));
            }
        }
        return legal.toString();
    }
}
