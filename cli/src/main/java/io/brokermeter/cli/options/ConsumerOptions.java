package io.brokermeter.cli.options;

import java.time.Duration;

import io.brokermeter.engine.scenario.Rate;
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

    @Option(names = {"--selector", "--filter"}, order = 12, paramLabel = "CONDITION",
            description = "Receive only messages whose properties meet this condition, in the broker's own language. The "
                + "ledger still expects every message. Default: none.")
    public @Nullable String selector;

    @Option(names = {"-R", "--consumer-rate"}, order = 9, paramLabel = "RATE", converter = Converters.RateOf.class,
            description = "The most messages a second that each consumer takes. Default: no limit.")
    public @Nullable Rate rate;

    @Option(names = {"-L", "--consumer-latency"}, order = 10, paramLabel = "TIME", defaultValue = "0",
            converter = Converters.Micros.class,
            description = "Simulated processing time of each message, in microseconds or with a unit. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration latency = Duration.ZERO;

    @Option(names = "--consumer-startup-delay", order = 11, paramLabel = "TIME", defaultValue = "0",
            converter = Converters.Seconds.class,
            description = "How long after the producers the consumers start, in seconds or with a unit. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration startDelay = Duration.ZERO;
}
