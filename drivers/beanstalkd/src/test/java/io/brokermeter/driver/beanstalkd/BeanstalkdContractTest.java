package io.brokermeter.driver.beanstalkd;

import static io.brokermeter.contract.BrokerTrait.FLAGS_REDELIVERY_AFTER_A_CUT;
import static io.brokermeter.contract.BrokerTrait.FLAGS_WHAT_WAS_GIVEN_BACK;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BeanstalkdContractTest extends DriverContract {

    BeanstalkdContractTest() {
        super(new ThrowawayBroker(new BeanstalkdDriver(), "beanstalkd", "beanstalkd://HOST:PORT") {

            @Override
            public long delayStepMillis() {
                return 1000;
            }
        }.killing("beanstalkd").without(FLAGS_REDELIVERY_AFTER_A_CUT, FLAGS_WHAT_WAS_GIVEN_BACK));
    }

    @Test
    void failsAMessageThatIsTooLargeAndGoesOn() throws Exception {
        var sends = new Sends();
        var queue = queue();
        var producer = connect().producer(queue, plain(), sends);
        producer.send(payload("before"), 0);
        producer.send(new Payload(new byte[20 << 20]), 1);
        producer.send(payload("after"), 2);
        producer.flush();
        sends.awaitReported(3);
        assertThat(sends.failures().get(1L)).hasMessageContaining("16777216 bytes");
        assertThat(sends.confirmedTokens()).containsExactlyInAnyOrder(0L, 2L);
        assertThat(receive(queue, 2)).containsExactly("before", "after");
    }

    @Test
    void givesAMessageBackWithItsPriority() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        for (int priority : new int[] {9, 1}) {
            connection.producer(queue, ProducerSettings.of(its -> its.variants = List.of(
                new MessageVariant(null, priority, Map.of()))), sends).send(payload("p" + priority), priority);
        }
        connection.close();
        var first = new boolean[] {true};
        var deliveries = new Deliveries(delivery -> {
            boolean back = first[0];
            first[0] = false;
            return back ? Settlement.REQUEUE : Settlement.ACCEPT;
        });
        connect().consumer(queue, ConsumerSettings.of(its -> { its.settles = true; its.prefetch = 1; }), deliveries);
        deliveries.await(3);
        assertThat(deliveries.texts()).containsExactly("p9", "p9", "p1");
    }

    /**
     * The broker warns one second before the time to run is over. A stall of the machine in that second fails an attempt, so the test makes
     * up to three.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acknowledgesABatchThatIsNotFullBeforeItsTimeToRunIsOver(boolean mayBlock) throws Exception {
        var failures = failuresOfAPartOfABatch(mayBlock);
        for (int again = 0; again < 2 && !failures.isEmpty(); again++) {
            failures = failuresOfAPartOfABatch(mayBlock);
        }
        assertThat(failures).isEmpty();
    }

    /** Has a consumer acknowledge an incomplete batch of one message, and returns the failures that the consumer reported. */
    private List<Throwable> failuresOfAPartOfABatch(boolean mayBlock) throws Exception {
        var queue = queue();
        var deliveries = new Deliveries();
        var producer = connect(settings().withProperty("ttr", "2")).producer(queue, plain(), new Sends());
        producer.send(payload("m"), 1);
        producer.close();
        var connection = connect();
        connection.consumer(queue, ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = 100;
            its.mayBlock = mayBlock;
        }), deliveries);
        Await.until(() -> deliveries.count() > 0, () -> "nothing came");
        awaitDepth(connect(), queue, 0);
        connection.close();
        return deliveries.failures();
    }

    @Test
    void emptiesATubeOfWhatIsBuriedAndDelayed() throws Exception {
        var queue = queue();
        var connection = connect();
        fill(queue, 300);
        var sends = new Sends();
        connection.producer(queue, ProducerSettings.of(its -> its.delayMillis = 60_000), sends).send(payload("later"), 0);
        var buried = new Deliveries(delivery -> Settlement.REJECT);
        var consumer = connection.consumer(queue, ConsumerSettings.of(its -> its.settles = true), buried);
        buried.await(300);
        consumer.close();
        connection.close();
        var second = connect();
        second.delete(queue);
        assertThat(second.depth(queue)).hasValue(0);
        assertEmpty(queue);
    }
}
