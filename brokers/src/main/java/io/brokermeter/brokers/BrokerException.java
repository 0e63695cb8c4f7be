package io.brokermeter.brokers;

/** A broker that does not start. The message is one sentence for the user, with the broker's own cause. */
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

    /** Of a broker that refuses a property that it was given. */
    static BrokerException refused(String message) {
        return new BrokerException(message, true);
    }

    /** Whether the broker refuses a property that it was given, which only the user can change. */
    public boolean isRefusal() {
        return refusal;
    }
}
