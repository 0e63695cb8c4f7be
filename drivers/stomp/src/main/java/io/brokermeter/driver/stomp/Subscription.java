package io.brokermeter.driver.stomp;

import java.util.Optional;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/** The subscription of a consumer: its names, and the frames that begin and end it. */
final class Subscription {

    /** The prefetch unless one is given or messages are large, in messages. */
    private static final int PREFETCH = 1000;

    private final StompConnection connection;
    private final String name;
    private final Destination destination;
    private final ConsumerSettings settings;
    private final StompSettings.Ack ack;

    /** @param name the header {@code id} */
    Subscription(StompConnection connection, String name, Destination destination, ConsumerSettings settings, StompSettings.Ack ack) {
        this.connection = connection;
        this.name = name;
        this.destination = destination;
        this.settings = settings;
        this.ack = ack;
    }

    String name() {
        return name;
    }

    /** Returns the frame that begins the subscription. */
    Frame beginning() {
        Frame frame = connection.frame("SUBSCRIBE", destination, true).with("id", name).with("ack", ack.word());
        String subscription = settings.subscription();
        if (subscription != null && destination.isTopic()) {
            connection.named.name(frame, subscriptionName(subscription), settings.durable());
        }
        String selector = settings.selector();
        if (selector != null) {
            frame.with("selector", selector);
        }
        if (ack != StompSettings.Ack.AUTO) {
            StompSettings stomp = connection.stomp;
            // with fewer the broker would wait for the acknowledgement of a batch that never gets full
            int many = stomp.prefetch() > 0 ? stomp.prefetch() : settings.fit(PREFETCH);
            int usual = settings.ackMode() == AckMode.AUTO ? many : Math.max(many, settings.batch());
            connection.dialect.prefetch(settings.prefetch(), usual, stomp.windowBytes()).forEach(frame::with);
        }
        return frame;
    }

    /**
     * Returns the name of a subscription. Artemis has no shared subscription that ends with its last consumer, so such a subscription gets
     * another name, and is removed explicitly.
     */
    private String subscriptionName(String subscription) {
        return endsWithItsConsumers() ? "volatile." + subscription : subscription;
    }

    private boolean endsWithItsConsumers() {
        return settings.shared() && !settings.durable() && connection.dialect.subscriptionsBelongToClient();
    }

    /**
     * Appends the end of the subscription.
     *
     * @param before whole frames that precede it
     * @param behind a frame that follows it immediately; null for none
     * @return the last request, whose answer comes last; empty if the connection is gone
     */
    Optional<AwaitedReceipt> end(AckFrames before, @Nullable Frame behind) {
        return connection.unsubscribe(before, connection.frame("UNSUBSCRIBE").with("id", name), behind,
            "The broker did not end the subscription to " + destination);
    }

    /** Removes a subscription that the broker would keep, if no other consumer uses it. */
    void remove() {
        String subscription = settings.subscription();
        if (subscription != null && destination.isTopic() && endsWithItsConsumers()) {
            connection.named.removeUnused(destination, subscriptionName(subscription));
        }
    }
}
