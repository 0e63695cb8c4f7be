package io.brokermeter.cli;

import picocli.CommandLine.Model.CommandSpec;

/** The command {@code producer}: sends only. */
final class ProducerCommand extends RunCommand {

    ProducerCommand() {
        super(true, false);
    }

    @Override
    CommandSpec ownArguments() {
        return noArguments("producer", "Send messages, and measure how the broker takes them.",
            "  brokermeter producer --message-count 100k --persistent queue://ORDERS",
            "  brokermeter producer --url tcp://broker:61616 --rate 5k --producers 3 --threads 2 --duration 5m q1 q2",
            "  brokermeter producer --protocol AMQP --commit-interval 100 --message-size 4KiB --duration 30");
    }
}
