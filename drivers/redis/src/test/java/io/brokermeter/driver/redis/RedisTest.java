package io.brokermeter.driver.redis;

import static io.brokermeter.contract.Messages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Polling;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisProtocol;

/** What Redis must do beyond the contract. */
class RedisTest extends BrokerTest {

    RedisTest() {
        super(RedisContractTest.BROKER);
    }

    /** A connection of the client alone, as the user that may do everything. */
    private Pipe client() {
        return new Pipe(new HostAndPort("127.0.0.1", RedisContractTest.BROKER.port()),
            DefaultJedisClientConfig.builder().protocol(RedisProtocol.RESP2).user(ThrowawayBroker.USER)
                .password(RedisContractTest.PASSWORD).socketTimeoutMillis(60_000).build());
    }

    /** Whose rights end before the dangerous commands, as is usual; the version is asked for with one of them. */
    @Test
    void connectsAUserWhoMayNotAskForTheVersion() throws Exception {
        var pipe = client();
        pipe.ask(Command.ACL, "SETUSER", "careful", "on", ">pw", "~*", "&*", "+@all", "-@dangerous");
        var usual = settings();
        var connection = connect(new ConnectionSettings(usual.url(), "careful", Secret.of("pw"), null, usual.connectTimeout(),
            usual.properties()));
        assertThat(connection.broker()).isEqualTo("Redis");
        var queue = queue();
        var deliveries = receiving(connection, queue);
        fill(queue, 3);
        deliveries.await(3);
        pipe.drop();
    }

    /** It took over one request's worth each quarter of that time, and nothing behind ten messages that were in work. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesOverAllThatAConsumerLeftAtOnce(boolean polling) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 40);
        var pipe = client();
        pipe.ask(Command.XREADGROUP, "GROUP", "queue", "alive", "COUNT", "20", "STREAMS", queue.name(), ">");
        var left = (List<?>) pipe.ask(Command.XREADGROUP, "GROUP", "queue", "killed", "COUNT", "20", "STREAMS", queue.name(), ">");
        var claim = new ArrayList<>(List.of(queue.name(), "queue", "killed", "0"));
        for (var entry : (List<?>) ((List<?>) left.getFirst()).get(1)) {
            claim.add(new String((byte[]) ((List<?>) entry).getFirst(), StandardCharsets.US_ASCII));
        }
        claim.addAll(List.of("IDLE", "86400000", "JUSTID"));
        pipe.ask(Command.XCLAIM, claim.toArray(String[]::new));
        pipe.drop();
        var deliveries = new Deliveries();
        var consumer = connect(settings().withProperty("claim-after", "3600")).consumer(queue, ConsumerSettings.of(its -> {
            its.prefetch = 1;
            its.polling = polling;
        }), deliveries);
        if (polling) {
            try (var polls = new Polling(consumer)) {
                deliveries.await(20);
                polls.check();
            }
        } else {
            deliveries.await(20);
        }
        assertThat(deliveries.texts()).isEqualTo(numbered("m", 20, 40));
        assertThat(deliveries.all()).allMatch(Deliveries.Delivery::redelivered);
    }
}
