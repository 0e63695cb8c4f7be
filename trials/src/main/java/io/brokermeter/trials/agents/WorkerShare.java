package io.brokermeter.trials.agents;

import java.util.Map;

import io.brokermeter.engine.plan.Share;

/**
 * What the worker of an agent is asked to do.
 *
 * @param id name of the run, as in subscription names
 * @param scenario the run as a scenario file without thresholds and faults, which names no file, see {@code Portable}
 * @param suffix comes behind the name of each destination
 * @param ways the endpoint of each group, by its key
 * @param share its part of the plan
 * @param number of the run in its messages
 * @param zero the coordinator's {@link io.brokermeter.engine.pacing.EpochClock#zero()}
 * @param faulted whether faults are made in the run, so that what happens in each millisecond is of interest
 */
public record WorkerShare(String id, String scenario, String suffix, Map<String, Way> ways, Share share, long number, long zero,
        boolean faulted) {

    /** Without anything secret. */
    @Override
    public String toString() {
        return id + ", share " + share.number();
    }
}
