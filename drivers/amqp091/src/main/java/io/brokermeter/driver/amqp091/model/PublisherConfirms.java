package io.brokermeter.driver.amqp091.model;

import io.brokermeter.driver.wire.TokenWindow;

/** Maps the broker's confirmation numbers to the sends of a window: number 1 is the first message after a channel started to confirm. */
public final class PublisherConfirms {

    private final TokenWindow window;
    /** The number of the send that the broker counts as its first. */
    private volatile long base;

    public PublisherConfirms(TokenWindow window) {
        this.window = window;
    }

    /** Confirms a message, or all messages up to it; with the number 0 all of them. */
    public void confirm(long sequence, boolean multiple) {
        if (multiple) {
            window.confirmUpTo(last(sequence));
        } else {
            window.confirm(base + sequence - 1);
        }
    }

    /** Reports a message, or all unreported messages up to it, as refused by the broker. */
    public void refuse(long sequence, boolean multiple, Throwable cause) {
        window.refuse(multiple ? 0 : base + sequence - 1, last(sequence), cause);
    }

    private long last(long sequence) {
        return sequence == 0 ? Long.MAX_VALUE : base + sequence - 1;
    }

    /** Returns the broker's number of the next send. */
    public long next() {
        return window.sent() - base + 1;
    }

    /** Starts to count from 1 again for a new channel. The fate of the old channel's unconfirmed messages stays unknown. */
    public void restart(Throwable cause) {
        window.giveUpAll(cause);
        base = window.sent();
    }
}
