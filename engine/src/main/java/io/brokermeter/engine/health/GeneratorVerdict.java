package io.brokermeter.engine.health;

import java.util.List;

import io.brokermeter.engine.finding.Finding;

/** A verdict on whether the behaviour of the generator itself allows its figures to be trusted. */
public sealed interface GeneratorVerdict {

    /** Nothing in the generator disturbed the measurement, but for percentiles that are marked. */
    record Sound() implements GeneratorVerdict {}

    /** The generator was, or may have been, the limit. */
    record Doubtful(List<Finding.Doubt> doubts) implements GeneratorVerdict {
        public Doubtful {
            doubts = List.copyOf(doubts);
        }
    }

    /** Returns the verdict for reasons to doubt. */
    static GeneratorVerdict of(List<Finding.Doubt> doubts) {
        return doubts.isEmpty() ? new Sound() : new Doubtful(doubts);
    }

    /** Returns why the figures may be those of the generator; empty for a sound run. */
    default List<Finding.Doubt> reasons() {
        return this instanceof Doubtful(var doubts) ? doubts : List.of();
    }

    /** Returns whether the generator was measured and not the broker, so that the run can be neither passed nor failed by its figures. */
    default boolean isInvalid() {
        return reasons().stream().anyMatch(Finding.Doubt::invalidates);
    }

    /** Returns the verdict in one word: {@code sound}, {@code doubtful} or {@code invalid}. */
    default String word() {
        return isInvalid() ? "invalid" : this instanceof Sound ? "sound" : "doubtful";
    }
}
