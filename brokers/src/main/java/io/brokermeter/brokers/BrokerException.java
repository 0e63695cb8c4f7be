package io.brokermeter.brokers;

/** A broker that does not start. The message is one sentence for the user, with the broker's own cause. */
public final class BrokerException extends Exception {

    private static final long serialVersionUID = 1L;

    public BrokerException(String message) {
        super(message);
    }

    public BrokerException(String message, Throwable cause) {
        super(message, cause);
    }
}
