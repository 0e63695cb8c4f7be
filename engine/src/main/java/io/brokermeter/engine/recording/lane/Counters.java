package io.brokermeter.engine.recording.lane;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.scenario.measure.Count;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one participant of a run, each with the {@link Count} that it is a part of. Counters are added when the participant is
 * created; after that, any thread may read.
 */
public final class Counters {

    private final List<Entry> all = new ArrayList<>(8);

    /** @param phases the same by phases; null for a count that is not kept for each of them */
    private record Entry(Count count, LongSupplier whole, @Nullable PhaseCounter phases) {}

    /** Adds and returns a counter. */
    public Counter of(Count count) {
        Counter counter = new Counter();
        add(count, counter::get);
        return counter;
    }

    /** Adds and returns a counter of something that is counted in each phase. */
    public PhaseCounter of(Count count, int phases) {
        PhaseCounter counter = new PhaseCounter(phases);
        all.add(new Entry(count, counter::get, counter));
        return counter;
    }

    /** Adds a number that is counted elsewhere. */
    public void add(Count count, LongSupplier number) {
        all.add(new Entry(count, number, null));
    }

    /** Adds all numbers to a sum. Allocates nothing, since thousands of participants are added up for each interval. */
    public void addTo(Counts.Sum sum) {
        for (int i = 0; i < all.size(); i++) {
            Entry entry = all.get(i);
            sum.add(entry.count, entry.whole.getAsLong());
        }
    }

    /** Adds the numbers of some phases to a sum, as far as they are counted in phases. */
    public void addTo(Counts.Sum sum, int firstPhase, int endPhase) {
        for (int i = 0; i < all.size(); i++) {
            Entry entry = all.get(i);
            for (int phase = firstPhase; entry.phases != null && phase < endPhase; phase++) {
                sum.add(entry.count, entry.phases.in(phase));
            }
        }
    }
}
