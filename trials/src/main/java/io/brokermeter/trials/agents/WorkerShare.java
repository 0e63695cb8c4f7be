package io.brokermeter.trials.agents;

import java.util.Map;

import io.brokermeter.engine.plan.Share;

/**
 * What the worker of an agent is asked to do.
 *
 * @param id name of the run, as in subscription names
 * @param scenario the run as a scenario file without thresholds and faults, which names no file but those, see {@code Portable}
 * @param files what its text and its ways need of files, in base64 by their paths below the run's directory, {@code Parcel.isEnclosed}
 * @param suffix comes behind the name of each destination
 * @param ways the endpoint of each group, by its key
 * @param share its part of the plan
 * @param number of the run in its messages
 * @param zero the coordinator's {@link io.brokermeter.engine.pacing.EpochClock#zero()}
 * @param passage the way between the worker and the broker
 * @param faulted whether faults are made in the run, so that what happens in each millisecond is of interest
 */
public record WorkerShare(String id, String scenario, Map<String, String> files, String suffix, Map<String, Way> ways, Share share,
        long number,
        long zero, Passage passage, boolean faulted) {

    /** The same without the contents of its files, which stand in the run's directory. */
    WorkerShare written() {
        return new WorkerShare(id, scenario, Map.of(), suffix, ways, share, number, zero, passage, faulted);
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return id + ", share " + share.number();
    }
}
