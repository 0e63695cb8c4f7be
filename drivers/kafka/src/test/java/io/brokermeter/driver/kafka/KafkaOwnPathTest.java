package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;

/** Behaviour of brokermeter's own path at a broker beyond the contract. */
class KafkaOwnPathTest extends BrokerTest {

    KafkaOwnPathTest() {
        super(KafkaBroker.SHARED);
    }

    /** Members join and leave while messages come. Guards against fetches that outlive a partition's revocation, and against lost positions. */
    @Test
    void deliversEachMessageOnceWhileMembersComeAndGo() throws Exception {
        var queue = queue();
        var all = settings().withProperty("partition", "round-robin");
        var sends = new Sends();
        var producer = connect(all).producer(queue, plain(), sends);
        var first = new Deliveries();
        var staying = connect(all);
        var leaving = staying.consumer(queue, auto(), first);
        send(producer, sends, 0, 400, "a");
        first.await(400);
        var second = receiving(connect(all), queue);
        send(producer, sends, 400, 800, "b");
        Deliveries.await(800, first, second);
        assertThat(second.count()).isPositive();
        leaving.close();
        send(producer, sends, 800, 1200, "c");
        var third = receiving(staying, queue);
        Deliveries.await(1200, first, second, third);
        var texts = new ArrayList<>(first.texts());
        texts.addAll(second.texts());
        texts.addAll(third.texts());
        assertThat(texts).hasSize(1200).doesNotHaveDuplicates();
    }

    /** Each side uses the own path where that has what is asked for, whatever the other one does. */
    @Test
    void saysWhyTheClientDoesAPart() throws Exception {
        var log = new ConnectionLog();
        var queue = queue();
        var connection = connect(settings().withProperty("compression.type", "lz4"), log);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 100, "m");
        sends.awaitConfirmed(100);
        assertThat(connection.client()).isEqualTo(OwnPath.LIBRARY);
        receiving(connection, queue).await(100);
        assertThat(connection.client()).isEqualTo("brokermeter Kafka path and " + OwnPath.LIBRARY);
        assertThat(log.notices()).containsExactly("KAFKA sends over " + OwnPath.LIBRARY
            + " because of compression.type=lz4, which brokermeter's own path has not.");
        assertThat(connection.producer(queue, transacted(), new Sends())).isInstanceOf(TransactedProducer.class);
        assertThat(log.notices()).last().asString().contains("because of transactions, which");
    }

    /** The listener behind the proxy advertises the proxy's address, so all connections come through it. */
    @Test
    void carriesMessagesFromTheAddressThatItIsTold() throws Exception {
        var log = new ConnectionLog();
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var connection = connect(underTest().settings(proxy.host(), proxy.port()).withSource("127.0.0.77"), log);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 100, "m");
        assertThat(proxy.clients()).containsExactlyInAnyOrder("127.0.0.1", "127.0.0.77");
        receiving(connection, queue).await(100);
        assertThat(log.notices()).singleElement().asString().contains("comes from the address that the system chooses");
    }

    /** Each of 100 partitions has its messages, some of 900 kB, in the order in which they were sent. */
    @Test
    void sendsToAndFetchesFromManyPartitions() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("partitions", "100").withProperty("partition", "round-robin"));
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 1000, "m");
        deliveries.await(1000);
        var body = "x".repeat(900_000);
        send(producer, sends, 1000, 1010, body);
        deliveries.await(1010);
        assertThat(deliveries.texts().subList(1000, 1010)).allMatch(text -> text.startsWith(body) && text.length() == body.length() + 4);
        assertThat(new HashSet<>(deliveries.texts())).hasSize(1010);
        assertThat(sends.violations()).isEmpty();
    }

    /** A producer and the members of a group live through the restart of their only broker. */
    @Test
    void goesOnWhenItsBrokerStartsAgain() throws Exception {
        try (var victim = underTest().victim().orElseThrow().call()) {
            var log = new ConnectionLog();
            var connection = connect(victim.reconnecting(), log);
            var queue = new Destination(Destination.Kind.QUEUE, "starts.again");
            connection.declare(queue);
            var deliveries = receiving(connection, queue);
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 50, "m");
            deliveries.await(50);
            sends.awaitConfirmed(50);
            victim.kill();
            victim.startAgain();
            Await.until(Duration.ofMinutes(3), () -> log.resumptions() > 0, () -> "the connection is not back");
            send(producer, sends, 50, 100, "m");
            Await.until(Duration.ofMinutes(3), () -> new HashSet<>(deliveries.texts()).containsAll(numbered("m", 0, 100)),
                () -> "only these arrived: " + deliveries.texts());
            assertThat(sends.violations()).isEmpty();
            assertThat(log.losses()).isEmpty();
            assertThat(connection.client()).startsWith("brokermeter Kafka path and ");
        }
    }
}
