package io.brokermeter.cli.options;

import picocli.CommandLine.Option;

/** The receiving half of {@code client}, where {@code --message-count} belongs to the producers. */
public final class ClientConsumerOptions extends ConsumerOptions {

    @Option(names = {"-D", "--cmessages"}, order = 17, paramLabel = "N", defaultValue = "0", converter = Converters.Count.class,
            description = "Messages to receive over all consumers together; 0 is no limit. Default: ${DEFAULT-VALUE}.")
    private long messageCount;

    @Override
    public long messageCount() {
        return messageCount;
    }
}
