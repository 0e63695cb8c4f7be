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

    /** The schedule for the calling thread alone, which may hold some memory until it is done with it; null where there is none. */
    @Nullable FireTimes ownTimes() {
        return times == null ? null : times.forAnotherThread();
    }

    /** Neighbouring events that are due at the moment of the first of them. */
    private record Batched(FireTimes times, long together) implements FireTimes {

        @Override
        public long at(long index) {
            return times.at(index / together * together);
        }

        @Override
        public FireTimes forAnotherThread() {
            return new Batched(times.forAnotherThread(), together);
        }
    }
}
