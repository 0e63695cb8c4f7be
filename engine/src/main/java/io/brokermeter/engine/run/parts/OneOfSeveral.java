package io.brokermeter.engine.run.parts;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/** What differs for one of several processes, which knows only a part of the run. */
public interface OneOfSeveral extends RunCoordination {

    /** Well below what a coordinator grants for closing. */
    long LONGEST_PROCESSING = 120_000_000_000L;

    @Override
    default boolean isAny() {
        return true;
    }

    /** None: the coordinator makes them. */
    @Override
    default List<Fault> faults(Scenario scenario) {
        return List.of();
    }

    @Override
    default Map<Integer, Long> missing(Supplier<Map<Integer, Long>> here) {
        return Map.of();
    }

    /** Bounded, since the others wait for this process. */
    @Override
    default long longestProcessing() {
        return LONGEST_PROCESSING;
    }

    @Override
    default ResultMerger.Merged result(ResultMerger own, int missed, @Nullable BrokerFigures broker) {
        return new ResultMerger.Merged(own.ofPart(broker), List.of());
    }
}
