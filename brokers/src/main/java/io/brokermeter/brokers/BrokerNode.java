package io.brokermeter.brokers;

import java.time.Duration;
import java.util.List;

/** One process of a throwaway broker. All methods may be called from any thread. */
public interface BrokerNode {

    /** The role of the only process of a broker. */
    String BROKER = "broker";

    /** What it is within the topology, for example {@code broker}, {@code backup}, {@code name server}. */
    String role();

    /** The id of the process that does the work. */
    long pid();

    /** Its main port. */
    int port();

    /** False as soon as the process is gone, for whatever reason. */
    boolean isAlive();

    /** The last lines of its log, oldest first; empty when it logged nothing or its directory is gone. */
    List<String> lastLogLines();

    /** Waits until the process is gone, at most for {@code limit}; true when it is. */
    boolean awaitExit(Duration limit) throws InterruptedException;

    /** Kills the process at once, as {@code kill -9} does. Its directory stays until the broker is closed. */
    void kill();

    /**
     * Lets the process end in its own orderly way, and returns when it is gone. Its directory stays until the broker is closed.
     *
     * @param limit how long it may take; it is killed then
     * @return whether it ended by itself
     * @throws BrokerException when this user may not end it
     */
    boolean stop(Duration limit) throws BrokerException;

    /**
     * Stops the process without ending it: connections stay open and nothing answers. {@link #resume()} undoes it, and so does the end of this
     * process, however that comes.
     */
    void freeze();

    /** Lets a frozen process go on. */
    void resume();

    /**
     * Makes the broker in it take its disk for full, by its own limit and without a byte written, or ends that. Returns when it is so.
     *
     * @return false when it stands by for another one and takes no messages yet, and nothing was done
     * @throws BrokerException with one sentence, when that cannot be, as it never can where {@link Broker#requireDiskLimit} refuses
     */
    boolean fill(boolean full) throws BrokerException;
}
