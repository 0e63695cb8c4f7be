package io.brokermeter.cli;

import picocli.CommandLine.Model.CommandSpec;

/** The command {@code client}: sends and receives in one process, so that transfer times are measured on one clock. */
final class ClientCommand extends RunCommand {

    ClientCommand() {
        super(true, true);
    }

    @Override
    CommandSpec ownArguments() {
        return noArguments("client", "Send messages and receive them again, and measure both.",
            "  brokermeter client --duration 20 --show-latency queue://TEST_QUEUE",
            "  brokermeter client --rate 10k --max-pending 100 --warmup 10s --duration 1m --hdr run.hlog",
            "  brokermeter client --url amqp://broker:5672 --persistent --producers 4 --message-count 1M orders",
            "  brokermeter client --durable --clientID test --consumers 2 --num-destinations 10 topic://PRICES",
            "  BROKERMETER_PASSWORD=... brokermeter client --url tcp://broker:61616 --user guest --duration 20");
    }
}
