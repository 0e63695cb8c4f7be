package io.brokermeter.driver.redis;

import static io.brokermeter.contract.Messages.auto;
import static io.brokermeter.contract.Messages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

class RedisContractTest extends DriverContract {

    private static final ThrowawayBroker BROKER = new ThrowawayBroker(new RedisDriver(), "redis", "redis://HOST:PORT")
        .login("correct horse").parameter("claim-after", "4").killing("redis");

    RedisContractTest() {
        super(BROKER);
    }

    @Test
    void namesTheServerWithItsVersion() throws Exception {
        assertThat(connect().broker()).matches("Redis \\d+\\.\\d+.*");
    }

    @Test
    void sendsHeaders() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, new ProducerSettings(false, 0, null, false, false, false, 100,
            Map.of("colour", "red")), sends), sends, 0, 5, "m");
        sends.awaitConfirmed(5);
        deliveries.await(5);
    }
}
