package io.brokermeter.contract.subject;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.brokermeter.contract.Acceptor;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.api.Test;

/** Tests of URLs with several servers, of which not all are there. */
public interface SeveralServers extends Subject {

    /** The time to connect in which one of two servers is silent: a half of it must suffice for the other one. */
    Duration HASTE = Duration.ofSeconds(8);

    /**
     * One of the dead servers refuses connections, and one ends them at once, as a proxy does whose server is gone. Some clients choose one
     * of several servers by chance, so each order is tried more than once.
     */
    @Test
    @Needs(fixtures = Fixture.SEVERAL_SERVERS)
    default void aDeadServerBesideTheBrokerCostsNothing() throws Exception {
        try (var ending = new Acceptor(0, SeveralServers::end)) {
            var dead = List.of("127.0.0.1:" + FreePorts.one(),
                "127.0.0.1:" + (has(BrokerTrait.LEAVES_A_SILENT_SERVER) ? ending.port() : FreePorts.one()));
            for (int i = 0; i < 3; i++) {
                carries(among(dead, List.of()));
                carries(among(List.of(), dead));
            }
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // its other end closed it
        }
    }

    @Test
    @Needs(traits = BrokerTrait.LEAVES_A_SILENT_SERVER, fixtures = Fixture.SEVERAL_SERVERS)
    default void aServerThatAcceptsAndIsSilentLeavesTimeForTheBroker() throws Exception {
        Queue<Socket> held = new ConcurrentLinkedQueue<>();
        try (var silent = new Acceptor(0, held::add)) {
            var settings = among(List.of("127.0.0.1:" + silent.port()), List.of());
            var hasty = new ConnectionSettings(settings.url(), settings.user(), settings.password(), settings.clientId(), HASTE,
                settings.properties());
            Retry.upTo(3, Exception.class, () -> {
                carries(hasty);
                return held;
            });
        } finally {
            for (var socket : held) {
                socket.close();
            }
        }
    }

    private ConnectionSettings among(List<String> before, List<String> behind) throws Exception {
        return underTest().among(before, behind).orElseThrow().call();
    }

    /** Asserts that a connection sends and receives, and reports nothing. */
    private void carries(ConnectionSettings settings) throws Exception {
        var queue = queue();
        var log = new ConnectionLog();
        driver().check(settings);
        try (var connection = driver().connect(settings, log)) {
            connection.declare(queue);
            var deliveries = new Deliveries();
            var consumer = connection.consumer(queue, auto(), deliveries);
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 20, "m");
            sends.awaitConfirmed(20);
            deliveries.await(20);
            consumer.close();
            producer.close();
            if (has(BrokerTrait.DELETES)) {
                connection.delete(queue);
            }
        }
        assertThat(log.losses()).isEmpty();
        assertThat(log.interruptions()).as("interruptions").isZero();
        assertThat(log.resumptions()).as("resumptions").isZero();
    }
}
