package io.brokermeter.driver.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import org.junit.jupiter.api.Test;

class RedisContractTest extends DriverContract {

    private static final ThrowawayBroker BROKER = new ThrowawayBroker(new RedisDriver(), "redis", "redis://HOST:PORT")
        .login("correct horse").parameter("claim-after", "10").killing("redis");

    RedisContractTest() {
        super(BROKER);
    }

    @Test
    void namesTheServerWithItsVersion() throws Exception {
        assertThat(connect().broker()).matches("Redis \\d+\\.\\d+.*");
    }
}
