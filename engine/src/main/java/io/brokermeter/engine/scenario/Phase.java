package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.Map;

/**
 * A part of a run with a load of its own, and with results of its own.
 *
 * @param name name of the phase
 * @param length length of the phase
 * @param loads load of each group of producers by name; under the empty name that of every group that is not named. A group
 *     without a load here keeps its own
 */
public record Phase(String name, Duration length, Map<String, Load> loads) {

    public Phase {
        loads = Map.copyOf(loads);
        if (name.isBlank()) {
            throw new UsageException("A phase needs a name.");
        }
        if (length.isZero() || length.isNegative()) {
            throw new UsageException("Phase '" + name + "' must be longer than 0.");
        }
    }

    /** Returns the load of a group in this phase. */
    public Load loadOf(ProducerGroupSpec group) {
        Load own = loads.get(group.name());
        return own != null ? own : loads.getOrDefault("", group.load());
    }
}
