package io.brokermeter.network;

import java.net.InetSocketAddress;

/**
 * A way to one server that keeps a rule and that can be interrupted. Any thread may call any method; those that change something return
 * when the change took effect.
 */
public interface NetworkPath extends AutoCloseable {

    /** Where clients connect to in place of the server. */
    InetSocketAddress address();

    /**
     * Another rule from now on, for what comes after this.
     *
     * @throws IllegalArgumentException with one sentence, for a rule that this line cannot keep
     */
    void rule(NetworkRule other);

    /** The server is out of reach: all connections are closed, and new ones are reset, until {@link #heal()}. */
    void cut();

    /** All connections break with a reset, and what was on its way is lost; new ones are welcome. */
    void reset();

    /**
     * Nothing passes, and neither side gets an error: connections stay open, new ones are not answered, and bytes wait. When this ends, the bytes go on.
     *
     * @param on whether it holds from now on
     */
    void blackHole(boolean on);

    /** Ends {@link #cut()} and {@link #blackHole(boolean)}. */
    void heal();

    /** How many connections are open through it. */
    int connections();

    /** Ends all connections, and lets in no more. */
    @Override
    void close();
}
