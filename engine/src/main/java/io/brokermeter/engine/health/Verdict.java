package io.brokermeter.engine.health;

import java.util.List;

/** Whether the generator's own behaviour leaves the numbers worth believing. */
public sealed interface Verdict {

    /** Nothing in the generator disturbed the measurement. */
    record Sound() implements Verdict {}

    /**
     * The generator was, or may have been, the limit.
     *
     * @param reasons one sentence each: what was measured, why it matters, what to change
     */
    record Doubtful(List<String> reasons) implements Verdict {
        public Doubtful {
            reasons = List.copyOf(reasons);
        }
    }
}
