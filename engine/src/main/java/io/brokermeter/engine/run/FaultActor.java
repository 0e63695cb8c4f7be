package io.brokermeter.engine.run;

import io.brokermeter.engine.scenario.Fault;
import org.jspecify.annotations.Nullable;

/**
 * Does to the broker of a run what its faults say. Each fault has a thread of its own, which calls {@link #begin} and, when the fault has a
 * second half, {@link #end}; so several threads may be in here at once. No call takes longer than some bound of its own. The run does not
 * close it: who made it does, and everything is undone then at the latest.
 */
public interface FaultActor extends AutoCloseable {

    /**
     * What came of it.
     *
     * @param epochNanos the moment from which it was in effect, on the clock of the run: a process was gone, stopped, or serving again
     * @param detail what it was done to, for people: {@code pid 4711}; may be empty
     * @param exitStatus that of a command that has ended, null for everything else
     */
    record Effect(long epochNanos, String detail, @Nullable Integer exitStatus) {

        public Effect(long epochNanos, String detail) {
            this(epochNanos, detail, null);
        }
    }

    /**
     * Does it, and returns when it is in effect; of a command, when it runs.
     *
     * @param number of the fault in its scenario, from 1
     * @throws Exception whose message says in one sentence why it was not done
     */
    Effect begin(int number, Fault fault) throws Exception;

    /**
     * Undoes it, and returns when it is undone: a process serves again, or goes on. Of a command, waits until it has ended, and ends it
     * when it has taken as long as it may.
     *
     * @throws Exception whose message says in one sentence why it was not undone
     */
    Effect end(int number, Fault fault) throws Exception;

    /** The run is to end: ends commands, and gives up what is being started. May be called by any thread; does not block. */
    default void giveUp() {}

    /** Undoes everything that is not undone, within some seconds. */
    @Override
    void close();
}
