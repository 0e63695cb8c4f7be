package io.brokermeter.brokers;

/** Thrown when a broker does not start. The message is one sentence for the user, with the cause that the broker reports. */
public final class BrokerException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean refusal;

    public BrokerException(String message) {
        super(message);
        refusal = false;
    }

    public BrokerException(String message, Throwable cause) {
        super(message, cause);
        refusal = false;
    }

    private BrokerException(String message, boolean refusal) {
        super(message);
        this.refusal = refusal;
    }

    /** Creates an exception for a broker that refuses one of its properties. */
    public static BrokerException refused(String message) {
        return new BrokerException(message, true);
    }

    /** Returns whether the broker refuses one of its properties, which only the user can change. */
    public boolean isRefusal() {
        return refusal;
    }
}
