package io.brokermeter.cli;

import java.util.List;

import io.brokermeter.cli.options.ClientConsumerOptions;
import io.brokermeter.cli.options.ConsumerConnectionOptions;
import io.brokermeter.cli.options.ConsumerOptions;
import io.brokermeter.cli.options.LoadOptions;
import io.brokermeter.cli.options.MessageOptions;
import io.brokermeter.cli.options.RequestOptions;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Sends and receives in one process, so that transfer times are measured on one clock. */
@Command(name = "client",
        description = "Send messages and receive them again, and measure both.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  brokermeter client --duration 20 --show-latency queue://TEST_QUEUE",
            "  brokermeter client --rate 10k --max-pending 100 --warmup 10s --duration 1m --hdr run.hlog",
            "  brokermeter client --url amqp://broker:5672 --persistent --producers 4 --message-count 1M orders",
            "  brokermeter client --durable --clientID test --consumers 2 --num-destinations 10 topic://PRICES",
            "  BROKERMETER_PASSWORD=... brokermeter client --url tcp://broker:61616 --user guest --duration 20"})
final class ClientCommand extends RunCommand {

    @Mixin(name = Heading.CONSUMER_CONNECTION)
    final ConsumerConnectionOptions consumerConnection = new ConsumerConnectionOptions();

    @Mixin(name = Heading.LOAD)
    final LoadOptions load = new LoadOptions();

    @Mixin(name = Heading.MESSAGES)
    final MessageOptions message = new MessageOptions();

    @Mixin(name = Heading.CONSUMERS)
    final ClientConsumerOptions consumers = new ClientConsumerOptions();

    @Mixin(name = Heading.REQUESTS)
    final RequestOptions requests = new RequestOptions();

    @Override
    ConsumerConnectionOptions consumerConnection() {
        return consumerConnection;
    }

    @Override
    LoadOptions load() {
        return load;
    }

    @Override
    MessageOptions messages() {
        return message;
    }

    @Override
    ConsumerOptions consumers() {
        return consumers;
    }

    @Override
    void check() {
        super.check();
        @Nullable String id = connection.clientId;
        if (consumers.durable && id == null) {
            throw new UsageException("--durable needs --clientID, the name by which the broker knows the subscriber "
                + "again.");
        }
        if (!requests.requestReply && isTyped("--reply-timeout")) {
            throw new UsageException("--reply-timeout needs --request-reply: plain messages get no reply.");
        }
    }

    @Override
    Scenario scenario() {
        List<Destination> list = destinationList();
        RequestReply asking = requests.requestReply ? new RequestReply(requests.timeout) : null;
        return scenario(producerSide(load, message, asking, list),
                consumerSide(consumers, false, asking != null, list));
    }
}
