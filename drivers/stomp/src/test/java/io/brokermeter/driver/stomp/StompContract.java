package io.brokermeter.driver.stomp;

import static io.brokermeter.contract.BrokerTrait.DELETES;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerRows;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;

/** The contract of STOMP with each broker. */
abstract class StompContract extends BrokerTest implements BrokerRows {

    StompContract(BrokerUnderTest broker) {
        super(broker);
    }

    /** Creates a broker of a kind, which is also the value of the parameter {@code broker}. */
    static ThrowawayBroker broker(String kind) {
        return new ThrowawayBroker(new StompDriver(), kind, "stomp://HOST:PORT?broker=" + kind).protocol("STOMP").login("correct horse")
            .several("stomp://", "", "?broker=" + kind).without(DELETES).tls("stomp+ssl://HOST:PORT", Wish::parameters);
    }

    /** Returns settings with an additional parameter. */
    final ConnectionSettings with(String name, String value) {
        return settings().withProperty(name, value);
    }

    @Test
    void knowsTheBrokerByWhatItSays() throws Exception {
        var connection = connect(settings().withUrl(settings().url().replaceAll("\\?.*", "")));
        assertThat(connection.broker()).containsPattern("(?i)MQ.* \\d+\\.\\d+");
        var queue = queue();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var producer = connection.producer(queue, plain(), new Sends());
        send(producer, new Sends(), 0, 3, "m");
        deliveries.await(3);
    }

