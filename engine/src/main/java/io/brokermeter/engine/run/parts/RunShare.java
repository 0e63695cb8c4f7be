package io.brokermeter.engine.run.parts;

import java.util.concurrent.ThreadLocalRandom;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;

/**
 * The part of a run that one process executes, and the processes that execute the other parts.
 *
 * @param share the share of the plan that this process runs
 * @param run number of the run in its messages, from {@link Envelope#newRun}; the same in all processes
 * @param coordination the processes that run the other shares
 */
public record RunShare(Share share, long run, RunCoordination coordination) {

    /** Creates a part that covers the whole plan, for a run in one process. The run gets a new number. */
    public static RunShare whole(Plan plan) {
        return new RunShare(Share.whole(plan), Envelope.newRun(ThreadLocalRandom.current().nextLong()), RunCoordination.NONE);
    }

    /**
     * Returns whether this process does what is done once per run: its share has the first producer, or the first consumer of a plan
     * without producers. The first share itself may be empty.
     */
    public boolean isFirst(Plan plan) {
        return plan.producers().isEmpty() ? share.has(plan.consumers().getFirst().consumers().getFirst())
            : share.has(plan.producers().getFirst().producers().getFirst());
    }
}
