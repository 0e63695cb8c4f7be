package io.brokermeter.spi;

/** How a consumer acknowledges what it received. */
public enum AckMode {
    /** Each message by itself, when the listener has returned. */
    AUTO,
    /** Every {@link ConsumerSettings#batch()} messages with one acknowledgement; the rest at close. */
    BATCH,
    /** In transactions of {@link ConsumerSettings#batch()} messages; the rest is committed at close. */
    TRANSACTED
}
