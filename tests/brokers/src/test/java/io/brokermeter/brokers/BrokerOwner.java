package io.brokermeter.brokers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process that owns a broker until it is killed: prints the ids of the broker's processes and waits for at most a minute. Its arguments
 * are the directory of the broker, its topology, and what is done to the first process before that: {@code freeze} or {@code kill}. With
 * {@code close} it is halted as soon as the process of the broker is gone, when it has begun at most to delete its many files.
 */
public final class BrokerOwner {

    private BrokerOwner() {}

    public static void main(String[] arguments) throws Exception {
        BrokerOptions options = BrokerOptions.defaults().withDirectory(Path.of(arguments[0]))
            .withTopology(arguments.length > 1 ? arguments[1] : BrokerOptions.SINGLE);
        try (Broker broker = Broker.start(BrokerName.parse("artemis"), options)) {
            String done = arguments.length > 2 ? arguments[2] : "";
            if (done.equals("freeze")) {
                broker.node().freeze();
            } else if (done.equals("kill")) {
                broker.node().kill();
            }
            broker.nodes().forEach(node -> System.out.println(node.pid()));
            if (done.equals("close")) {
                Path many = Files.createDirectory(Path.of(arguments[0], "many"));
                for (int i = 0; i < 20_000; i++) {
                    Files.createFile(many.resolve(Integer.toString(i)));
                }
                Thread.ofPlatform().start(() -> {
                    while (broker.isAlive()) {
                        Thread.onSpinWait();
                    }
                    Runtime.getRuntime().halt(1);
                });
                return;
            }
            Thread.sleep(Duration.ofMinutes(1));
        }
    }
}
