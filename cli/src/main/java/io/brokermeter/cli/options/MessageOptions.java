package io.brokermeter.cli.options;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a message is. */
public final class MessageOptions {

    @Option(names = {"-s", "--message-size", "--size"}, order = 1, paramLabel = "BYTES", defaultValue = "1024",
            converter = Converters.Size.class,
            description = "Body size in bytes, or 4KiB, 1MiB. Default: ${DEFAULT-VALUE}.")
    public int size;

    @Option(names = "--bare", order = 2,
            description = "Send bodies without the 28-byte envelope: any size, but no transfer time and no ledger. "
                + "Default: off.")
    public boolean bare;

    @Option(names = "--persistent", order = 3, description = "Persistent messages. Default: off.")
    public boolean persistent;

    @Option(names = "--ttl", order = 4, paramLabel = "TIME", defaultValue = "0", converter = Converters.Millis.class,
            description = "Time to live in milliseconds or with a unit; 0 is for ever. Default: ${DEFAULT-VALUE}.")
    public Duration ttl = Duration.ZERO;

    @Option(names = "--group", order = 5, paramLabel = "NAME", description = "Message group of all messages. Default: none.")
    public @Nullable String group;

    @Option(names = "--header", order = 8, paramLabel = "NAME=VALUE",
            description = "A property of every message, which selectors can read; may be given more than once. Default: none.")
    public List<String> headers = new ArrayList<>();

    @Option(names = "--enable-msg-id", order = 6, description = "Messages with message ids. Default: off.")
    public boolean messageIds;

    @Option(names = "--enable-timestamp", order = 7, description = "Messages with timestamps. Default: off.")
    public boolean timestamps;
}
