package io.brokermeter.cli.options;

import picocli.CommandLine.Option;

/** Size of transactions. */
public final class TransactionOptions {

    @Option(names = {"--commit-interval", "--tx-size"}, order = 1, paramLabel = "N", defaultValue = "0",
            converter = Converters.Number.class,
            description = "Messages in a transaction of a producer, and of a consumer that is transacted; 0 is no "
                + "transaction. Default: ${DEFAULT-VALUE}.")
    public int commitInterval;
}
