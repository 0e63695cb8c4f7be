package io.brokermeter.cli;

import picocli.CommandLine.Command;

/** The command {@code consumer}: receives only. */
@Command(name = "consumer",
    description = "Receive messages, and measure how they come.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter consumer --url tcp://broker:61616 --message-count 100k queue://ORDERS",
        "  brokermeter consumer --consumers 4 --tx --commit-interval 50 --duration 1m queue://ORDERS",
        "  brokermeter consumer --shared 2 --consumers 3 --duration 1m topic://PRICES"})
final class ConsumerCommand extends RunCommand {

    ConsumerCommand() {
        super(false, true);
    }
}
