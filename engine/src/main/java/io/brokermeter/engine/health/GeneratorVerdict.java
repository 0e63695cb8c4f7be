package io.brokermeter.engine.health;

import java.util.List;

import io.brokermeter.engine.finding.Finding;

/** Whether the generator's own behaviour leaves the numbers worth believing. */
public sealed interface GeneratorVerdict {

    /** Nothing in the generator disturbed the measurement. */
    record Sound() implements GeneratorVerdict {}

    /** The generator was, or may have been, the limit. */
    record Doubtful(List<Finding.Doubt> doubts) implements GeneratorVerdict {
        public Doubtful {
            doubts = List.copyOf(doubts);
        }
    }

    /** Why the figures may be the generator's; empty for a sound run. */
    default List<Finding.Doubt> reasons() {
        return this instanceof Doubtful(var doubts) ? doubts : List.of();
    }
}
