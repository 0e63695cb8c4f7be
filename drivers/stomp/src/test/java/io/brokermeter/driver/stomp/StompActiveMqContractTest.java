package io.brokermeter.driver.stomp;

import static io.brokermeter.contract.TestMessages.consumer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.Test;

class StompActiveMqContractTest extends StompContract {

    StompActiveMqContractTest() {
        super(broker("activemq"));
    }

    @Test
    void refusesSharedSubscriptions() throws Exception {
        assertThatThrownBy(() -> connect().consumer(topic(),
            ConsumerSettings.of(its -> { its.subscription = "shared"; its.shared = true; }), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("consumers.shared");
    }

    @Test
    void commitsCumulativeAcknowledgements() throws Exception {
        var queue = queue();
        fill(queue, 30);
        var deliveries = new Deliveries();
        var consumer = connect(with("ack", "client")).consumer(queue, consumer(AckMode.TRANSACTED, 10), deliveries);
        deliveries.await(30);
        consumer.close();
        assertThat(deliveries.failures()).isEmpty();
        fill(queue, 1);
        assertThat(receive(queue, 1)).containsExactly("m0");
    }
}
