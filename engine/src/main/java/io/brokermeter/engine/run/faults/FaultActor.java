package io.brokermeter.engine.run.faults;

import io.brokermeter.engine.scenario.Fault;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the faults of a scenario on the broker of a run, its connections or the machine. Each fault has a thread of its own, which
 * calls {@link #begin} and, when the fault has a second half, {@link #end}; so several threads may call at the same time. Every call
 * returns within a bound of its own. The run does not close an actor: whoever created it does.
 */
public interface FaultActor extends AutoCloseable {

    /**
     * The effect of one half of a fault.
     *
     * @param epochNanos the moment from which that half was in effect, on the clock of the run: a process was gone, stopped, or serving
     *     again
     * @param detail what the fault was done to, for display: {@code pid 4711}; may be empty
     * @param exitStatus exit status of a command that has ended, null for everything else
     */
    record Effect(long epochNanos, String detail, @Nullable Integer exitStatus) {

        public Effect(long epochNanos, String detail) {
            this(epochNanos, detail, null);
        }
    }

    /**
     * Begins a fault, and returns when the fault is in effect; for a command, when the command runs.
     *
     * @param number number of the fault in its scenario, from 1
     * @throws Exception whose message says in one sentence why the fault was not done
     */
    Effect begin(int number, Fault fault) throws Exception;

    /**
     * Undoes a fault, and returns when the fault is undone: a process serves again, or goes on. For a command, waits until the command has
     * ended, and ends it when it has taken as long as it may.
     *
     * @throws Exception whose message says in one sentence why the fault was not undone
     */
    Effect end(int number, Fault fault) throws Exception;

    /** Ends commands and gives up processes that are being started, since the run is to end. Any thread may call; does not block. */
    default void giveUp() {}

    /** Ends commands, and undoes within some seconds what is still in effect; a process that a fault has ended stays ended. */
    @Override
    void close();
}
