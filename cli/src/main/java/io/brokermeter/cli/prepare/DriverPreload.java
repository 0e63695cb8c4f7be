package io.brokermeter.cli.prepare;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.pacing.NativeThread;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * Loads the client library that a command line probably needs, and what the JVM makes at the first use by any run, on a thread of its own,
 * while the command line is still being parsed: both take a good part of the time to the first connection. A wrong guess costs that
 * thread's work alone.
 */
public final class DriverPreload {

    private static final Duration UNUSED = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final CountDownLatch loaded = new CountDownLatch(1);

    private DriverPreload() {}

    public static DriverPreload begin(String... args) {
        DriverPreload begun = new DriverPreload();
        Thread.ofPlatform().daemon().name("brokermeter-head-start").start(() -> {
            try {
                // The command line has numbers, for which the JVM computes tables.
                Rate.parse("1");
                load(List.of(args));
            } finally {
                begun.loaded.countDown();
            }
            // Calls of C, for which the JVM generates classes; they come later in the run.
            Terminal.columns();
            NativeThread.lowerTimerSlack();
        });
        return begun;
    }

    /** Waits for the library, at most 5 s: two threads that initialize the classes of one library could block each other. */
    public void await() {
        try {
            loaded.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void load(List<String> words) {
        try {
            Optional<String> url = value(words, "--url");
            Drivers drivers = Drivers.load();
            String broker = value(words, "--broker").orElseGet(Broker.names()::getFirst);
            String protocol = value(words, "--protocol").map(name -> name.toUpperCase(Locale.ROOT))
                .orElseGet(() -> drivers.ofUrl(url.orElse(null),
                    drivers.firstOf(Broker.protocols(BrokerName.parse(broker)), broker)));
            Driver driver = drivers.get(protocol);
            driver.check(new ConnectionSettings(url.orElseGet(() -> drivers.localUrl(protocol)), null, null, null, UNUSED));
        } catch (RuntimeException e) {
            // A mistake in the command line is reported where it is parsed.
        }
    }

    private static Optional<String> value(List<String> words, String option) {
        @Nullable String value = null;
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).startsWith(option + "=")) {
                value = words.get(i).substring(option.length() + 1);
            } else if (words.get(i).equals(option) && i + 1 < words.size()) {
                value = words.get(i + 1);
            }
        }
        return Optional.ofNullable(value);
    }
}
