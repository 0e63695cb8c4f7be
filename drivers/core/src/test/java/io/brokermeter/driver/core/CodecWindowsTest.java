package io.brokermeter.driver.core;

import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Payload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows of any size, with messages that are larger: everything arrives, in order and unchanged, and is acknowledged. */
class CodecWindowsTest extends BrokerTest {

    private static final ThrowawayBroker BROKER = CoreContractTest.artemis();

    CodecWindowsTest() {
        super(BROKER);
    }

    @ParameterizedTest
    @CsvSource({
        "confirmationWindowSize=0, AUTO, false", "confirmationWindowSize=500, AUTO, false", "confirmationWindowSize=1000000, BATCH, true",
        "producerWindowSize=-1, AUTO, false", "producerWindowSize=300, BATCH, false", "producerWindowSize=5000, AUTO, true",
        "consumerWindowSize=-1, AUTO, false", "consumerWindowSize=0, AUTO, false", "consumerWindowSize=0, AUTO, true",
        "consumerWindowSize=1, BATCH, false", "consumerWindowSize=3000, AUTO, true", "minLargeMessageSize=300, BATCH, false",
        "minLargeMessageSize=300&consumerWindowSize=1000&producerWindowSize=1000, AUTO, false",
        "minLargeMessageSize=300&consumerWindowSize=0, AUTO, true"})
    void everythingArrives(String query, AckMode mode, boolean mayBlock) throws Exception {
        var connection = connect(BROKER.withUrl(BROKER.settings().url() + "?" + query));
        var queue = queue();
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, ConsumerSettings.of(its -> {
            its.ackMode = mode;
            its.batch = 7;
            its.mayBlock = mayBlock;
        }), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var random = new Random(4711);
        List<byte[]> bodies = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            byte[] body = new byte[i % 50 == 49 ? 250_000 : i % 10 == 9 ? 0 : random.nextInt(2000)];
            random.nextBytes(body);
            bodies.add(body);
            producer.send(new Payload(body), i);
            if (i % 16 == 15) {
                producer.flush();
            }
        }
        producer.flush();
        sends.awaitConfirmed(200);
        deliveries.await(200);
        assertThat(deliveries.all().stream().map(Deliveries.Delivery::bytes)).containsExactlyElementsOf(bodies);
        assertThat(deliveries.failures()).isEmpty();
        assertThat(sends.violations()).isEmpty();
        consumer.close();
        awaitDepth(connection, queue, 0);
        assertThat(connection.client()).isEqualTo("brokermeter's own CORE path (protocol of Artemis 2.37)");
    }
}
