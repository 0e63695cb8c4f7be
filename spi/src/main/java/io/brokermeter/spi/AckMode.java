package io.brokermeter.spi;

/** The way in which a consumer acknowledges the messages that it accepted. */
public enum AckMode {
    /** Acknowledges each message by itself, when the listener has returned. */
    AUTO,
    /** Acknowledges {@link ConsumerSettings#batch()} messages with one acknowledgement; the rest at close. */
    BATCH,
    /** Receives in transactions of {@link ConsumerSettings#batch()} messages; the last one is committed at close. */
    TRANSACTED
}
