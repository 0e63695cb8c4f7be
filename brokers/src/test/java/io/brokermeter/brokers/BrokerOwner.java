package io.brokermeter.brokers;

import java.nio.file.Path;
import java.time.Duration;

/** A process that owns a broker until it is killed: prints the broker's process id and waits, a minute at most. */
final class BrokerOwner {

    private BrokerOwner() { }

    public static void main(String[] arguments) throws Exception {
        BrokerOptions options = BrokerOptions.defaults().withDirectory(Path.of(arguments[0]));
        try (Broker broker = Broker.start(BrokerName.parse("artemis"), options)) {
            System.out.println(broker.pid());
            broker.node().awaitExit(Duration.ofMinutes(1));
        }
    }
}
