package io.brokermeter.driver.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.needs.Needs;
import org.junit.jupiter.api.Test;

class KafkaContractTest extends DriverContract {

    KafkaContractTest() {
        super(KafkaBroker.SHARED);
    }

    /** Guards as well against an admin client that uses a whole processor and logs tens of thousands of lines per minute. */
    @Test
    @Needs(fixtures = Fixture.VICTIM)
    @Override
    public void hearsWithinSecondsThatTheBrokerDied() throws Exception {
        var lines = new AtomicInteger();
        var logger = Logger.getLogger("org.apache.kafka");
        var handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (String.valueOf(record.getMessage()).contains("ebootstrapping")) {
                    lines.incrementAndGet();
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            super.hearsWithinSecondsThatTheBrokerDied();
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines.get()).isZero();
    }
}
