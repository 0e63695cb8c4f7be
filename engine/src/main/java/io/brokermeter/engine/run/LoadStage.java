package io.brokermeter.engine.run;

import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.scenario.Load;
import org.jspecify.annotations.Nullable;

/**
 * The load of a group of producers in one phase.
 *
 * @param load what is sent when
 * @param times the schedule, or null to send as fast as the windows allow, or nothing
 * @param reportersTimes the same for {@link #countUntil}, which the reporting thread asks
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

    /**
     * How many events of a stripe are due. Reporting thread.
     *
     * @param most the most that it has
     * @param until nanoseconds after the start of the schedule; an event at this moment is due
     * @param end the same for the end of the schedule; an event at that moment is none of it
     */
    long countUntil(int stripe, int stripes, long most, long until, long end) {
        if (reportersTimes == null) {
            return 0;
        }
        // Doubling and halving finds the first round that is not due without walking through all of them.
        long low = 0;
        long step = 1;
        while (low + step <= most && isDue(reportersTimes, stripe + (low + step - 1) * stripes, until, end)) {
            low += step;
            step *= 2;
        }
        while (step > 0) {
            if (low + step <= most && isDue(reportersTimes, stripe + (low + step - 1) * stripes, until, end)) {
                low += step;
            }
            step /= 2;
        }
        return low;
    }

    private static boolean isDue(FireTimes times, long event, long until, long end) {
        long moment = times.at(event);
        return moment != FireTimes.NEVER && moment <= until && moment < end;
    }

    /** When an event is due, nanoseconds after the start of the schedule; 0 without one. Reporting thread. */
    long momentOf(long event) {
        return reportersTimes == null ? 0 : reportersTimes.at(event);
    }
}
