package io.brokermeter.brokers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.NativeProcess;
import io.brokermeter.brokers.process.NativeProcessTest;

/** A process that owns an installed program until it is killed: prints the id of the program's process and waits for at most a minute. */
public final class NativeOwner {

    private NativeOwner() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        try (NativeProcess process = new NativeCommand(Path.of("/bin/sh"), directory, BrokerOptions.defaults())
            .with("-c", NativeProcessTest.BROKER)
            .start(BrokerName.parse("shell"), "broker", 1, () -> Files.exists(directory.resolve("ready")))) {
            System.out.println(process.pid());
            process.awaitExit(Duration.ofMinutes(1));
        }
    }
}
