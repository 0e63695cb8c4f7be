package io.brokermeter.trials.agents;

/**
 * Where agents find the coordinator's clock.
 *
 * @param host its address
 * @param port of UDP and TCP
 * @param key secret of this session
 */
public record ClockAccess(String host, int port, byte[] key) {

    /** Without the secret. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
