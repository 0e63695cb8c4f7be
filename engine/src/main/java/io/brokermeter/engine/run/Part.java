package io.brokermeter.engine.run;

import java.util.concurrent.ThreadLocalRandom;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;

/**
 * What one process runs of a run, and with whom.
 *
 * @param share its part of the plan
 * @param run number of the run in its messages, the same for all who take part, from {@link Envelope#newRun}
 * @param peers those who run the other shares
 */
public record Part(Share share, long run, Peers peers) {

    /** All of a run in one process. */
    public static Part whole(Plan plan) {
        return new Part(Share.whole(plan), Envelope.newRun(ThreadLocalRandom.current().nextLong()), Peers.NONE);
    }

    /** Whether it does what is done once for the run: it has the first producer, or the first consumer where nobody sends. The first share may be empty. */
    boolean isFirst(Plan plan) {
        return plan.producers().isEmpty() ? share.has(plan.consumers().getFirst().consumers().getFirst())
            : share.has(plan.producers().getFirst().producers().getFirst());
    }
}
