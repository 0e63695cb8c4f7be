package io.brokermeter.cli;

import io.brokermeter.cli.options.ConsumerOptions;
import io.brokermeter.cli.options.LoneConsumerOptions;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Receives only. */
@Command(name = "consumer",
        description = "Receive messages, and measure how they come.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  brokermeter consumer --url tcp://broker:61616 --message-count 100k queue://ORDERS",
            "  brokermeter consumer --consumers 4 --tx --commit-interval 50 --duration 1m queue://ORDERS",
            "  brokermeter consumer --shared 2 --consumers 3 --duration 1m topic://PRICES"})
final class ConsumerCommand extends RunCommand {

    @Mixin(name = Heading.CONSUMERS)
    final LoneConsumerOptions consumers = new LoneConsumerOptions();

    @Override
    ConsumerOptions consumers() {
        return consumers;
    }

    @Override
    void check() {
        super.check();
        if (transactions.commitInterval > 0 && consumers.ackEvery > 1) {
            throw new UsageException("Give either --commit-interval or --multi-ack-every, not both: a transaction "
                    + "acknowledges with its commit.");
        }
    }

    @Override
    Scenario scenario() {
        return scenario(null, consumerSide(consumers, true, false, destinationList()));
    }
}
