package io.brokermeter.engine.run;

import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.scenario.Load;
import org.jspecify.annotations.Nullable;

/**
 * The load of a group of producers in one phase.
 *
 * @param load what is sent when
 * @param times the schedule, or null to send as fast as the windows allow, or nothing
 * @param reportersTimes the same for the reporting thread
 */
record LoadStage(Load load, @Nullable FireTimes times, @Nullable FireTimes reportersTimes) {

    /**
     * The load of a group.
     *
     * @param producers number of producers of the group
     * @param batch messages of a producer that are due together
     */
    static LoadStage of(Load load, int producers, int batch) {
        if (load instanceof Load.AllOut || load instanceof Load.Silence) {
            return new LoadStage(load, null, null);
        }
        FireTimes times = FireTimes.of(load);
        FireTimes batched = batch == 1 ? times : new Batched(times, (long) producers * batch);
        return new LoadStage(load, batched.forAnotherThread(), batched.forAnotherThread());
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
