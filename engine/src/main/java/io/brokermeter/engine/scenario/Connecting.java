package io.brokermeter.engine.scenario;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How the connections of a run are made.
 *
 * @param rate rate at which all connections together are begun; null to make one after the other, each as soon as that before it is there
 * @param sources addresses of this machine, in numbers, from which connections go out in turn; empty for that which the system chooses
 */
public record Connecting(@Nullable Rate rate, List<String> sources) {

    /** One connection after the other, from the address that the system chooses. */
    public static final Connecting PLAIN = new Connecting(null, List.of());

    public Connecting {
        sources = List.copyOf(sources);
    }

    /** Returns these connections at another rate. */
    public Connecting at(Rate other) {
        return new Connecting(other, sources);
    }

    /** Returns these connections from other addresses. */
    public Connecting from(List<String> others) {
        return new Connecting(rate, others);
    }

    /** Returns the address from which a connection of the run goes out, by its number among all; null for that which the system chooses. */
    public @Nullable String source(int connection) {
        return sources.isEmpty() ? null : sources.get(connection % sources.size());
    }
}
