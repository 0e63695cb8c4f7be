package io.brokermeter.contract.subject;

import static io.brokermeter.contract.TestMessages.WINDOW;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.Victim;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Tests of brokers that die, and of connections that are restored. */
public interface Reconnecting extends Subject {

    /** The longest time until a broker that was killed is running again and its clients have reconnected. */
    Duration RESTART = Duration.ofMinutes(3);

    /** The longest time until a driver has told a break of its connections and that they are made anew. */
    Duration BREAK = Duration.ofSeconds(40);

    /** A connection that sends and one that only receives lose the same broker, since each start of one takes seconds. */
    @Test
    @Needs(fixtures = Fixture.VICTIM)
    default void hearsWithinSecondsThatTheBrokerDied() throws Exception {
        try (var victim = underTest().victim().orElseThrow().call()) {
            var received = new ConnectionLog();
            var receiving = connect(victim.settings(), received);
            var consumer = receivesAFew(receiving, victim);
            var log = new ConnectionLog();
            var connection = connect(victim.settings(), log);
            var queue = new Destination(Destination.Kind.QUEUE, "dies");
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 50, "m");
            victim.kill();
            long token = 50;
            long killed = System.nanoTime();
            Exception refusal = null;
            while (refusal == null && System.nanoTime() - killed < patience().toNanos()) {
                if (token - sends.reported() >= WINDOW) {
                    Thread.sleep(1);
                    continue;
                }
                try {
                    producer.send(payload("m" + token), token);
                    // From here on the outcome of the send is reported, even if flushing fails because the connection is broken.
                    token++;
                    producer.flush();
                } catch (Exception e) {
                    refusal = e;
                }
            }
            assertThat(refusal).as("the refusal of a send to a broker that has died").isNotNull();
            Await.until(patience(), () -> !log.losses().isEmpty(), () -> "the loss went unheard");
            sends.awaitReported((int) token);
            producer.close();
            connection.close();
            assertThat(sends.violations()).isEmpty();
            assertThat(sends.reported()).isEqualTo(token);
            assertThat(log.losses()).hasSize(1).allMatch(cause -> cause.getMessage() != null);

            Await.until(patience(), () -> !received.losses().isEmpty(),
                () -> "the broker died, and a connection that only receives was not notified of it");
            consumer.close();
            receiving.close();
            assertThat(received.losses()).hasSize(1);
            assertThatThrownBy(() -> receiving.declare(queue())).isInstanceOf(Exception.class);
        }
    }

    /** Opens a consumer that has received some messages, which another connection sent: its own must detect the loss by itself. */
    private Consumer receivesAFew(Connection receiving, Victim victim) throws Exception {
        var queue = new Destination(Destination.Kind.QUEUE, "dies.too");
        var deliveries = new Deliveries();
        var consumer = receiving.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        try (var sending = driver().connect(victim.settings(), new ConnectionLog())) {
            send(sending.producer(queue, plain(), sends), sends, 0, 10, "m");
            deliveries.await(10);
            sends.awaitConfirmed(10);
        }
        return consumer;
    }

    @Test
    @Needs(value = Capability.RECONNECT, fixtures = {Fixture.NETWORK, Fixture.RECONNECTING})
    default void reconnectsByItselfWhenTheUrlAsksForIt() throws Exception {
        var proxy = proxy();
        var settings = underTest().reconnecting(proxy.host(), proxy.port()).orElseThrow().call();
        var queue = queue();
        declare(queue);
        var log = new ConnectionLog();
        var connection = connect(settings, log);
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 10, "before ");
        deliveries.await(10);
        sends.awaitConfirmed(10);
        // A driver that samples the connections of its client may miss a break if the machine stands still in it.
        Retry.upToThree(() -> {
            proxy.cut();
            Await.until(BREAK, () -> log.interruptions() > 0 && log.resumptions() > 0,
                () -> log.interruptions() + " interruptions, " + log.resumptions() + " resumptions");
        });
        send(producer, sends, 10, 20, "after ");
        sends.awaitConfirmed(20);
        Await.until(() -> deliveries.texts().containsAll(numbered("after ", 10, 20)),
            () -> "only these arrived: " + deliveries.texts());
        assertThat(log.losses()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    @Needs(value = {Capability.RECONNECT, Capability.PERSISTENCE}, traits = BrokerTrait.STARTS_AGAIN, fixtures = Fixture.VICTIM)
    default void reportsEveryTokenWhenTheBrokerCameBack() throws Exception {
        try (var victim = underTest().victim().orElseThrow().call()) {
            var log = new ConnectionLog();
            var connection = connect(victim.reconnecting(), log);
            var queue = new Destination(Destination.Kind.QUEUE, "comes.back");
            connection.declare(queue);
            var sends = new Sends();
            var producer = connection.producer(queue,
                ProducerSettings.of(its -> { its.persistent = true; its.maxPending = WINDOW; }), sends);
            send(producer, sends, 0, 50, "m");
            victim.kill();
            var sending = Thread.ofVirtual().start(() -> {
                for (int token = 50; token < 150; token++) {
                    int next = token;
                    Await.until(RESTART, () -> next - sends.reported() < WINDOW, () -> "no report of " + (next - WINDOW));
                    boolean taken = false;
                    try {
                        producer.send(payload("m" + token), token);
                        // From here on the outcome of the send is reported, even if flushing fails because the connection is broken.
                        taken = true;
                        producer.flush();
                    } catch (Exception e) {
                        if (!taken) {
                            sends.refused(token, e);
                        }
                    }
                }
            });
            victim.startAgain();
            Await.until(RESTART, () -> log.resumptions() > 0, () -> "the connection is not back");
            sending.join();
            sends.awaitReported(150);
            assertThat(sends.violations()).isEmpty();
            assertThat(log.losses()).isEmpty();
            var deliveries = new Deliveries();
            connect(victim.settings()).consumer(queue, auto(), deliveries);
            Await.until(() -> new HashSet<>(deliveries.texts()).size() >= sends.confirmed(),
                () -> new HashSet<>(deliveries.texts()).size() + " of " + sends.confirmed() + " confirmed are there");
        }
    }
}
