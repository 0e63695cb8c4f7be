package io.brokermeter.engine.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Messages;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory that is estimated for producers is the memory that they take. */
class EstimateTest {

    private static Footprint of(int producers, Consumer<ProducerSide.Draft> change) {
        var endpoint = new Endpoint("LOOPBACK", new ConnectionSettings("loopback://estimate", null, null, null, Duration.ofSeconds(1)));
        var limits = new Limits(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
        ProducerSide side = ProducerSide.plain(endpoint, List.of(Destination.parse("queue://Q")), 1, Messages.ofSize(1000)).with(group -> {
            group.perDestination = producers;
            change.accept(group);
        });
        return Footprint.of(Plan.of(Scenario.of("test", limits, its -> its.producers = List.of(side)), List.of(new LoopbackDriver())));
    }

    @Test
    void bodies(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("lines"), List.of("x".repeat(300), "y"));
        assertThat(of(3, side -> {}).bodies()).isEqualTo(3_000);
        assertThat(of(3, side -> side.messages = Messages.of(its -> its.content = new Content.Lines(file))).bodies()).isEqualTo(900);
        assertThat(of(3, side -> side.messages = Messages.of(its -> its.content = new Content.WholeFile(file))).bodies()).isZero();
    }

    /** Five producers share the memory for 4 million messages in powers of two; a transaction must fit into any window. */
    @Test
    void windowsWithoutALimit() {
        assertThat(of(5, side -> side.maxPending = 0).windows()).isEqualTo(5L * 524_288 * 24);
        assertThat(of(1, side -> {
            side.maxPending = 0;
            side.commitInterval = 2_000_000;
        }).windows()).isEqualTo(2_097_152L * 24);
    }

    @Test
    void windowsWithALimit() {
        assertThat(of(3, side -> side.maxPending = 1).windows()).isEqualTo(3L * 2 * 24);
        assertThat(of(3, side -> side.maxPending = 1000).windows()).isEqualTo(3L * 1024 * 24);
        assertThat(of(3, side -> side.commitInterval = 100).windows()).isEqualTo(3L * 128 * 24);
    }
}
