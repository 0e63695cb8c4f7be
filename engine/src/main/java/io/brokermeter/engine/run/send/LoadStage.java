package io.brokermeter.engine.run.send;

import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.pacing.RateChanges;
import io.brokermeter.engine.scenario.Load;
import org.jspecify.annotations.Nullable;

/**
 * The load of a group of producers in one phase.
 *
 * @param load what is sent when
 * @param times the schedule, which each thread takes from {@link #newSchedule}; null to send as fast as the windows allow, or nothing
 * @param rates changes of the rate; null in a run without any
 */
record LoadStage(Load load, @Nullable FireTimes times, @Nullable RateChanges rates) {

    /**
     * Creates the load of a group.
     *
     * @param producers number of producers of the group
     * @param batch number of messages of a producer that are due together
     * @param rates changes of the rate; null in a run without any
     */
    static LoadStage of(Load load, int producers, int batch, @Nullable RateChanges rates) {
        if (load instanceof Load.AllOut || load instanceof Load.Silence) {
            return new LoadStage(load, null, rates);
        }
        FireTimes times = FireTimes.of(load);
        return new LoadStage(load, batch == 1 ? times : new Batched(times, (long) producers * batch), rates);
    }

    /**
     * Returns a schedule for the calling thread alone; null where there is none. The schedule may hold some memory as long as the thread
     * uses it.
     *
     * @param producers number of producers for which the thread sends by the schedule; 0 for a thread that only looks something up
     */
    @Nullable FireTimes newSchedule(int producers) {
        // A place for the oldest owed event of each producer, and one for the newest event.
        return times == null ? null : times.forAnotherThread(producers + 1);
    }

    /** A schedule in which neighbouring events are due together, at the moment of the first of them. */
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
