package io.brokermeter.trials.worker;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The endpoint of a group, in the form in which another process receives it.
 *
 * @param user name of the user, null for none
 * @param password password of the user, null for none
 * @param properties parameters of driver and client, secret ones among them
 */
public record EndpointSpec(String protocol, String url, @Nullable String user, @Nullable String password, Map<String, String> properties) {

    public EndpointSpec {
        properties = Map.copyOf(properties);
    }

    /** Returns the protocol only, which is no secret. */
    @Override
    public String toString() {
        return protocol;
    }
}
