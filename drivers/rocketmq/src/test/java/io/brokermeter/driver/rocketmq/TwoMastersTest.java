package io.brokermeter.driver.rocketmq;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.driver.rocketmq.route.TopicBrokers;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Failure of one of two masters. */
@Tag("slow")
class TwoMastersTest {

    private static final Destination TOPIC = new Destination(Destination.Kind.TOPIC, "T");
    private static final ConsumerSettings KNOWN = ConsumerSettings.of(its -> {
        its.subscription = "known";
        its.durable = true;
        its.shared = true;
    });
    /** A subscription whose group is removed with its last consumer. */
    private static final ConsumerSettings PASSING = ConsumerSettings.of(its -> {
        its.subscription = "passing";
        its.shared = true;
    });
    private static final String RETRIES = "%RETRY%passing_PASSED";
    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "Q");
    private static final Destination PASSED = new Destination(Destination.Kind.TOPIC, "PASSED");
    private static final Destination WATCHED = new Destination(Destination.Kind.QUEUE, "WATCHED");
    private static final Destination READ = new Destination(Destination.Kind.QUEUE, "READ");

    @Test
    void goesOnWithTheOther() throws Exception {
        var driver = new RocketMqDriver();
        var options = RocketMqBroker.unhurried(BrokerOptions.defaults().withTopology("2-masters"));
        try (var broker = Broker.start(BrokerName.parse("rocketmq"), options)) {
            var settings = new ConnectionSettings(broker.url(), null, null, null, Duration.ofSeconds(60))
                .withProperty("queue-selection", "round-robin")
                // The client's default of 3 s is shorter than a stall of the machine, which would fail a send.
                .withProperty("sendMsgTimeout", "30000").withProperty("mqClientApiTimeout", "30000");
            var log = new ConnectionLog();
            try (var kept = driver.connect(settings.withProperty("reconnect", "true"), log);
                    var names = AdminConnection.open(RocketMqSettings.of(driver, settings), new TopicBrokers(), Set.of(), closed -> {})) {
                kept.declare(QUEUE);
                kept.declare(TOPIC);
                kept.consumer(TOPIC, KNOWN, new Deliveries()).close();
                kept.declare(PASSED);
                kept.declare(READ);
                var passed = new Deliveries();
                var passing = kept.consumer(PASSED, PASSING, passed);
                var read = new Deliveries();
                var reading = kept.consumer(READ, auto(), read);
                kept.declare(WATCHED);
                var watched = new Deliveries();
                var watching = (PushConsumer) kept.consumer(WATCHED, auto(), watched);
                for (Destination destination : List.of(PASSED, READ, WATCHED)) {
                    var others = new Sends();
                    send(kept.producer(destination, plain(), others), others, 0, 20, "b");
                    others.awaitConfirmed(20);
                }
                passed.await(20);
                read.await(20);
                watched.await(20);
                Await.until(() -> queues(names, RETRIES) > 0, () -> "no topic " + RETRIES);
                var sends = new Sends();
                var producer = kept.producer(QUEUE, plain(), sends);
                send(producer, sends, 0, 20, "m");
                sends.awaitConfirmed(20);
                // The broker counts messages once they are indexed, which may be after their confirmation.
                awaitDepth(kept, QUEUE, 20);

                var first = broker.nodes().stream().filter(node -> node.role().equals("master broker-a")).findFirst().orElseThrow();
                ProcessHandle.of(first.pid()).orElseThrow().destroyForcibly();
                Await.until(() -> log.resumptions() > 0, () -> log.interruptions() + " interruptions");
                send(producer, sends, 20, 60, "m");
                sends.awaitConfirmed(60);

                // Data that remains on the absent master must not fail a close or a deletion.
                passing.close();
                reading.close();
                kept.delete(READ);
                assertThat(passed.failures()).isEmpty();
                assertThat(read.failures()).isEmpty();
                assertThat(log.notices()).containsExactlyInAnyOrder(untold("PASSED"), untold("READ"),
                    "Topic READ remains on broker broker-a, because its master is away: it is there again with what waits in it when the"
                        + " master is back.");
                assertThat(queues(names, RETRIES)).isZero();
                assertThat(queues(names, READ.name())).isZero();

                // A consumer of an existing group needs nothing from the absent master.
                var deliveries = new Deliveries();
                try (var _ = kept.consumer(TOPIC, KNOWN, deliveries)) {
                    var others = new Sends();
                    send(kept.producer(TOPIC, plain(), others), others, 0, 20, "t");
                    others.awaitConfirmed(20);
                    deliveries.await(20);
                }

                // The name server forgets the broker, but the driver must not: half of the first messages are stored there.
                var left = new AtomicReference<@Nullable Connection>();
                Await.until(() -> anew(driver, settings, left), () -> "no connection to what is left");
                try (var anew = Objects.requireNonNull(left.get())) {
                    var others = new Sends();
                    send(anew.producer(QUEUE, plain(), others), others, 0, 20, "n");
                    others.awaitConfirmed(20);
                    assertThat(anew.depth(QUEUE)).isEmpty();
                }

                // By now the consumer has no queues of the absent master, and no positions in them.
                Await.until(() -> hasForgotten(watching, "broker-a"), () -> "the client still has queues of broker-a");
                watching.close();
                assertThat(watched.failures()).isEmpty();
                assertThat(log.notices()).contains(untold("WATCHED"));
                assertThat(sends.failures()).isEmpty();
            }
        }
    }

    private static String untold(String topic) {
        return "Broker broker-a was not told at the end what was received from " + topic
            + ", because its master is away: some of it comes again when it is back.";
    }

    /** Lets the client learn at once what it would otherwise learn within a minute. */
    private static boolean hasForgotten(PushConsumer consumer, String broker) {
        var client = consumer.impl();
        client.getmQClientFactory().updateTopicRouteInfoFromNameServer(WATCHED.name());
        client.getmQClientFactory().doRebalance();
        return client.getOffsetStore().cloneOffsetTable(WATCHED.name()).keySet().stream()
            .noneMatch(queue -> queue.getBrokerName().equals(broker));
    }

    private static int queues(AdminConnection names, String topic) {
        try {
            return names.queues(topic, false).size();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static boolean anew(RocketMqDriver driver, ConnectionSettings settings, AtomicReference<@Nullable Connection> into) {
        try {
            into.set(driver.connect(settings, new ConnectionLog()));
            return true;
        } catch (Exception e) {
            return false;
        }
    }
}
