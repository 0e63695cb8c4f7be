package io.brokermeter.spi;

/**
 * What a protocol can do beyond sending a message to a queue and receiving it. The plan refuses a scenario that needs
 * a capability its driver lacks, before anything connects; {@link #option()} is the option the refusal names.
 */
public enum Capability {
    TOPICS("topic://"),
    DURABLE_SUBSCRIPTIONS("--durable"),
    SHARED_SUBSCRIPTIONS("--shared"),
    TRANSACTED_SEND("--commit-interval"),
    TRANSACTED_RECEIVE("--tx"),
    PERSISTENCE("--persistent"),
    TIME_TO_LIVE("--ttl"),
    MESSAGE_GROUPS("--group"),
    MESSAGE_IDS("--enable-msg-id"),
    TIMESTAMPS("--enable-timestamp"),
    PREFETCH("--prefetch"),
    /** Messages carry properties of the user's choice. */
    HEADERS("--header"),
    /** The broker delivers only messages that meet a condition. */
    SELECTORS("--selector"),
    /** Messages of one producer may differ in group, priority and headers. */
    VARIANTS("--keys"),
    PRIORITY("--priority"),
    /** The broker keeps a message back for a time before it delivers it. */
    DELAYED_DELIVERY("--delivery-delay"),
    /** A message carries the envelope as a property, so that its body can be anything. */
    ENVELOPE_PROPERTY("--body"),
    /** A transaction of a producer can be rolled back. */
    ROLLBACK("--rollback"),
    /** A consumer can give a message back, to be delivered again. */
    REQUEUE("--requeue"),
    /** A consumer can refuse a message for good. */
    REJECT("--reject"),
    /** A consumer can ask for messages instead of having them pushed. */
    POLLING("--polling"),
    BATCH_ACKNOWLEDGEMENT("--multi-ack-every"),
    /** The sending side is told when the broker has a message; without it a send counts as confirmed when it returns. */
    CONFIRMATIONS("--max-pending"),
    /** {@link Connection#depth} answers. */
    DEPTH("depth"),
    /** The client reconnects by itself when the URL asks for it. */
    RECONNECT("reconnect");

    private final String option;

    Capability(String option) {
        this.option = option;
    }

    /** The command-line option or URL prefix that asks for this capability, as the user types it. */
    public String option() {
        return option;
    }
}
