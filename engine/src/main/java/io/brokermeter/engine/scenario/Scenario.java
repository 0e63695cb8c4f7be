package io.brokermeter.engine.scenario;

import java.util.List;

import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * What the user asked for.
 *
 * @param id the run's name, as in reports and subscription names
 * @param destinations every destination, already numbered
 * @param producers the sending half, or null for a run that only receives
 * @param consumers the receiving half, or null for a run that only sends
 * @param limits phases and end
 * @param pacing how sending threads wait
 * @param realtime whether sending threads ask the kernel for real-time scheduling
 * @param seed of everything that is random
 */
public record Scenario(
        String id, List<Destination> destinations, @Nullable ProducerSide producers, @Nullable ConsumerSide consumers,
        Limits limits, Pacing pacing, boolean realtime, long seed) {

    public Scenario {
        destinations = List.copyOf(destinations);
        if (producers == null && consumers == null) {
            throw new IllegalArgumentException("A scenario needs producers, consumers or both.");
        }
    }
}
