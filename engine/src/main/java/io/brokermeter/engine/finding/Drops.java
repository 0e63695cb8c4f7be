package io.brokermeter.engine.finding;

/**
 * Settings of the run that let a broker drop messages.
 *
 * @param ttlMillis the shortest time to live of the messages, 0 for none
 * @param requeued number of messages that consumers gave back, where a broker delivers a message only so often
 * @param parameters parameters of connections that limit queues, as they were written; empty for none
 */
public record Drops(long ttlMillis, long requeued, String parameters) {

    public static final Drops NONE = new Drops(0, 0, "");
}
