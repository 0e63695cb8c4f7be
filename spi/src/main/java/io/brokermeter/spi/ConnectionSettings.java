package io.brokermeter.spi;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How to reach a broker.
 *
 * @param url the broker URL as the user gave it, in any of the forms the protocol's own client understands
 * @param user user name, or null for none
 * @param password password, or null for none
 * @param clientId client id that the connection must carry, or null for none
 * @param connectTimeout the longest that {@link Driver#connect} may take
 */
public record ConnectionSettings(
        String url, @Nullable String user, @Nullable Secret password, @Nullable String clientId, Duration connectTimeout) {

    public ConnectionSettings withClientId(@Nullable String id) {
        return new ConnectionSettings(url, user, password, id, connectTimeout);
    }

    public ConnectionSettings withUrl(String other) {
        return new ConnectionSettings(other, user, password, clientId, connectTimeout);
    }
}
