package io.brokermeter.driver.stomp;

import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.WholeContract;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StompArtemisContractTest extends StompContract implements WholeContract {

    StompArtemisContractTest() {
        super(artemis());
    }

    static ThrowawayBroker artemis() {
        return broker("artemis").forbidding("forbidden").refusingAfter50().killing("artemis")
            .rareKeepAlives("heart-beat=600000,600000").refusedTls("stomp+ssl://HOST:PORT");
    }

    /** The broker sends no more than its window without an acknowledgement, so the rest of the batch would never arrive. */
    @ParameterizedTest
    @CsvSource({"10000,false", "10000,true", "0,false", "0,true"})
    void acknowledgesABatchThatIsLargerThanTheWindow(String window, boolean blocks) throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("consumer-window-size", window));
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 500, "m");
        sends.awaitConfirmed(500);
        var deliveries = new Deliveries();
        connection.consumer(queue, ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = 300;
            its.mayBlock = blocks;
        }), deliveries);
        deliveries.await(500);
        assertThat(deliveries.texts()).hasSize(500).doesNotHaveDuplicates();
    }

    @Test
    void refusesWhatArtemisCannotDoOverStomp() throws Exception {
        var queue = queue();
        assertThatThrownBy(() -> connect().consumer(queue, consumer(AckMode.TRANSACTED, 10), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("consumers.ackMode");
        assertThatThrownBy(() -> connect().consumer(queue,
            ConsumerSettings.of(its -> its.prefetch = 50), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("consumer-window-size");
    }
}
