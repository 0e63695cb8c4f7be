package io.brokermeter.driver.amqp.direct;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** A refusal by the broker; the exception's message contains the broker's error condition and text. */
public final class AmqpException extends DriverException {

    private static final long serialVersionUID = 1L;

    private AmqpException(String message) {
        super(message, null);
    }

    /**
     * @param what what happened, as the beginning of a sentence
     * @param error the broker's error, or null if it sent none
     */
    static AmqpException of(String what, @Nullable ErrorCondition error) {
        if (error == null || error.getCondition() == null) {
            return new AmqpException(what + ".");
        }
        String condition = error.getCondition().toString();
        String text = error.getDescription();
        return new AmqpException(what + ": " + (text == null || text.isBlank() ? condition : text + " [" + condition + "]"));
    }

    /** Returns whether this state ends a delivery without accepting it. */
    static boolean isTerminal(@Nullable DeliveryState state) {
        return state instanceof Rejected || state instanceof Released || state instanceof Modified;
    }

    /** Returns why a message that the broker settled in this state was not accepted. */
    static AmqpException refusal(@Nullable DeliveryState state, Destination destination) {
        String where = " a message on " + destination;
        return switch (state) {
            case Rejected rejected -> of("The broker rejected" + where, rejected.getError());
            case Released released -> of("The broker released" + where + " without taking it", null);
            case Modified modified -> of("The broker gave back" + where + " as modified"
                + (Boolean.TRUE.equals(modified.getUndeliverableHere()) ? ", undeliverable here" : ""), null);
            case null, default -> of("The broker settled" + where + " without accepting it", null);
        };
    }
}
