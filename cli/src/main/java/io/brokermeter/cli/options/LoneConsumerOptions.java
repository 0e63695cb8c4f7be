package io.brokermeter.cli.options;

import picocli.CommandLine.Option;

/** The receiving half of {@code consumer}, where {@code --message-count} counts deliveries. */
public final class LoneConsumerOptions extends ConsumerOptions {

    @Option(names = {"-D", "--message-count", "--cmessages"}, order = 0, paramLabel = "N", defaultValue = "0",
            converter = Converters.Count.class,
            description = "Messages to receive over all consumers together; 0 is no limit. Default: ${DEFAULT-VALUE}.")
    private long messageCount;

    @Override
    public long messageCount() {
        return messageCount;
    }
}
