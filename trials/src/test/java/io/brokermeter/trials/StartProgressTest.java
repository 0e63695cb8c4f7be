package io.brokermeter.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartProgressTest {

    private final BlockingQueue<String> fetching = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> starting = new LinkedBlockingQueue<>();

    @TempDir
    Path store;

    private StartProgress begin() {
        return new StartProgress(BrokerName.parse("kafka:4.4.0"), BrokerOptions.defaults(), fetching::add, starting::add, store);
    }

    @Test
    void theFirstStartSaysHowLongItTakesAndTheNextHowLongIsLeft() throws Exception {
        try (StartProgress first = begin()) {
            assertThat(starting.poll(60, TimeUnit.SECONDS)).matches("Starting kafka:4.4.0, \\d+ s so far");
            first.ready();
        }
        Path memo = store.resolve("kafka-4.4.0-single.txt");
        assertThat(Long.parseLong(Files.readString(memo).strip())).isGreaterThanOrEqualTo(500);
        Files.writeString(memo, "3600000\n");
        starting.clear();
        try (StartProgress _ = begin()) {
            assertThat(starting.poll(60, TimeUnit.SECONDS)).matches("Starting kafka:4.4.0, about \\d+ min left");
        }
        Files.writeString(memo, "1\n");
        starting.clear();
        try (StartProgress _ = begin()) {
            assertThat(starting.poll(60, TimeUnit.SECONDS)).endsWith("so far, which is longer than last time");
        }
    }

    @Test
    void whatIsFetchedIsSaidAsItComes() throws Exception {
        try (StartProgress progress = begin()) {
            progress.accept("Fetching kafka, 3 of 40 files");
            assertThat(fetching.poll()).isEqualTo("Fetching kafka, 3 of 40 files");
        }
    }
}
