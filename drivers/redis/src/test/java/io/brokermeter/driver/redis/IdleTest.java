package io.brokermeter.driver.redis;

import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import org.junit.jupiter.api.Test;

/** A server that closes connections that are idle, told to do so now instead of after its {@code timeout}. */
class IdleTest extends BrokerTest {

    private static final ThrowawayBroker BROKER = new ThrowawayBroker(new RedisDriver(), "redis", "redis://HOST:PORT");

    IdleTest() {
        super(BROKER);
    }

    @Test
    void whatTheServerClosesWhileNothingIsPendingIsNotLost() throws Exception {
        var log = new ConnectionLog();
        var connection = connect(settings(), log);
        var queue = queue();
        var sends = new Sends();
        var producer = (RedisProducer) connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        var first = producer.socket();
        var server = RedisTest.client(BROKER.port(), new byte[0]);
        server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        Await.until(patience(), () -> producer.socket() != first, () -> "the producer has not connected again");
        send(producer, sends, 10, 20, "m");
        sends.awaitConfirmed(20);
        assertThat(connection.depth(queue)).hasValue(20);
        assertThat(log.losses()).isEmpty();
        server.drop();
    }
}
