package io.brokermeter.engine.envelope;

import java.util.HashMap;
import java.util.Map;

/** The producers that a ledger accounts for: their run, their numbers, and which of them send to a destination. Immutable. */
final class LedgerProducers {

    private final long run;
    private final boolean ofAnyRun;
    /** The number of the destination, by number of the producer. */
    private final int[] destinations;
    /** The index of each producer among those of its destination. */
    private final int[] indices;
    private final Map<Integer, Integer> counts = new HashMap<>();

    /**
     * @param ofAnyRun whether messages of other runs count as well
     * @param destinations number of the destination of each producer
     */
    LedgerProducers(long run, boolean ofAnyRun, int... destinations) {
        this.run = run;
        this.ofAnyRun = ofAnyRun;
        this.destinations = destinations;
        this.indices = new int[destinations.length];
        for (int producer = 0; producer < destinations.length; producer++) {
            indices[producer] = counts.merge(destinations[producer], 1, Integer::sum) - 1;
        }
    }

    boolean ofAnyRun() {
        return ofAnyRun;
    }

    /** Returns whether a message of {@code messageRun}, from the producer with this number, belongs to the ledger. */
    boolean isOurs(long messageRun, int producer) {
        return messageRun == run && producer < destinations.length;
    }

    /** Returns the number of producers in the run. */
    int count() {
        return destinations.length;
    }

    /** Returns the number of producers that send to a destination. */
    int countOf(int destination) {
        return counts.getOrDefault(destination, 0);
    }

    /** Returns the number of the destination that a producer of the run sends to. */
    int destination(int producer) {
        return destinations[producer];
    }

    boolean sendsTo(int producer, int destination) {
        return producer >= 0 && producer < destinations.length && destinations[producer] == destination;
    }

    /** Returns the index of a producer among those of its destination. */
    int index(int producer) {
        return indices[producer];
    }
}
