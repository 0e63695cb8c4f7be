package io.brokermeter.driver.mqtt;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.WholeContract;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;

class MqttMosquittoContractTest extends MqttContract implements WholeContract {

    private static final ThrowawayBroker BROKER = broker("mosquitto", "5");

    MqttMosquittoContractTest() {
        super(BROKER);
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        Retry.upToThree(
            () -> assertThat(connect().broker()).isEqualTo(BROKER.broker().name().toString().replace(':', ' ')));
    }

    @Test
    void sharesOverTheOldVersionToo() throws Exception {
        var connection = connect(settings().withProperty("version", "3.1.1"));
        assertThat(connection.client()).contains("3.1.1");
        connection.consumer(new Destination(Destination.Kind.QUEUE, topic().name()), auto(), new Deliveries()).close();
    }

    /** The broker sends delivered messages again, since their acknowledgements were in transit when the connection broke. */
    @Test
    void deliversOnceWithQosTwoThoughTheConnectionBreaks() throws Exception {
        var topic = topic();
        var proxy = proxy();
        String id = "contract-" + UUID.randomUUID();
        var settings = settings(proxy.host(), proxy.port()).withClientId(id).withProperty("qos", "2");
        // Once, and before the release: a later hold would keep back what the next connection writes.
        var held = new AtomicBoolean();
        var first = new Deliveries(delivery -> {
            if (!held.get()) {
                proxy.hold();
                held.set(true);
            }
            return Settlement.ACCEPT;
        });
        var cut = connect(settings).consumer(topic, durable("once"), first);
        var sends = new Sends();
        var producer = connect(settings().withProperty("qos", "2")).producer(topic, plain(), sends);
        send(producer, sends, 0, 5, "m");
        sends.awaitConfirmed(5);
        Await.until(held::get, () -> "no message was delivered");
        proxy.cut();
        proxy.release();
        cut.close();
        var again = new Deliveries();
        var connection = connect(settings);
        var consumer = connection.consumer(topic, durable("once"), again);
        send(producer, sends, 5, 6, "m");
        Await.until(() -> again.texts().contains("m5"), () -> "only these came: " + again.texts());
        var all = new ArrayList<>(first.texts());
        all.addAll(again.texts());
        assertThat(all).containsExactlyInAnyOrder("m0", "m1", "m2", "m3", "m4", "m5");
        consumer.close();
        connection.unsubscribe(topic, "once");
    }
}
