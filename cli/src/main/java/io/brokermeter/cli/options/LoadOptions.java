package io.brokermeter.cli.options;

import java.time.Duration;

import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Processing;
import io.brokermeter.engine.scenario.Rate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much is sent, and by how many. */
public final class LoadOptions {

    @Option(names = {"-r", "--rate"}, order = 1, paramLabel = "RATE", converter = Converters.RateOf.class,
            description = "Messages a second over all producers together: 500, 37k, 0.5, 90/m. Default: as fast as "
                + "--max-pending allows.")
    public @Nullable Rate rate;

    @Option(names = "--rate-per-producer", order = 2, paramLabel = "RATE", converter = Converters.RateOf.class,
            description = "Messages a second of each producer, instead of --rate. Default: none.")
    public @Nullable Rate ratePerProducer;

    @Option(names = "--load", order = 3, paramLabel = "SHAPE",
            description = {
                "A load that changes, instead of --rate: steps:1k@10s,1k..5k@30s (a step, a ramp; the last rate holds), "
                    + "sine:5k,4k@30s (mean, amplitude, period), bursts:10k@1s/4s (rate, burst, silence), poisson:5k (random "
                    + "arrivals), trace:FILE (the time stamps of a log's lines).",
                "Default: none."})
    public @Nullable String shape;

    @Option(names = "--seed", order = 4, paramLabel = "N",
            description = "Seed of everything that is random in the run. Default: another one each time, told in the "
                + "result.")
    public @Nullable Long seed;

    @Option(names = {"-C", "--message-count", "--pmessages"}, order = 5, paramLabel = "N", defaultValue = "0",
            converter = Converters.Count.class,
            description = "Messages to send over all producers together; 0 is no limit. Default: ${DEFAULT-VALUE}.")
    public long messageCount;

    @Option(names = {"-c", "--max-pending", "--max-in-flight", "--confirm"}, order = 6, paramLabel = "N", defaultValue = "1",
            converter = Converters.Number.class,
            description = "Sends of one producer that may be unconfirmed; 0 is no limit. Default: ${DEFAULT-VALUE}.")
    public int maxPending;

    @Option(names = "--batch", order = 7, paramLabel = "N", defaultValue = "1", converter = Converters.Positive.class,
            description = "Messages of a producer that are due together. Default: ${DEFAULT-VALUE}.")
    public int batch;

    @Option(names = "--think-time", order = 8, paramLabel = "TIME", defaultValue = "0", converter = Converters.SecondsOf.class,
            description = "How long a producer pauses when its message, or all of its --batch, is confirmed or "
                + "answered: a time in seconds or with a unit, uniform:1ms..5ms, exponential:3ms. Default: "
                + "${DEFAULT-VALUE}.")
    public Processing thinkTime = Processing.NONE;

    @Option(names = "--rollback", order = 9, paramLabel = "SHARE", defaultValue = "0", converter = Converters.Share.class,
            description = "The part of the transactions that is rolled back, as 5%% or 0.05; needs --commit-interval. "
                + "Default: ${DEFAULT-VALUE}.")
    public double rollback;

    @Option(names = "--producer-startup-delay", order = 10, paramLabel = "TIME", defaultValue = "0",
            converter = Converters.Seconds.class,
            description = "How long after the run's start the producers start, in seconds or with a unit. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration startDelay = Duration.ZERO;

    @Option(names = "--producer-ramp", order = 11, paramLabel = "TIME", defaultValue = "0", converter = Converters.Seconds.class,
            description = "Over how long the producers' connections are made, evenly; 0 is all at once. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration ramp = Duration.ZERO;

    @Option(names = {"-x", "--producers"}, order = 12, paramLabel = "N", defaultValue = "1",
            converter = Converters.Positive.class,
            description = "Producers on each destination. Default: ${DEFAULT-VALUE}.")
    public int producers;

    @Option(names = "--threads", order = 13, paramLabel = "N", defaultValue = "1", converter = Converters.Positive.class,
            description = "Sending threads. Default: ${DEFAULT-VALUE}.")
    public int threads;

    @Option(names = "--shared-connections", order = 14,
            description = "One connection for each sending thread. Default: one for each producer.")
    public boolean sharedConnections;

    @Option(names = "--pacing", order = 15, paramLabel = "HOW", defaultValue = "auto", converter = Converters.PacingOf.class,
            description = "How a sending thread waits for its next message: park, spin, hybrid (park, then spin), or "
                + "auto (spin only where cores are free for it). Default: ${DEFAULT-VALUE}.")
    public Pacing pacing = Pacing.AUTO;

    @Option(names = "--realtime", order = 16,
            description = "Ask the kernel for real-time scheduling of the sending threads, where it is permitted. "
                + "Default: off.")
    public boolean realtime;
}
