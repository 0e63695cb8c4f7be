package io.brokermeter.cli.options;

import java.util.ArrayList;
import java.util.List;

import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Queues and topics. */
public final class DestinationOptions {

    @Parameters(paramLabel = "DESTINATION", arity = "0..*",
            description = "queue://NAME, topic://NAME, a plain queue name, or ADDRESS::QUEUE on Artemis; several are "
                + "allowed. Default: queue://TEST, or topic://TEST with --durable.")
    public List<String> names = new ArrayList<>();

    @Option(names = {"-u", "--queue"}, order = 1, paramLabel = "NAME",
            description = "A destination, as the argument DESTINATION. Default: none.")
    public List<String> queues = new ArrayList<>();

    @Option(names = "--num-destinations", order = 2, paramLabel = "N", defaultValue = "1",
            converter = Converters.Positive.class,
            description = "More than 1 makes NAME0 to NAME(N-1) of each destination, without NAME itself. Default: "
                + "${DEFAULT-VALUE}.")
    public int count;
}
