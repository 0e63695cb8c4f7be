package io.brokermeter.trials;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.spi.Setting;

/** What runs in one process alone. */
final class OneProcess {

    private OneProcess() {}

    /**
     * Refuses a workload that agents are to run together, before anything starts.
     *
     * @throws UsageException with one sentence
     */
    static void require(Workload workload) {
        if (workload.agents().areAny()) {
            workload.agents().requireKey();
            throw new UsageException("%s: a run on several agents is not possible here yet; leave it out to run all in one process.",
                Setting.AGENTS);
        }
    }
}
