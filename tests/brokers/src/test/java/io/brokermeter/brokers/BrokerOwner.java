package io.brokermeter.brokers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process that owns a broker until it is killed: prints the id of the broker's process and waits for at most a minute. Its arguments are
 * the directory of the broker and {@code freeze} or {@code close}. A broker is frozen before that. One that closes is halted as soon as the
 * process of the broker is gone, when it has begun at most to delete its many files.
 */
public final class BrokerOwner {

    private BrokerOwner() {}

    public static void main(String[] arguments) throws Exception {
        try (Broker broker =
            Broker.start(BrokerName.parse("artemis"), BrokerOptions.defaults().withDirectory(Path.of(arguments[0])))) {
            if (arguments[1].equals("freeze")) {
                broker.node().freeze();
            }
            System.out.println(broker.pid());
            if (arguments[1].equals("close")) {
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
