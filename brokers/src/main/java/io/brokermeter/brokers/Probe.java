package io.brokermeter.brokers;

import java.io.IOException;

/** Tells whether a broker that was just started serves its clients. */
@FunctionalInterface
interface Probe {

    /**
     * Asks once; the caller repeats it until it succeeds. Returns within about a second.
     *
     * @throws IOException when nothing listens, which means the same as {@code false}
     */
    boolean succeeds() throws IOException;

    /** Succeeds when both do. */
    default Probe and(Probe other) {
        return () -> succeeds() && other.succeeds();
    }
}
