package io.brokermeter.hosts;

import java.util.Map;

/** One broker inside this process, which a host program supplies to {@link HostProgram}. */
public interface EmbeddedBroker {

    /** The complete message of {@link #fill}'s exception for a broker that stands by for another one. */
    String STANDS_BY = "It stands by, and takes no messages yet.";

    /**
     * Starts the broker. It accepts connections when this returns.
     *
     * @param arguments what the parent asks for
     * @param data the broker's directory, which exists
     * @param secrets the passwords by the names of {@link HostArguments#secrets()}
     * @throws Exception if the broker does not start; threads of the broker may still run then
     */
    Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception;

    /** Stops the broker in an orderly way, so that its files can be used again. Called after a successful start only. */
    void stop() throws Exception;

    /**
     * Makes the broker treat its disk as full, by its own limit and without writing a byte, or ends that; the change is in effect when
     * this returns. Called after a successful start only, by one thread at a time.
     *
     * @throws Exception whose message says in one sentence why that is not possible; {@link #STANDS_BY} while the broker stores nothing
     *     yet
     */
    default void fill(boolean full) throws Exception {
        throw new UnsupportedOperationException("It has no limit of its disk.");
    }
}
