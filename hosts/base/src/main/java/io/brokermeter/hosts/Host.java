package io.brokermeter.hosts;

import java.util.Map;

/** One broker inside this process; what a host program supplies to {@link HostProgram}. */
public interface Host {

    /** The whole message of {@link #fill} of a broker that stands by for another one. */
    String STANDS_BY = "It stands by, and takes no messages yet.";

    /**
     * Starts the broker. It accepts connections when this returns.
     *
     * @param arguments what the parent asks for
     * @param data the broker's directory, which exists
     * @param secrets the passwords by the names of {@link HostArguments#secrets()}
     * @throws Exception when it does not start; threads of the broker may still run then
     */
    Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception;

    /** Ends the broker as it should end when its files are to be used again. Called after a successful start only. */
    void stop() throws Exception;

    /**
     * Makes the broker take its disk for full, by its own limit and without a byte written, or ends that; it is so when this returns. Called
     * after a successful start only, by one thread at a time.
     *
     * @throws Exception whose message says in one sentence why that cannot be; {@link #STANDS_BY} where there is nothing to fill yet
     */
    default void fill(boolean full) throws Exception {
        throw new UnsupportedOperationException("It has no limit of its disk.");
    }
}
