package io.brokermeter.trials.agents;

/**
 * The address of the coordinator's clock, for agents.
 *
 * @param host the address of the coordinator
 * @param port the port, of UDP and TCP
 * @param key the secret of the session
 */
public record ClockAccess(String host, int port, byte[] key) {

    /** Returns the address without the secret. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
