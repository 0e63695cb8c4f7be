package io.brokermeter.spi;

import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A feature of a protocol beyond sending a message to a queue and receiving it. The plan refuses a scenario that needs
 * a capability its driver lacks, before anything connects; the refusal names the {@link #setting()}.
 */
public enum Capability {
    TOPICS(null),
    DURABLE_SUBSCRIPTIONS(Setting.DURABLE),
    SHARED_SUBSCRIPTIONS(Setting.SHARED),
    TRANSACTED_SEND(Setting.COMMIT_INTERVAL),
    TRANSACTED_RECEIVE(Setting.CONSUMER_ACK_MODE),
    PERSISTENCE(Setting.MESSAGE_PERSISTENT),
    TIME_TO_LIVE(Setting.MESSAGE_TTL),
    MESSAGE_GROUPS(Setting.MESSAGE_KEYS),
    MESSAGE_IDS(Setting.MESSAGE_IDS),
    TIMESTAMPS(Setting.MESSAGE_TIMESTAMPS),
    PREFETCH(Setting.PREFETCH),
    /** Messages carry properties of the user's choice. */
    HEADERS(Setting.MESSAGE_HEADERS),
    /** The broker delivers only messages that meet a condition. */
    SELECTORS(Setting.SELECTOR),
    /** Messages of one producer may differ in group, priority and headers. */
    VARIANTS(Setting.MESSAGE_KEYS),
    PRIORITY(Setting.MESSAGE_PRIORITY),
    /** The broker keeps a message back for a time before it delivers it. */
    DELAYED_DELIVERY(Setting.MESSAGE_DELIVERY_DELAY),
    /** A message carries the envelope as a property, so that its body can be anything. */
    ENVELOPE_PROPERTY(Setting.MESSAGE_BODY),
    /** A transaction of a producer can be rolled back. */
    ROLLBACK(Setting.ROLLBACK),
    /** A consumer can give a message back, to be delivered again. */
    REQUEUE(Setting.REQUEUE),
    /** A consumer can refuse a message for good. */
    REJECT(Setting.REJECT),
    /** A consumer can ask for messages instead of having them pushed. */
    POLLING(Setting.POLLING),
    BATCH_ACKNOWLEDGEMENT(Setting.CONSUMER_BATCH),
    /** The broker confirms messages; without it a send counts as confirmed when it returns. */
    CONFIRMATIONS(Setting.MAX_PENDING),
    /** {@link Connection#depth} reports the depth of a queue. */
    DEPTH(null),
    /** The client reconnects by itself when the URL asks for it. */
    RECONNECT(null);

    private final @Nullable Setting setting;

    Capability(@Nullable Setting setting) {
        this.setting = setting;
    }

    /** Returns the setting that requires this capability; null where no single setting does. */
    public @Nullable Setting setting() {
        return setting;
    }
}
