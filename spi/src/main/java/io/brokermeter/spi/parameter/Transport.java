package io.brokermeter.spi.parameter;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.Refusal;

/** What a user wants to carry a connection, for drivers that can do it over a path of brokermeter's own and over a client library. */
public enum Transport {

    /** The own path where it has what is asked for, and the client library otherwise. */
    ANY,
    /** The own path, or nothing. */
    OWN,
    /** The client library. */
    CLIENT;

    /** The name of the parameter. */
    public static final String PARAMETER = "transport";

    /**
     * Returns the parameter.
     *
     * @param description its effect, one sentence
     */
    public static Parameter parameter(String description) {
        return new Parameter(PARAMETER, "own|client", "own", description);
    }

    /**
     * Reads a value; {@code lean} and {@code codec} are former names of {@code own}, {@code jms} is one of {@code client}.
     *
     * @param name name of the parameter, for the sentence
     * @throws IllegalArgumentException with one sentence for the user, if there is no such transport
     */
    public static Transport of(String name, String value) {
        return switch (value) {
            case "own", "lean", "codec" -> OWN;
            case "client", "jms" -> CLIENT;
            default -> throw new IllegalArgumentException(name + "=" + value + " must be own or client.");
        };
    }

    /** Returns the transport that parameters ask for; throws as {@link #of(String, String)}. */
    public static Transport of(Parameters given) {
        return given.has(PARAMETER) ? of(PARAMETER, given.text(PARAMETER).orElse("")) : ANY;
    }

    /**
     * Checks that the own path has what is asked for, if the user wants it by name.
     *
     * @param protocol name of the protocol
     * @param obstacle what the own path has not, in a few words; empty for nothing
     * @throws IllegalArgumentException with one sentence for the user
     */
    public void check(String protocol, String obstacle) {
        if (this == OWN && !obstacle.isEmpty()) {
            throw new IllegalArgumentException("transport=own does not go together with " + obstacle + ", which brokermeter's own "
                + protocol + " path has not; leave transport=own out.");
        }
    }

    /**
     * Returns whether the own path is used.
     *
     * @param obstacle what it has not, in a few words; empty for nothing
     */
    public boolean isOwn(String obstacle) {
        return this != CLIENT && obstacle.isEmpty();
    }

    /**
     * Returns whether the own path is used. Where it is not, although the user did not ask for the client library, the listener is told why.
     *
     * @param what what goes over it, as a sentence begins ("CORE goes")
     * @param library name and version of the client library
     * @param obstacle what the own path has not, in a few words; empty for nothing
     */
    public boolean isOwn(String what, String library, String obstacle, ConnectionListener listener) {
        if (this != CLIENT && !obstacle.isEmpty()) {
            tell(what, library, obstacle, listener);
        }
        return isOwn(obstacle);
    }

    /** Tells the listener that something goes over the client library, and why; parameters as in {@link #isOwn(String, String, String, ConnectionListener)}. */
    public static void tell(String what, String library, String obstacle, ConnectionListener listener) {
        listener.notice(what + " over " + library + " because of " + obstacle + ", which brokermeter's own path has not.");
    }

    /**
     * Refuses an address to connect from for what goes over the client library in any case.
     *
     * @param what what goes over it, as a sentence begins ("Transactions")
     * @param library name of the client library, or name and version
     * @throws Refusal if there is such an address
     */
    public static void refuseSource(ConnectionSettings settings, String what, String library) {
        if (settings.source() != null) {
            throw new Refusal("%s go over %s, which connects from the address that the system chooses; leave %s out.", what, library,
                Setting.SOURCE_ADDRESSES);
        }
    }

    /**
     * Leaves a connection to the client library since the broker does not suit the own path, and tells the listener why.
     *
     * @param what what goes over it, as a sentence begins ("CORE goes")
     * @param library name and version of the client library
     * @throws E {@code why}, if the user wants the own path by name
     */
    public <E extends Exception> void leave(String what, String library, E why, ConnectionListener listener) throws E {
        if (this == OWN) {
            throw why;
        }
        listener.notice(what + " over " + library + ": " + why.getMessage());
    }
}
