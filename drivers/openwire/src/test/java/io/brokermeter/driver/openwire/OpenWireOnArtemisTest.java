package io.brokermeter.driver.openwire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The main features of the protocol, against the OpenWire implementation of another broker. */
@Tag("slow")
class OpenWireOnArtemisTest {

    @Test
    void sendsAndReceives() throws Exception {
        try (var broker = Broker.start(BrokerName.parse("artemis"), BrokerOptions.defaults().withHeap("300m"));
                var connection = new OpenWireDriver().connect(new ConnectionSettings(
                    broker.urls().get("OPENWIRE"), null, null, null, Duration.ofSeconds(60)), new ConnectionLog())) {
            var queue = new Destination(Destination.Kind.QUEUE, "q");
            var topic = new Destination(Destination.Kind.TOPIC, "t");
            connection.declare(queue);
            for (var destination : new Destination[] {queue, topic}) {
                var deliveries = new Deliveries();
                var consumer = connection.consumer(destination,
                    ConsumerSettings.of(its -> {
                        its.ackMode = AckMode.BATCH;
                        its.batch = 7;
                        its.prefetch = 50;
                        its.mayBlock = true;
                        its.selector = "a = 'b'";
                    }), deliveries);
                var sends = new Sends();
                var producer = connection.producer(destination,
                    ProducerSettings.of(its -> {
                        its.persistent = true;
                        its.maxPending = 100;
                        its.variants = List.of(new MessageVariant(null, -1, Map.of("a", "b")));
                    }), sends);
                for (int i = 0; i < 100; i++) {
                    producer.send(new Payload(new byte[] {(byte) i}), i);
                }
                producer.flush();
                sends.awaitConfirmed(100);
                deliveries.await(100);
                producer.close();
                consumer.close();
                assertThat(deliveries.failures()).isEmpty();
                assertThat(deliveries.all().get(99).bytes()).containsExactly(99);
            }
            assertThat(connection.broker()).isEqualTo("ActiveMQ Artemis");
        }
    }
}
