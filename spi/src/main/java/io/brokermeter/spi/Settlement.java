package io.brokermeter.spi;

/** A listener's answer to a delivered message, which says how the driver settles it. */
public enum Settlement {
    /** The message is acknowledged, in the way of the consumer's {@link AckMode}. */
    ACCEPT,
    /** The broker takes the message back and delivers it again, to any consumer. */
    REQUEUE,
    /** The message is refused for good: the broker discards it, or moves it to its dead letters. */
    REJECT,
    /**
     * The listener takes neither this message nor any that follow, since the consumer is about to be closed. The driver acknowledges
     * neither this message nor any after it, and closing the consumer gives the messages delivered since the last accepted one back to
     * the broker: exactly the messages accepted before are acknowledged, also within a batch or transaction. The listener may be called
     * again until the consumer is closed, and answers the same. The listener of any consumer may answer so, whatever {@link
     * ConsumerSettings#settles()} is. Where the broker removed the message when it delivered it, nothing is given back.
     */
    LEAVE
}
