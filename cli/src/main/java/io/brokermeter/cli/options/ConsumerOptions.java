package io.brokermeter.cli.options;

import java.time.Duration;

import io.brokermeter.engine.scenario.Processing;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Start;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who receives, and how. */
public abstract class ConsumerOptions {

    /** Messages to receive in total, 0 for no limit. */
    public abstract long messageCount();

    @Option(names = {"-y", "--consumers"}, order = 1, paramLabel = "N", defaultValue = "1",
            converter = Converters.Positive.class,
            description = "Consumers on each destination, or on each shared subscription. Default: ${DEFAULT-VALUE}.")
    public int consumers;

    @Option(names = {"--consumer-connections", "--num-connections"}, order = 2, paramLabel = "N", defaultValue = "0",
            converter = Converters.Number.class,
            description = "Connections over all consumers; 0 chooses: one for each consumer, but with --shared and "
                + "--clientID one for each subscription. Default: ${DEFAULT-VALUE}.")
    public int connections;

    @Option(names = "--shared", order = 3, paramLabel = "N", defaultValue = "0", converter = Converters.Number.class,
            description = "Shared subscriptions on each topic; 0 is none. Default: ${DEFAULT-VALUE}.")
    public int shared;

    @Option(names = "--durable", order = 4, description = "Durable subscriptions, removed at the end. Default: off.")
    public boolean durable;

    @Option(names = "--keep-subscriptions", order = 5,
            description = "Leave durable subscriptions in place at the end. Default: off.")
    public boolean keepSubscriptions;

    @Option(names = "--tx", order = 6,
            description = "Transacted acknowledgement, committed after --commit-interval messages, or after each. "
                + "Default: off.")
    public boolean transacted;

    @Option(names = {"-A", "--multi-ack-every"}, order = 7, paramLabel = "N", defaultValue = "1",
            converter = Converters.Positive.class,
            description = "Acknowledge so many messages at once. Default: ${DEFAULT-VALUE}.")
    public int ackEvery;

    @Option(names = {"-q", "--prefetch", "--credit"}, order = 8, paramLabel = "N", converter = Converters.Number.class,
            description = "Messages that the client may hold unprocessed. Default: the client's own.")
    public @Nullable Integer prefetch;

    @Option(names = {"--selector", "--filter"}, order = 16, paramLabel = "CONDITION",
            description = "Receive only messages whose properties meet this condition, in the broker's own language. "
                + "The ledger expects what it lets through where it is like colour = 'red' AND size = 'big'; of any "
                + "other condition it takes what comes. Default: none.")
    public @Nullable String selector;

    @Option(names = {"-R", "--consumer-rate"}, order = 9, paramLabel = "RATE", converter = Converters.RateOf.class,
            description = "The most messages a second that each consumer takes. Default: no limit.")
    public @Nullable Rate rate;

    @Option(names = {"-L", "--consumer-latency"}, order = 10, paramLabel = "TIME", defaultValue = "0",
            converter = Converters.MicrosOf.class,
            description = "Simulated processing time of each message, in microseconds or with a unit; or times that "
                + "vary: uniform:1ms..5ms, exponential:3ms. Default: ${DEFAULT-VALUE}.")
    public Processing latency = Processing.NONE;

    @Option(names = "--consumer-startup-delay", order = 11, paramLabel = "TIME", defaultValue = "0",
            converter = Converters.StartOf.class,
            description = "How long after the run's start the consumers start, in seconds or with a unit; or "
                + "after-producers, when these have ended and a backlog is there, or after-producers:5s. Default: "
                + "${DEFAULT-VALUE}.")
    public Start start = Start.AT_ONCE;

    @Option(names = "--consumer-ramp", order = 12, paramLabel = "TIME", defaultValue = "0", converter = Converters.Seconds.class,
            description = "Over how long the consumers' connections are made, evenly; 0 is all at once. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration ramp = Duration.ZERO;

    @Option(names = "--polling", order = 13,
            description = "Consumers ask for messages instead of having them pushed to a listener. Default: off.")
    public boolean polling;

    @Option(names = "--requeue", order = 14, paramLabel = "SHARE", defaultValue = "0", converter = Converters.Share.class,
            description = "The part of the deliveries that consumers give back to be delivered again, as 5%% or 0.05. "
                + "Default: ${DEFAULT-VALUE}.")
    public double requeue;

    @Option(names = "--reject", order = 15, paramLabel = "SHARE", defaultValue = "0", converter = Converters.Share.class,
            description = "The part of the deliveries that consumers refuse for good, as 5%% or 0.05. Default: "
                + "${DEFAULT-VALUE}.")
    public double reject;
}
