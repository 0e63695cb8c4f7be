package io.brokermeter.brokers;

import java.time.Duration;
import java.util.List;

/** A running throwaway broker. All methods may be called from any thread. */
public interface Broker extends AutoCloseable {

    /** Starts a broker with default options. See {@link #start(BrokerName, BrokerOptions)}. */
    static Broker start(BrokerName name) throws BrokerException {
        return start(name, BrokerOptions.defaults());
    }

    /**
     * Starts a broker and returns when it accepts connections.
     *
     * @throws BrokerException          when it does not start within the limit of the options; nothing is left behind
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker or version
     */
    static Broker start(BrokerName name, BrokerOptions options) throws BrokerException {
        return BrokerKind.of(name).start(options);
    }

    /** Which broker it is, with the version that really runs. */
    BrokerName name();

    /** Where it accepts connections of every protocol, {@code tcp://127.0.0.1:<port>}. */
    String url();

    /** The port it accepts connections on. */
    int port();

    /** The id of its process. */
    long pid();

    /** False as soon as the process is gone, for whatever reason. */
    boolean isAlive();

    /** The last lines of its log, oldest first; empty when it logged nothing or its directory is gone. */
    List<String> lastLogLines();

    /** Waits until the process is gone, at most for {@code limit}; true when it is. */
    boolean awaitExit(Duration limit) throws InterruptedException;

    /** Kills the process at once, as {@code kill -9} does. The directory stays until {@link #close()}. */
    void kill();

    /** Stops the process without ending it: connections stay open and nothing answers. {@link #resume()} undoes it. */
    void freeze();

    /** Lets a frozen process go on. */
    void resume();

    /** Ends the process and deletes its directory, unless that existed before. Returns when both are gone; idempotent. */
    @Override
    void close();
}
