package io.brokermeter.driver.redis;

import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisProtocol;

/** A server that closes connections that are idle for a second. */
class IdleTest extends BrokerTest {

    private static final ThrowawayBroker BROKER = new ThrowawayBroker(new RedisDriver(), "redis", "redis://HOST:PORT")
        .with(options -> options.withProperty("timeout", "1"));

    IdleTest() {
        super(BROKER);
    }

    @Test
    void whatTheServerClosesWhileNothingIsPendingIsNotLost() throws Exception {
        var log = new ConnectionLog();
        var connection = connect(settings(), log);
        var queue = queue();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        var watching = new PipelinedConnection(new HostAndPort("127.0.0.1", BROKER.port()),
            DefaultJedisClientConfig.builder().protocol(RedisProtocol.RESP2).socketTimeoutMillis(60_000).build());
        long before = connections(watching);
        Await.until(patience(), () -> connections(watching) >= before + 2, () -> "connections so far: " + connections(watching));
        send(producer, sends, 10, 20, "m");
        sends.awaitConfirmed(20);
        assertThat(connection.depth(queue)).hasValue(20);
        assertThat(log.losses()).isEmpty();
        watching.drop();
    }

    /** Returns how many connections the server has taken. */
    private static long connections(PipelinedConnection watching) {
        var info = new String((byte[]) watching.ask(Command.INFO, "stats"), StandardCharsets.UTF_8);
        return info.lines().filter(line -> line.startsWith("total_connections_received:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
    }
}
