package io.brokermeter.spi;

/** What becomes of a delivered message. */
public enum Settlement {
    /** It is acknowledged, in the way of the consumer's {@link AckMode}. */
    ACCEPT,
    /** The broker takes it back and delivers it again, to whichever consumer. */
    REQUEUE,
    /** It is given up: the broker discards it, or puts it where it keeps dead letters. */
    REJECT
}
