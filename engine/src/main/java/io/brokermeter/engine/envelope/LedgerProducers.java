package io.brokermeter.engine.envelope;

import java.util.HashMap;
import java.util.Map;

/** Whose messages a ledger is about: the run, its producers by number, and which of them send to a destination. Nothing of it changes. */
final class LedgerProducers {

    private final long run;
    private final boolean ofAnyRun;
    /** By number of the producer. */
    private final int[] destinations;
    /** The number of each producer among those of its destination. */
    private final int[] indices;
    private final Map<Integer, Integer> counts = new HashMap<>();

    /**
     * @param ofAnyRun whether messages of other runs count as well
     * @param destinations of each producer the number of its destination
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

    /** Whether a message of this run, from a producer with this number, belongs to the ledger. */
    boolean isOurs(long messageRun, int producer) {
        return messageRun == run && producer < destinations.length;
    }

    /** How many producers the run has. */
    int count() {
        return destinations.length;
    }

    /** How many producers a destination has. */
    int countOf(int destination) {
        return counts.getOrDefault(destination, 0);
    }

    /** The number of the destination that a producer of the run sends to. */
    int destination(int producer) {
        return destinations[producer];
    }

    boolean sendsTo(int producer, int destination) {
        return producer >= 0 && producer < destinations.length && destinations[producer] == destination;
    }

    /** The number of a producer among those of its destination. */
    int index(int producer) {
        return indices[producer];
    }
}
