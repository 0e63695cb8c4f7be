package io.brokermeter.spi;

/** What becomes of a delivered message. */
public enum Settlement {
    /** It is acknowledged, in the way of the consumer's {@link AckMode}. */
    ACCEPT,
    /** The broker takes it back and delivers it again, to whichever consumer. */
    REQUEUE,
    /** It is given up: the broker discards it, or puts it where it keeps dead letters. */
    REJECT,
    /**
     * The listener does not take it, and will not take any that follow: the consumer is about to be closed. The driver
     * acknowledges neither this message nor any after it, and closing gives the broker back what was delivered since the last
     * accepted message: what was accepted before is acknowledged exactly, also within a batch or transaction. The listener may
     * be called again until the consumer is closed, and answers the same. Any consumer may be answered so, whatever {@link
     * ConsumerSettings#settles()} says. Where the broker gave the message up as it was delivered, there is nothing to give back.
     */
    LEAVE
}
