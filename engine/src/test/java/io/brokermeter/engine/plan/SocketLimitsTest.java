package io.brokermeter.engine.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.scenario.Connecting;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.junit.jupiter.api.Test;

class SocketLimitsTest {

    private static Plan plan(int producers, boolean sockets, String... sources) {
        var endpoint = new Endpoint("LOOPBACK", new ConnectionSettings("loopback://limits", null, null, null, Duration.ofSeconds(1)));
        ProducerGroupSpec spec = ProducerGroupSpec.plain(endpoint, List.of(Destination.parse("queue://Q")), 1, Messages.ofSize(100))
            .with(group -> group.perDestination = producers);
        var limits = new Limits(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
        var loopback = new LoopbackDriver();
        Driver driver = (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class},
            (_, method, arguments) -> method.getName().equals("connectsBySockets") ? sockets
                : method.getName().equals("takesSource") ? Boolean.TRUE : method.invoke(loopback, arguments));
        return Plan.of(Scenario.of("test", limits, its -> {
            its.producers = List.of(spec);
            its.connecting = Connecting.PLAIN.from(List.of(sources));
        }), List.of(driver));
    }

    private static void check(Plan plan, long files, long ports) {
        SocketLimits.check(plan, Share.whole(plan), files, ports);
    }

    /** Each agent has its own limit, and its own share of the connections. */
    @Test
    void connectionsOfOtherSharesDoNotCount() {
        Plan plan = plan(725, true);
        var producers = new BitSet();
        producers.set(0, 724);
        SocketLimits.check(plan, new Share(1, producers, new BitSet()), 1_024, 724);
        assertThatThrownBy(() -> SocketLimits.check(plan, new Share(1, producers, new BitSet()), 1_024, 723))
            .hasMessageContaining("724 connections to loopback://limits are more than the 723");
    }

    @Test
    void moreConnectionsThanFilesAreRefused() {
        check(plan(724, true), 1_024, 28_232);
        assertThatThrownBy(() -> check(plan(725, true), 1_024, 28_232)).isInstanceOf(UsageException.class)
            .hasMessage("725 connections are more than this process may have open (1,024 files, of which it needs 300 for the rest); "
                + "raise the limit with 'ulimit -n 1025'.");
        check(plan(725, true), -1, -1);
        check(plan(725, false), 1_024, 100);
    }

    @Test
    void moreConnectionsThanPortsAreRefusedUnlessThereAreMoreAddresses() {
        assertThatThrownBy(() -> check(plan(1_001, true), 1L << 20, 1_000)).isInstanceOf(UsageException.class)
            .hasMessageContaining("1,001 connections to loopback://limits are more than the 1,000 that 1 local address of this machine");
        check(plan(1_001, true, "127.0.0.2", "127.0.0.3"), 1L << 20, 1_000);
    }

    @Test
    void connectionsGoOutFromTheAddressesInTurn() {
        Connecting from = Connecting.PLAIN.from(List.of("a", "b", "c"));
        assertThat(List.of(from.source(0), from.source(1), from.source(2), from.source(3), from.source(7))).containsExactly("a", "b", "c",
            "a", "b");
        assertThat(Connecting.PLAIN.source(3)).isNull();
    }
}
