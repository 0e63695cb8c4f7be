package io.brokermeter.brokers;

import java.nio.file.Path;
import java.time.Duration;

/**
 * A process that owns a broker until it is killed: prints the ids of the broker's processes and waits for at most a minute. Its arguments
 * are the directory of the broker, its topology, and what is done to the first process before that: {@code freeze} or {@code kill}.
 */
final class BrokerOwner {

    private BrokerOwner() {}

    public static void main(String[] arguments) throws Exception {
        BrokerOptions options = BrokerOptions.defaults().withDirectory(Path.of(arguments[0]))
            .withTopology(arguments.length > 1 ? arguments[1] : BrokerOptions.SINGLE);
        try (Broker broker = Broker.start(BrokerName.parse("artemis"), options)) {
            if (arguments.length > 2 && arguments[2].equals("freeze")) {
                broker.node().freeze();
            } else if (arguments.length > 2) {
                broker.node().kill();
            }
            broker.nodes().forEach(node -> System.out.println(node.pid()));
            Thread.sleep(Duration.ofMinutes(1));
        }
    }
}
