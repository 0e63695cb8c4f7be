package io.brokermeter.trials;

import java.util.List;

import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.Option;
import org.jspecify.annotations.Nullable;

/**
 * The sources by which the broker under test is observed, as the user wrote them; see {@link Observation#of}.
 *
 * @param names names of further metrics
 */
public record ObservationRequest(@Nullable String pids, @Nullable String jmx, @Nullable String metrics, List<String> names) {

    public ObservationRequest {
        names = List.copyOf(names);
    }

    /**
     * Returns the observation that is requested.
     *
     * @throws UsageException when a value is invalid
     */
    public Observation observation() {
        return Observation.of(pids, jmx, metrics, names, Option::of);
    }
}
