package io.brokermeter.trials;

import java.util.List;

import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Option;
import org.jspecify.annotations.Nullable;

/**
 * What of the broker under test is watched, as the user wrote it; see {@link Observation#of}.
 *
 * @param names of further metrics
 */
public record ObservationRequest(@Nullable String pids, @Nullable String jmx, @Nullable String metrics, List<String> names) {

    public ObservationRequest {
        names = List.copyOf(names);
    }

    /** @throws UsageException when a value cannot be meant */
    public Observation observation() {
        return Observation.of(pids, jmx, metrics, names, Option::of);
    }
}
