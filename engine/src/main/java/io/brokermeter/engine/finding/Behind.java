package io.brokermeter.engine.finding;

/** Who was slower than the sends of a run. */
public enum Behind {
    /** The broker confirmed fewer messages than were sent. */
    BROKER,
    /** Consumers were told to take longer for messages than the load leaves them. */
    BUSY_CONSUMERS,
    /** Fewer messages were delivered than were due, by the broker's or the consumers' doing. */
    DELIVERIES
}
