package io.brokermeter.engine.health;

import java.util.List;

import io.brokermeter.engine.finding.Finding;

/** A verdict on whether the behaviour of the generator itself allows its figures to be trusted. */
public sealed interface GeneratorVerdict {

    /** Nothing in the generator disturbed the measurement. */
    record Sound() implements GeneratorVerdict {}

    /** The generator was, or may have been, the limit. */
    record Doubtful(List<Finding.Doubt> doubts) implements GeneratorVerdict {
        public Doubtful {
            doubts = List.copyOf(doubts);
        }
    }

    /** Returns why the figures may be those of the generator; empty for a sound run. */
    default List<Finding.Doubt> reasons() {
        return this instanceof Doubtful(var doubts) ? doubts : List.of();
    }
}
