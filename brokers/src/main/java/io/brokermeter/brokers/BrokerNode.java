package io.brokermeter.brokers;

import java.time.Duration;
import java.util.List;

/** One process of a throwaway broker. All methods may be called from any thread. */
public interface BrokerNode {

    /** The role of the only process of a broker. */
    String BROKER = "broker";

    /** Returns the role in the topology, for example {@code broker}, {@code backup}, {@code name server}. */
    String role();

    /** Returns the id of the process that runs the broker. */
    long pid();

    /** Returns the main port. */
    int port();

    /** Returns whether the process is alive; false as soon as it is gone, for whatever reason. */
    boolean isAlive();

    /** Returns the last lines of the log, oldest first; an empty list when nothing was logged or the directory is gone. */
    List<String> lastLogLines();

    /** Waits until the process is gone, at most for {@code limit}, and returns whether it is. */
    boolean awaitExit(Duration limit) throws InterruptedException;

    /** Kills the process at once, as {@code kill -9} does. Its directory stays until the broker is closed. */
    void kill();

    /**
     * Asks the process to end in its own orderly way, and returns when it is gone. Its directory stays until the broker is closed.
     *
     * @param limit longest wait, after which the process is killed
     * @return whether the process ended by itself
     * @throws BrokerException when this user may not end the process
     */
    boolean stop(Duration limit) throws BrokerException;

    /**
     * Suspends the process without ending it: connections stay open and nothing answers. {@link #resume()} undoes this, and so does the end
     * of this JVM, however it ends.
     */
    void freeze();

    /** Resumes a frozen process. */
    void resume();

    /**
     * Makes the broker in the process treat its disk as full, by its own limit and without writing anything, or ends that state. Returns
     * when the change has taken effect.
     *
     * @return false when the broker stands by for another one and takes no messages yet, so that nothing was done
     * @throws BrokerException with one sentence, when that is not possible, as always where {@link Broker#requireDiskLimit} refuses
     */
    boolean fill(boolean full) throws BrokerException;
}
