package io.brokermeter.driver.amqp091.model;

import io.brokermeter.driver.wire.TokenWindow;

/** The numbers by which a broker confirms the sends of a window: 1 for the first message after a channel began to confirm. */
public final class PublisherConfirms {

    private final TokenWindow window;
    /** The send that the broker counts as its first. */
    private volatile long base;

    public PublisherConfirms(TokenWindow window) {
        this.window = window;
    }

    /** The broker has a message, or all up to it; with the number 0 all of them. */
    public void confirm(long sequence, boolean multiple) {
        if (multiple) {
            window.confirmUpTo(last(sequence));
        } else {
            window.confirm(base + sequence - 1);
        }
    }

    /** The broker refused a message, or all up to it that are not reported. */
    public void refuse(long sequence, boolean multiple, Throwable cause) {
        window.refuse(multiple ? 0 : base + sequence - 1, last(sequence), cause);
    }

    private long last(long sequence) {
        return sequence == 0 ? Long.MAX_VALUE : base + sequence - 1;
    }

    /** The broker's number of the next send. */
    public long next() {
        return window.sent() - base + 1;
    }

    /** A new channel takes over, which counts from 1: nobody knows the fate of what the old one left unconfirmed. */
    public void restart(Throwable cause) {
        window.giveUpAll(cause);
        base = window.sent();
    }
}
