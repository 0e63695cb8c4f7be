package io.brokermeter.engine.run;

import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.scenario.Load;
import org.jspecify.annotations.Nullable;

/**
 * The load of a group of producers in one phase.
 *
 * @param load what is sent when
 * @param times the schedule, of which each thread has its own; null to send as fast as the windows allow, or nothing
 */
record LoadStage(Load load, @Nullable FireTimes times) {

    /**
     * The load of a group.
     *
     * @param producers number of producers of the group
     * @param batch messages of a producer that are due together
     */
    static LoadStage of(Load load, int producers, int batch) {
        if (load instanceof Load.AllOut || load instanceof Load.Silence) {
            return new LoadStage(load, null);
        }
        FireTimes times = FireTimes.of(load);
        return new LoadStage(load, batch == 1 ? times : new Batched(times, (long) producers * batch));
    }

    /**
     * The schedule for the calling thread alone, which may hold some memory until it is done with it; null where there is none.
     *
     * @param producers those for which the thread sends by it; 0 for one that only looks something up
     */
    @Nullable FireTimes ownTimes(int producers) {
        // Each may owe an event of its own, and there is the newest one.
        return times == null ? null : times.forAnotherThread(producers + 1);
    }

    /** Neighbouring events that are due at the moment of the first of them. */
    private record Batched(FireTimes times, long together) implements FireTimes {

        @Override
        public long at(long index) {
            return times.at(index / together * together);
        }

        @Override
        public FireTimes forAnotherThread(int places) {
            return new Batched(times.forAnotherThread(places), together);
        }
    }
}