    @Test
    void speaksEveryVersion() throws Exception {
        for (var version : new String[] {"1.0", "1.1", "1.2"}) {
            var queue = queue();
            var connection = connect(with("version", version));
            var deliveries = new Deliveries();
            connection.consumer(queue, ConsumerSettings.DEFAULT, deliveries);
            var sends = new Sends();
            var headers = version.equals("1.0") ? Map.of("color", "red")
                : Map.of("color", "red", "odd:name", "a:b\\c\nd");
            var producer = connection.producer(queue,
                ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, headers))), sends);
            send(producer, sends, 0, 50, version + "/");
            deliveries.await(50);
            sends.awaitConfirmed(50);
            assertThat(deliveries.texts()).first().isEqualTo(version + "/0");
            connection.close();
        }
    }

    @Test
    void acknowledgesInEveryMode() throws Exception {
        for (var ack : new String[] {"auto", "client", "client-individual"}) {
            var queue = queue();
            fill(queue, 300);
            for (var mayBlock : new boolean[] {true, false}) {
                var deliveries = new Deliveries();
                var connection = connect(with("ack", ack));
                connection.consumer(queue,
                    ConsumerSettings.of(its -> its.mayBlock = mayBlock), deliveries);
                if (mayBlock) {
                    deliveries.await(300);
                    connection.close();
                } else {
                    send(connect().producer(queue, plain(), new Sends()), new Sends(), 0, 1, "only");
                    deliveries.await(1);
                    assertThat(deliveries.texts()).containsExactly("only0");
                }
            }
        }
    }

    @Test
    void confirmsWhatIsWrittenWhenNoReceiptsAreWanted() throws Exception {
        var queue = queue();
        var settings = with("receipts", "false");
        assertThat(driver().capabilities(settings)).doesNotContain(Capability.CONFIRMATIONS);
        var connection = connect(settings);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        for (int i = 0; i < 500; i++) {
            producer.send(payload("m" + i), i);
        }
        producer.flush();
        assertThat(sends.confirmed()).isEqualTo(500);
        producer.send(payload("m500"), 500);
        producer.close();
        assertThat(sends.confirmed()).isEqualTo(501);
        assertThat(sends.violations()).isEmpty();
        assertThat(receive(queue, 501)).isEqualTo(IntStream.rangeClosed(0, 500).mapToObj(i -> "m" + i).toList());
    }

    @Test
    void confirmsManyMessagesWithOneReceipt() throws Exception {
        var queue = queue();
        var connection = connect(with("receipts-every", "7"));
        var one = new Sends();
        var two = new Sends();
        var first = connection.producer(queue, plain(), one);
        var second = connection.producer(queue, plain(), two);
        for (int i = 0; i < 40; i++) {
            first.send(payload("one" + i), i);
            // then the last message of the first producer is not the last one in the buffer, or is already sent
            if (i % 3 == 0) {
                second.send(payload("two" + i / 3), i / 3);
            }
            if (i % 5 == 0) {
                first.flush();
                one.awaitConfirmed(i + 1);
            }
            if (i % 9 == 0) {
                second.flush();
                two.awaitConfirmed(i / 3 + 1);
            }
        }
        first.close();
        second.close();
        assertThat(one.confirmed()).isEqualTo(40);
        assertThat(two.confirmed()).isEqualTo(14);
        assertThat(one.violations()).isEmpty();
        assertThat(two.violations()).isEmpty();
        assertThat(receive(queue, 54)).contains("one39", "two13");
    }

    @Test
    void sendsPersistentMessagesOfAGroupWithATimeToLive() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var group = driver().capabilities(settings()).contains(Capability.MESSAGE_GROUPS) ? "group" : null;
        send(connection.producer(queue, ProducerSettings.of(its -> {
            its.persistent = true;
            its.ttlMillis = 600_000;
            its.variants = List.of(new MessageVariant(group, -1, Map.of()));
        }), sends),
            sends, 0, 100, "p");
        sends.awaitConfirmed(100);
        send(connection.producer(queue, ProducerSettings.of(its -> {
            its.persistent = true;
            its.ttlMillis = 1;
            its.variants = List.of(new MessageVariant(group, -1, Map.of()));
        }), sends),
            sends, 100, 110, "expires");
        sends.awaitConfirmed(110);
        awaitMoment(System.currentTimeMillis() + 50);
        var deliveries = new Deliveries();
        connect().consumer(queue, auto(), deliveries);
        send(connection.producer(queue, plain(), sends), sends, 110, 111, "last");
        Await.until(() -> deliveries.texts().contains("last110"), () -> "" + deliveries.texts());
        assertThat(deliveries.count()).isEqualTo(101);
    }

    @Test
    @Needs(Capability.SELECTORS)
    void deliversOnlyWhatASelectorChooses() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue,
            ConsumerSettings.of(its -> its.selector = "color = 'red:1'"), deliveries);
        for (var color : new String[] {"blue", "red:1"}) {
            var sends = new Sends();
            var producer = connection.producer(queue,
                ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of("color", color)))), sends);
            send(producer, sends, 0, 10, color);
            sends.awaitConfirmed(10);
        }
        deliveries.await(10);
        assertThat(deliveries.texts()).allMatch(text -> text.startsWith("red"));
    }

    @Test
    void saysWhyASelectorIsRefused() throws Exception {
        var queue = queue();
        var selected = ConsumerSettings.of(its -> its.selector = "is no ( selector");
        assertThatThrownBy(() -> connect().consumer(queue, selected, new Deliveries()))
            .message().containsIgnoringCase("selector");
    }

    @Test
    void limitsWhatIsSentAhead() throws Exception {
        var queue = queue();
        fill(queue, 20);
        var second = new Deliveries();
        var first = new Deliveries(delivery -> {
            if (delivery.text().equals("m0")) {
                Await.until(() -> second.count() == 19, () -> "the other consumer got " + second.count() + " of 19");
            }
            return Settlement.ACCEPT;
        });
        connect().consumer(queue, ConsumerSettings.of(its -> {
            its.prefetch = 1;
            its.mayBlock = true;
        }), first);
        first.await(1);
        connect().consumer(queue, auto(), second);
        second.await(19);
        assertThat(first.texts()).containsExactly("m0");
    }

    /** More messages than brokers send ahead, so that acknowledgements of many messages must restore the credit. */
    @Test
    void keepsReceivingInBatches() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var payload = new Payload(new byte[2048]);
        for (int i = 0; i < 2500; i++) {
            producer.send(payload, i);
        }
        producer.flush();
        sends.awaitConfirmed(2500);
        for (var mayBlock : new boolean[] {false, true}) {
            var deliveries = new Deliveries();
            var consumer = connect().consumer(queue,
                ConsumerSettings.of(its -> {
                    its.ackMode = AckMode.BATCH;
                    its.batch = 100;
                    its.mayBlock = mayBlock;
                }), deliveries);
            if (!mayBlock) {
                deliveries.await(2500);
                consumer.close();
                assertThat(deliveries.count()).isEqualTo(2500);
                send(producer, sends, 2500, 2600, "m");
            } else {
                deliveries.await(100);
                assertThat(deliveries.texts()).first().isEqualTo("m2500");
            }
        }
    }

    /** After a stall of three seconds the broker closes the connection of a live client, so the test makes up to five attempts. */
    @Test
    void staysAliveByHeartBeats() throws Exception {
        var losses = lossesByHeartBeats();
        for (int again = 0; again < 4 && !losses.isEmpty(); again++) {
            losses = lossesByHeartBeats();
        }
        assertThat(losses).isEmpty();
    }

    /** Uses a connection with heart-beats after it was idle for longer than their interval, and returns the losses of it. */
    private List<Throwable> lossesByHeartBeats() throws Exception {
        var log = new ConnectionLog();
        var connection = connect(with("heart-beat", "3000,3000"), log);
        var deliveries = new Deliveries();
        try {
            var queue = queue();
            connection.consumer(queue, auto(), deliveries);
            awaitMoment(System.currentTimeMillis() + 7000);
            send(connection.producer(queue, plain(), new Sends()), new Sends(), 0, 1, "alive");
            Await.until(() -> deliveries.count() == 1 || !log.losses().isEmpty(), () -> "nothing came");
        } catch (Exception e) {
            // a request fails on a connection that is lost, which is told at about the same time
            if (!Await.holdsWithin(Duration.ofSeconds(60), () -> !log.losses().isEmpty())) {
                throw e;
            }
        }
        return log.losses();
    }

    @Test
    void noticesAMissingHeartBeat() throws Exception {
        var proxy = proxy();
        var log = new ConnectionLog();
        // none of ours: the broker would miss them when this process stands still, and end the connection first
        connect(settings(proxy.host(), proxy.port()).withProperty("heart-beat", "0,500"), log);
        proxy.hold();
        Await.until(() -> !log.losses().isEmpty(), () -> "nothing was missed");
        assertThat(log.losses().getFirst()).hasMessageContaining("heart-beat");
    }

    @Test
    void givesUpABrokerThatStoppedReading() throws Exception {
        var proxy = proxy();
        var queue = queue();
        var given = settings(proxy.host(), proxy.port());
        var connection = connect(new ConnectionSettings(given.url(), given.user(), given.password(), null,
            Duration.ofSeconds(40)).withProperty("receipts", "false"));
        var producer = connection.producer(queue, plain(), new Sends());
        proxy.hold();
        var stuck = Thread.ofPlatform().start(() -> {
            try {
                var payload = new Payload(new byte[100_000]);
                for (int i = 0; i < 1000; i++) {
                    producer.send(payload, i);
                    producer.flush();
                }
            } catch (Exception e) {
                // expected: the connection is closed
            }
        });
        var reason = new AtomicReference<>("");
        Await.until(() -> {
            reason.set(producer.stallReason());
            return !reason.get().isEmpty();
        }, () -> "no stall");
        assertThat(reason.get()).contains("does not read");
        connection.close();
        stuck.join(Duration.ofSeconds(60));
        assertThat(stuck.isAlive()).isFalse();
    }

    private static void awaitMoment(long millis) {
        Await.until(() -> System.currentTimeMillis() > millis, () -> "the clock stands still");
    }

    /** A queue name with characters that have a special meaning for brokers. */
    @Test
    void takesUnusualNames() throws Exception {
        var queue = new Destination(Destination.Kind.QUEUE, "odd name/with%41:" + System.nanoTime());
        var connection = connect();
        connection.declare(queue);
        fill(queue, 3);
        assertThat(receive(queue, 3)).containsExactly("m0", "m1", "m2");
    }
}
