package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.util.Map;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets of a durable subscription over several connections. */
class DurableSubscriptionTest {

    private static final Destination TOPIC = new Destination(Destination.Kind.TOPIC, "t");
    private static final byte[] RESUMED = Bytes.packet(0x20, new byte[] {1, 0, 0});
    /** The index of the flags in CONNECT, after its first byte, the protocol name and the version. */
    private static final int FLAGS = 8;
    private static final int PUBLISH = 0x34;
    private static final int AGAIN = 0x3c;

    private final ConnectionLog log = new ConnectionLog();
    private FakeMqttBroker broker;
    /** The CONNECT packet of the session that was opened last. */
    private byte[] connect;

    @BeforeEach
    void listen() throws Exception {
        broker = new FakeMqttBroker();
    }

    @AfterEach
    void hangUp() throws Exception {
        broker.close();
    }

    private Connection connect() throws Exception {
        return broker.connect(FakeMqttBroker.ACCEPTED, log, broker.settings(Map.of("qos", "2")).withClientId("c"));
    }

    private static ConsumerSettings durable(boolean mayBlock) {
        return ConsumerSettings.of(its -> {
            its.subscription = "s";
            its.durable = true;
            its.mayBlock = mayBlock;
        });
    }

    /** Opens the subscription on a session of its own, and answers its CONNECT and SUBSCRIBE. */
    private Consumer consumer(Connection connection, byte[] answer, ConsumerSettings settings, Deliveries deliveries) throws Exception {
        var subscribing = FakeMqttBroker.aside(() -> connection.consumer(TOPIC, settings, deliveries));
        connect = broker.accept();
        broker.send(answer);
        broker.grantSubscription();
        return subscribing.get();
    }

    /** Cuts the connection of the session after the listener has accepted message 5 and left messages 6 and 7. */
    private void lose(boolean mayBlock) throws Exception {
        var taken = new Deliveries(delivery -> delivery.text().equals("taken") ? Settlement.ACCEPT : Settlement.LEAVE);
        var consumer = consumer(connect(), FakeMqttBroker.ACCEPTED, durable(mayBlock), taken);
        broker.send(new Bytes().raw(Bytes.publish(PUBLISH, "t", 5, "taken")).raw(Bytes.publish(PUBLISH, "t", 6, "left"))
            .raw(Bytes.publish(PUBLISH, "t", 7, "behind")).array());
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        broker.hangUp();
        Await.until(() -> !log.losses().isEmpty(), () -> "the loss went unheard");
        consumer.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deliversAMessageOfQosTwoOnceThoughTheConnectionBreaks(boolean mayBlock) throws Exception {
        lose(mayBlock);
        var deliveries = new Deliveries();
        consumer(connect(), RESUMED, durable(mayBlock), deliveries);
        broker.send(Bytes.publish(AGAIN, "t", 5, "taken"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        broker.send(Bytes.publish(AGAIN, "t", 6, "left"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 6);
        broker.send(Bytes.publish(AGAIN, "t", 7, "behind"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 7);
        broker.send(Bytes.of(0x62, 2, 0, 5).array());
        assertThat(broker.packet()).containsExactly(0x70, 0, 5);
        broker.send(Bytes.publish(AGAIN, "t", 5, "another"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        assertThat(deliveries.texts()).containsExactly("left", "behind", "another");
    }

    @Test
    void deliversWhatABrokerSendsUnderAKnownIdWithoutHavingKeptTheSession() throws Exception {
        lose(false);
        var deliveries = new Deliveries();
        consumer(connect(), FakeMqttBroker.ACCEPTED, durable(false), deliveries);
        broker.send(Bytes.publish(AGAIN, "t", 5, "another"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        assertThat(deliveries.texts()).containsExactly("another");
    }

    @Test
    void deliversWhatABrokerSendsForTheFirstTimeUnderAKnownId() throws Exception {
        lose(false);
        var deliveries = new Deliveries();
        consumer(connect(), RESUMED, durable(false), deliveries);
        broker.send(Bytes.publish(PUBLISH, "t", 5, "another"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        assertThat(deliveries.texts()).containsExactly("another");
    }

    /** The subscription is empty when the run begins. Messages of the run that wait for a late or reconnecting consumer are kept. */
    @Test
    void beginsEmptyOnlyWhenTheRunOpensItForTheFirstTime() throws Exception {
        var settings = broker.settings(Map.of("qos", "1", "consumer-qos", "2", "clean-start", "true")).withClientId("c");
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, settings);
        consumer(connection, FakeMqttBroker.ACCEPTED, durable(false), new Deliveries());
        assertThat(connect[FLAGS] & 2).isEqualTo(2);
        consumer(connection, RESUMED, durable(false).resumed(), new Deliveries());
        assertThat(connect[FLAGS] & 2).isZero();
    }

    @Test
    void forgetsNoSessionOfTheOldVersionThatTheRunGoesOnWith() throws Exception {
        var settings = broker.settings(Map.of("version", "3.1.1", "qos", "2", "clean-start", "true")).withClientId("c");
        byte[] accepted = Bytes.packet(0x20, new byte[] {0, 0});
        byte[] resumed = Bytes.packet(0x20, new byte[] {1, 0});
        var connection = broker.connect(accepted, log, settings);
        var subscribing = FakeMqttBroker.aside(() -> connection.consumer(TOPIC, durable(false).resumed(), new Deliveries()));
        broker.accept();
        broker.send(resumed);
        byte[] subscribe = broker.packet();
        assertThat(subscribe[0]).isEqualTo((byte) 0x82);
        broker.send(Bytes.packet(0x90, new byte[] {subscribe[1], subscribe[2], 2}));
        subscribing.get();
    }

    /** The broker keeps unacknowledged messages for the next consumer; acknowledged ones would be lost. */
    @Test
    void acknowledgesNothingThatComesBehindItsEnd() throws Exception {
        var deliveries = new Deliveries();
        var consumer = consumer(connect(), FakeMqttBroker.ACCEPTED, durable(false), deliveries);
        var closing = FakeMqttBroker.closing(consumer);
        assertThat(broker.packet()[0]).isEqualTo((byte) 0xe0);
        broker.send(Bytes.publish(0x32, "t", 1, "late"));
        assertThatThrownBy(broker::packet).isInstanceOf(EOFException.class);
        closing.get();
        assertThat(deliveries.count()).isZero();
    }
}
