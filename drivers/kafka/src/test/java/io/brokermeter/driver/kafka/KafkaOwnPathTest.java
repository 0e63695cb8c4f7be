package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.payload;
import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Behaviour of brokermeter's own path at a broker beyond the contract. */
class KafkaOwnPathTest extends BrokerTest {

    KafkaOwnPathTest() {
        super(KafkaBroker.OWN);
    }

    /** A leader that is not yet aware of its role may refuse the first of several requests and accept a later one. */
    @Test
    void sendsAtOnceToTopicsThatDidNotExist() throws Exception {
        var connection = connect(settings().withProperty("batch.size", "500"));
        for (int topic = 0; topic < 5; topic++) {
            var sends = new Sends();
            var producer = connection.producer(queue(), ProducerSettings.DEFAULT, sends);
            for (int i = 0; i < 300; i++) {
                producer.send(payload("" + i), i);
            }
            sends.awaitConfirmed(300);
            assertThat(sends.violations()).isEmpty();
            producer.close();
        }
    }
}
