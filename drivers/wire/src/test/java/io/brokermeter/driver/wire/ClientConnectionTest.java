package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;

class ClientConnectionTest {

    private final List<String> events = new ArrayList<>();
    private final ConnectionListener listener = cause -> events.add("lost: " + cause.getMessage());
    private final Client client = new Client(Duration.ofSeconds(3));

    private final class Client extends ClientConnection {

        Client(Duration limit) {
            super(limit);
        }

        @Override
        public boolean declare(Destination destination) {
            return false;
        }

        @Override
        public void delete(Destination destination) {}

        @Override
        public Producer producer(Destination destination, ProducerSettings settings, SendListener sends) {
            return opened(new Sending());
        }

        @Override
        public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener deliveries) {
            return opened(() -> {
                events.add("consumer closed");
                throw new IOException("the next ones are closed as well");
            });
        }

        @Override
        protected void end() {
            events.add("ended");
        }

        void needOpen() throws IOException {
            checkOpen();
        }
    }

    private final class Sending implements Producer, ClientConnection.Losing {

        @Override
        public void send(Payload payload, long token) {}

        @Override
        public void lost(Throwable cause) {
            events.add("producer lost");
        }

        @Override
        public void close() {
            events.add("producer closed");
            client.closed(this);
        }
    }

    private Producer producer() {
        return client.producer(Destination.parse("queue://Q"), ProducerSettings.DEFAULT, SendListener.NONE);
    }

    private void consumer() {
        client.consumer(Destination.parse("queue://Q"), ConsumerSettings.DEFAULT, new DeliveryListener() {

            @Override
            public Settlement delivered(ByteBuffer body, boolean redelivered) {
                return Settlement.ACCEPT;
            }

            @Override
            public void failed(Throwable cause) {}
        });
    }

    @Test
    void closesConsumersThenProducersThenItselfOnce() {
        producer();
        consumer();
        assertThatCode(client::needOpen).doesNotThrowAnyException();
        client.close();
        client.close();
        assertThat(events).containsExactly("consumer closed", "producer closed", "ended");
        client.lost(new IOException("too late"), listener);
        assertThat(events).hasSize(3);
        assertThatThrownBy(client::needOpen).isInstanceOf(IOException.class).hasMessage("The connection is closed.");
    }

    @Test
    void aProducerLearnsOfTheLossAlsoWhenItComesLate() {
        producer();
        client.lost(new IOException("gone"), listener);
        client.lost(new IOException("again"), listener);
        assertThat(events).containsExactly("producer lost", "lost: gone");
        producer();
        assertThat(events).endsWith("producer lost").hasSize(3);
        assertThat(client.isLost()).isTrue();
        assertThatThrownBy(client::needOpen).hasMessage("The connection is lost (gone).");
        client.close();
        assertThat(events).endsWith("producer closed", "producer closed", "ended");
    }

    @Test
    void aProducerThatIsClosedIsForgotten() {
        producer().close();
        client.close();
        assertThat(events).containsExactly("producer closed", "ended");
    }

    @Test
    void aCloseWaitsNoLongerForABrokerThatDoesNotAnswer() {
        assertThat(client.closeLimit()).isEqualTo(Duration.ofSeconds(3));
        assertThat(new Client(Duration.ofMinutes(1)).closeLimit()).isEqualTo(Duration.ofSeconds(5));
        client.foundMute();
        assertThat(client.closeLimit()).isEqualTo(Duration.ofMillis(1));
        Client other = new Client(Duration.ofSeconds(3));
        other.lost(new IOException("gone"), listener);
        assertThat(other.closeLimit()).isEqualTo(Duration.ofMillis(1));
    }
}
