package io.brokermeter.driver.jms;

import java.util.function.Function;

import jakarta.jms.CompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * Is notified how one send at a time ended, and is used again for later ones. A client with a listener of its own kind
 * calls {@link #confirmed()} or {@link #failed(Exception)} through one that it keeps here; it must do so once for a send.
 */
public abstract class SendCompletion implements CompletionListener {

    private @Nullable Object form;

    /** The broker has the message. */
    public abstract void confirmed();

    /** The broker refused the message, or the client gave it up. */
    public abstract void failed(Exception cause);

    /**
     * This completion in a form that the client takes, made when it is first asked for. Called by the sending thread.
     *
     * @param maker makes it; the same class at every call
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
