package io.brokermeter.driver.nats;

import static io.brokermeter.contract.Messages.auto;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.DriverException;
import io.nats.client.JetStreamApiException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a consumer of JetStream must say when its acknowledgements and requests find nobody. */
class NatsConsumerTest extends BrokerTest {

    NatsConsumerTest() {
        super(new NatsBroker());
    }

    /** Each of them was written, and nobody knows whether the server has read it. */
    @Test
    void saysThatSingleAcknowledgementsWereNotTaken() throws Exception {
        var wire = wire();
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var consumer = connect(settings(wire.host(), wire.port())).consumer(queue, auto(), deliveries);
        fill(queue, 5);
        deliveries.await(5);
        wire.swallow();
        assertThatThrownBy(consumer::close).isInstanceOf(IOException.class).hasMessageContaining("last acknowledgements");
    }

    @Test
    void saysNothingOfAcknowledgementsWhenNothingCame() throws Exception {
        var wire = wire();
        var queue = queue();
        declare(queue);
        var consumer = connect(settings(wire.host(), wire.port())).consumer(queue, auto(), new Deliveries());
        wire.swallow();
        assertThat(catchThrowable(consumer::close)).isNull();
    }

    /** Removes the consumer of a queue when as many requests wait for messages there. */
    private void remove(Destination queue, int waiting) throws Exception {
        try (var connection = NatsBroker.plain(settings().url())) {
            var stream = queue.name().replaceAll("[^A-Za-z0-9_-]", "_");
            var management = NatsBroker.management(connection);
            Await.until(() -> {
                try {
                    return management.getConsumerInfo(stream, "queue").getNumWaiting() >= waiting;
                } catch (IOException | JetStreamApiException e) {
                    throw new AssertionError(e);
                }
            }, () -> "no request waits");
            management.deleteConsumer(stream, "queue");
        }
    }

    /** @param limit of connecting, and of how long nobody may hear requests */
    private Consumer polling(Destination queue, Duration limit) throws Exception {
        declare(queue);
        var own = settings();
        var settings = new ConnectionSettings(own.url(), own.user(), own.password(), null, limit);
        return connect(settings).consumer(queue, ConsumerSettings.of(its -> its.polling = true), new Deliveries());
    }

    /** It asked again and again, as fast as the server answered that nobody is there. */
    @Test
    void aPollEndsWhenItsConsumerIsGone() throws Exception {
        var queue = queue();
        var consumer = polling(queue, Duration.ofSeconds(15));
        consumer.poll(Duration.ofMillis(50));
        remove(queue, 0);
        Await.until(() -> catchThrowable(() -> consumer.poll(Duration.ofMillis(100))) instanceof DriverException,
            () -> "no poll says that the consumer is gone");
    }

    @Test
    void aPollUnderWayEndsWhenItsConsumerIsRemoved() throws Exception {
        var queue = queue();
        var consumer = polling(queue, Duration.ofSeconds(20));
        var poll = new FutureTask<@Nullable Throwable>(() -> catchThrowable(() -> consumer.poll(Duration.ofSeconds(100))));
        Thread.ofPlatform().daemon().start(poll);
        remove(queue, 1);
        assertThat(poll.get(60, TimeUnit.SECONDS)).isInstanceOf(DriverException.class);
    }
}
