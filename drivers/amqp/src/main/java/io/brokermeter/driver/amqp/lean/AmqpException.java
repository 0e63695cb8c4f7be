package io.brokermeter.driver.amqp.lean;

import java.io.IOException;

import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** The broker refused something; the message holds the broker's own condition and text. */
public final class AmqpException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String condition;

    private AmqpException(String message, String condition) {
        super(message);
        this.condition = condition;
    }

    /**
     * @param what what happened, as the beginning of a sentence
     * @param error what the broker said about it, or null when it said nothing
     */
    static AmqpException of(String what, @Nullable ErrorCondition error) {
        if (error == null || error.getCondition() == null) {
            return new AmqpException(what + ".", "");
        }
        String condition = error.getCondition().toString();
        String text = error.getDescription();
        return new AmqpException(
            what + ": " + (text == null || text.isBlank() ? condition : text + " [" + condition + "]"), condition);
    }

    /** The AMQP error condition, for example {@code amqp:unauthorized-access}; empty when the broker named none. */
    public String condition() {
        return condition;
    }
}
