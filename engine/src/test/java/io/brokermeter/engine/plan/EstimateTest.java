package io.brokermeter.engine.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory that is estimated for producers is the memory that they take. */
class EstimateTest {

    private static Footprint of(int producers, Consumer<ProducerGroupSpec.Draft> change) {
        return Footprint.of(plan(producers, new LoopbackDriver(), change));
    }

    private static Plan plan(int producers, Driver driver, Consumer<ProducerGroupSpec.Draft> change) {
        var endpoint = new Endpoint("LOOPBACK", new ConnectionSettings("loopback://estimate", null, null, null, Duration.ofSeconds(1)));
        var limits = new Limits(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
        ProducerGroupSpec spec =
            ProducerGroupSpec.plain(endpoint, List.of(Destination.parse("queue://Q")), 1, Messages.ofSize(1000)).with(group -> {
                group.perDestination = producers;
                change.accept(group);
            });
        return Plan.of(Scenario.of("test", limits, its -> {
            its.producers = List.of(spec);
            its.consumers =
                List.of(ConsumerGroupSpec.plain(endpoint, List.of(Destination.parse("queue://Q"), Destination.parse("queue://R"))));
        }), List.of(driver));
    }

    @Test
    void bodies(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("lines"), List.of("x".repeat(300), "y"));
        assertThat(of(3, spec -> {}).bodies()).isEqualTo(3_000);
        assertThat(of(3, spec -> spec.messages = Messages.of(its -> its.content = new Content.Lines(file))).bodies()).isEqualTo(900);
        assertThat(of(3, spec -> spec.messages = Messages.of(its -> its.content = new Content.WholeFile(file))).bodies()).isZero();
    }

    /** Five producers share the memory for 4 million messages in powers of two; a transaction must fit into any window. */
    @Test
    void windowsWithoutALimit() {
        assertThat(of(5, spec -> spec.maxPending = 0).windows()).isEqualTo(5L * 524_288 * 24);
        assertThat(of(1, spec -> {
            spec.maxPending = 0;
            spec.commitInterval = 2_000_000;
        }).windows()).isEqualTo(2_097_152L * 24);
    }

    /** Returns a driver whose connections take so much memory. */
    private static Driver taking(ConnectionMemory each) {
        var loopback = new LoopbackDriver();
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class},
            (proxy, method, arguments) -> method.getName().equals("memory") ? each : method.invoke(loopback, arguments));
    }

    /** Two connections of the consumers, one of which gets no messages of the run. */
    @Test
    void whatTheClientsTake() {
        Plan plan = plan(3, taking(new ConnectionMemory(10_000, 20_000, 2, 1)), spec -> spec.messages = Messages.ofSize(1000));
        assertThat(Footprint.of(plan).clients()).isEqualTo(5 * 12_000);
        assertThat(Footprint.of(plan).direct()).isEqualTo(5 * 21_000);
    }

    @Test
    void whatTheClientsCannotHaveIsRefused() {
        Plan plan = plan(190, taking(new ConnectionMemory(400_000, 0, 0, 0)), spec -> spec.maxPending = 10);
        assertThatThrownBy(() -> Footprint.check(plan, 64L << 20)).isInstanceOf(UsageException.class)
            .hasMessageMatching("190 producers and 2 consumers need about 8. MiB \\(.*, connections 73, .*more than 48 MiB.*"
                + "use fewer connections or smaller messages, or give more with JAVA_ARGS=-Xmx1g or so\\.");
        Plan outside = plan(190, taking(new ConnectionMemory(0, 300_000, 0, 0)), spec -> spec.maxPending = 10);
        assertThatThrownBy(() -> Footprint.check(outside, 64L << 20)).isInstanceOf(UsageException.class)
            .hasMessageMatching("190 producers and 2 consumers on 192 connections need about 54 MiB of buffers outside the heap, more than "
                + "48 MiB.*use fewer connections or smaller messages, or give more with JAVA_ARGS=-Xmx1g or so\\.");
        Footprint.check(outside, 128L << 20);
    }

    @Test
    void consumersKnowTheLargestMessageOfTheirDestination() {
        assertThat(plan(1, new LoopbackDriver(), spec -> {}).consumers().getFirst().consumers())
            .extracting(consumer -> consumer.settings().messageBytes()).containsExactly(1000, 0);
    }

    @Test
    void windowsWithALimit() {
        assertThat(of(3, spec -> spec.maxPending = 1).windows()).isEqualTo(3L * 2 * 24);
        assertThat(of(3, spec -> spec.maxPending = 1000).windows()).isEqualTo(3L * 1024 * 24);
        assertThat(of(3, spec -> spec.commitInterval = 100).windows()).isEqualTo(3L * 128 * 24);
    }
}
