package io.brokermeter.network;

import java.net.InetSocketAddress;

/**
 * A network path to one server that follows a rule and that can be interrupted. Any thread may call any method; a method that changes
 * something returns when the change took effect.
 */
public interface NetworkPath extends AutoCloseable {

    /** Returns the address that clients connect to in place of the server. */
    InetSocketAddress address();

    /**
     * Sets the rule for everything that is sent from now on.
     *
     * @throws IllegalArgumentException with one sentence, for a rule that this path cannot follow
     */
    void rule(NetworkRule other);

    /** Makes the server unreachable: closes all connections, and resets new ones until {@link #heal()}. */
    void cut();

    /** Breaks all connections with a reset, so that bytes on their way are lost; new connections are accepted. */
    void reset();

    /**
     * Stops or resumes all traffic without an error for either side: connections stay open, new ones are not answered, and bytes wait until
     * the traffic is resumed.
     *
     * @param on true to stop the traffic, false to resume it
     */
    void blackHole(boolean on);

    /** Ends {@link #cut()} and {@link #blackHole(boolean)}. */
    void heal();

    /** Returns the number of open connections through this path. */
    int connections();

    /** Closes all connections, and accepts no more. */
    @Override
    void close();
}
