package io.brokermeter.trials.agents;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How a group reaches its broker, as another process gets it.
 *
 * @param user null for none
 * @param password null for none
 * @param properties parameters of driver and client, secret ones among them
 */
public record SentEndpoint(String protocol, String url, @Nullable String user, @Nullable String password, Map<String, String> properties) {

    public SentEndpoint {
        properties = Map.copyOf(properties);
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return protocol;
    }
}
