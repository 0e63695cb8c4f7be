package io.brokermeter.brokers;

import java.util.Optional;

/**
 * The broker that the user requests: {@code name} or {@code name:version}.
 *
 * @param name the kind, such as {@code artemis}
 * @param version the version; empty for the default one of the kind
 */
public record BrokerName(String name, Optional<String> version) {

    /**
     * Parses the name of a broker.
     *
     * @throws IllegalArgumentException with one sentence for the user, when name or version is empty
     */
    public static BrokerName parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String version = colon < 0 ? null : text.substring(colon + 1);
        if (name.isBlank() || (version != null && version.isBlank())) {
            throw new IllegalArgumentException("Broker '" + text + "' must be a name or name:version, as in artemis.");
        }
        return new BrokerName(name, Optional.ofNullable(version));
    }

    @Override
    public String toString() {
        return version.map(v -> name + ":" + v).orElse(name);
    }
}
