package io.brokermeter.cli.options;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.trials.Watching;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What of the broker under test is watched. */
public final class ObservationOptions {

    @Option(names = "--broker-pid", order = 1, paramLabel = "N[,N]",
            description = "Its processes on this machine. Default: those that listen on the ports of the URL, or that were "
                + "started for this run.")
    public @Nullable String pids;

    @Option(names = "--broker-jmx", order = 2, paramLabel = "URL",
            description = "JMX service for heap and garbage collection, as [user:password@]host:port or "
                + "service:jmx:...; attach starts an agent, on loopback, in each of its JVMs on this machine; none asks no JVM. "
                + "Default: none; a broker that is started for the run reports its heap by itself.")
    public @Nullable String jmx;

    @Option(names = "--broker-metrics", order = 3, paramLabel = "URL",
            description = "Prometheus endpoint that tells of it. Default: none.")
    public @Nullable String metrics;

    @Option(names = "--broker-metric", order = 4, paramLabel = "NAME",
            description = "Further metric of that endpoint to keep, as name or name{label=\"value\"}; may be given more than "
                + "once. Default: none.")
    public List<String> metricNames = new ArrayList<>();

    @Option(names = "--show-broker", order = 5,
            description = "A line on it in the live output; the summary always has its CPU and memory. Default: off.")
    public boolean show;

    /** What these options say. */
    public Watching watching() {
        return new Watching(pids, jmx, metrics, metricNames);
    }
}
