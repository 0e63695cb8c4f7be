package io.brokermeter.cli.options;

import java.time.Duration;

import picocli.CommandLine.Option;

/** Phases of a run and its end. */
public final class LimitOptions {

    @Option(names = {"-z", "--duration", "--time"}, order = 1, paramLabel = "TIME", defaultValue = "0",
            converter = Converters.Seconds.class,
            description = "How long, warm-up included, in seconds or with a unit (30s, 5m); 0 is no limit. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration duration = Duration.ZERO;

    @Option(names = "--warmup", order = 2, paramLabel = "TIME", defaultValue = "0", converter = Converters.Seconds.class,
            description = "How much of the beginning is warm-up and stays out of the aggregated times. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration warmup = Duration.ZERO;

    @Option(names = "--drain-timeout", order = 3, paramLabel = "TIME", defaultValue = "10s",
            converter = Converters.Seconds.class,
            description = "How long to wait at the end for confirmations and deliveries that are still due; what has not "
                + "come then is reported as lost, left in the broker, or not in time. Default: ${DEFAULT-VALUE}.")
    public Duration drainTimeout = Duration.ZERO;

    @Option(names = "--allow-loss", order = 4,
            description = "Lost messages are counted and do not fail the run: for QoS 0, one-way sends, messages that "
                + "expire. Default: off.")
    public boolean allowLoss;
}
