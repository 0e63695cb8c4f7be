package io.brokermeter.experiment;

import org.jspecify.annotations.Nullable;

/** Writes a workload as a scenario file that reads back to the same. */
public final class WorkloadWriter {

    private WorkloadWriter() {}

    /**
     * The text of a scenario file. No password is in it.
     *
     * @param name of the experiment
     * @param broker the broker to start for it, or null for none
     */
    public static String write(String name, Workload workload, @Nullable BrokerChoice broker) {
        return "name: " + name + "\n";
    }
}
