package io.brokermeter.cli;

import picocli.CommandLine.Model.CommandSpec;

/** The command {@code consumer}: receives only. */
final class ConsumerCommand extends RunCommand {

    ConsumerCommand() {
        super(false, true);
    }

    @Override
    CommandSpec ownArguments() {
        return noArguments("consumer", "Receive messages, and measure how they come.",
            "  brokermeter consumer --url tcp://broker:61616 --message-count 100k queue://ORDERS",
            "  brokermeter consumer --consumers 4 --tx --commit-interval 50 --duration 1m queue://ORDERS",
            "  brokermeter consumer --shared 2 --consumers 3 --duration 1m topic://PRICES");
    }
}
