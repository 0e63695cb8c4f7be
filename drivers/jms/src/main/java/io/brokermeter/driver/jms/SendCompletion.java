package io.brokermeter.driver.jms;

import java.util.function.Function;

import jakarta.jms.CompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * Receives the result of one send at a time, and is reused for later sends. A driver whose client has its own type of listener calls
 * {@link #confirmed()} or {@link #failed(Exception)} from a listener that it obtains by {@link #as}, exactly once per send.
 */
public abstract class SendCompletion implements CompletionListener {

    private @Nullable Object form;

    /** Reports that the broker has the message. */
    public abstract void confirmed();

    /** Reports that the send failed: the broker refused the message, or the client gave it up. */
    public abstract void failed(Exception cause);

    /**
     * Returns the listener of the client's type for this completion; creates it at the first call. Called by the sending thread.
     *
     * @param type the class of the listener; the same at every call
     * @param maker creates the listener
     */
    public final <T> T as(Class<T> type, Function<SendCompletion, T> maker) {
        var made = form;
        if (made == null) {
            made = maker.apply(this);
            form = made;
        }
        return type.cast(made);
    }
}
