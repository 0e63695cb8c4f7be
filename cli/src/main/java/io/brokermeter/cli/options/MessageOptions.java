package io.brokermeter.cli.options;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Keys;
import io.brokermeter.engine.scenario.Sizes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a message is. */
public final class MessageOptions {

    @Option(names = {"-s", "--message-size", "--size"}, order = 1, paramLabel = "BYTES", defaultValue = "1024",
            converter = Converters.SizesOf.class,
            description = "Body size in bytes, or 4KiB, 1MiB; or sizes that vary: list:100,1KiB (in turn), "
                + "uniform:100..2KiB, lognormal:1KiB,0.8 (median, sigma; a largest size may follow), "
                + "empirical:100=70%%,10KiB=30%%. Default: ${DEFAULT-VALUE}.")
    public Sizes sizes = new Sizes.Fixed(1024);

    @Option(names = "--body", order = 2, paramLabel = "CONTENT", defaultValue = "random", converter = Converters.ContentOf.class,
            description = "What bodies are: random, compressible:50%%, constant:x, file:PATH, lines:PATH (one message "
                + "for each line of it), template:PATH, or a template itself, json:{\"n\":{{counter}}} or text:TEXT. "
                + "Default: ${DEFAULT-VALUE}.")
    public Content content = new Content.Random();

    @Option(names = "--bare", order = 3,
            description = "Send bodies without the 28-byte envelope: any size, but no transfer time and no ledger. "
                + "Default: off.")
    public boolean bare;

    @Option(names = "--persistent", order = 4, description = "Persistent messages. Default: off.")
    public boolean persistent;

    @Option(names = "--ttl", order = 5, paramLabel = "TIME", defaultValue = "0", converter = Converters.Millis.class,
            description = "Time to live in milliseconds or with a unit; 0 is for ever. Default: ${DEFAULT-VALUE}.")
    public Duration ttl = Duration.ZERO;

    @Option(names = "--delivery-delay", order = 6, paramLabel = "TIME", defaultValue = "0",
            converter = Converters.Seconds.class,
            description = "How long the broker keeps each message back, in seconds or with a unit; how late it "
                + "delivers then is measured. Default: ${DEFAULT-VALUE}.")
    public Duration deliveryDelay = Duration.ZERO;

    @Option(names = "--priority", order = 7, paramLabel = "N",
            description = "Priority from 0 to 9, or several with their shares, 4:90%%,9:10%%. Default: the protocol's "
                + "own.")
    public @Nullable String priority;

    @Option(names = "--group", order = 8, paramLabel = "NAME", description = "Message group of all messages. Default: none.")
    public @Nullable String group;

    @Option(names = "--keys", order = 9, paramLabel = "KEYS", converter = Converters.KeysOf.class,
            description = "Groups or keys of messages: NAME for one, round-robin:10, uniform:1000, or zipf:1000,1.1 "
                + "(number, exponent), which are called key-0, key-1... Default: none.")
    public @Nullable Keys keys;

    @Option(names = "--header", order = 10, paramLabel = "NAME=VALUE",
            description = "A property of the messages, which selectors can read: one value for all, or several with "
                + "their shares, region={eu:30%%,us:70%%}; may be given more than once. Default: none.")
    public List<String> headers = new ArrayList<>();

    @Option(names = "--enable-msg-id", order = 11, description = "Messages with message ids. Default: off.")
    public boolean messageIds;

    @Option(names = "--enable-timestamp", order = 12, description = "Messages with timestamps. Default: off.")
    public boolean timestamps;
}
