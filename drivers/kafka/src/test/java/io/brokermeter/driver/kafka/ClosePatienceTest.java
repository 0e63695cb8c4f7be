package io.brokermeter.driver.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class ClosePatienceTest {

    private final ClosePatience patience = new ClosePatience(Duration.ofSeconds(10));

    @Test
    void closesAThousandClientsOfASilentBrokerWithinOneLimit() {
        Duration sum = Duration.ZERO;
        for (int i = 0; i < 1000; i++) {
            Duration given = patience.left();
            sum = sum.plus(given);
            patience.waited(given, given.toNanos());
        }
        assertThat(sum).isEqualTo(Duration.ofSeconds(11));
        assertThat(patience.left()).isZero();
    }

    @Test
    void givesEachClientTheWholeLimitWhileTheBrokerAnswers() {
        for (int i = 0; i < 1000; i++) {
            patience.waited(patience.left(), 1_000_000);
        }
        assertThat(patience.left()).isEqualTo(Duration.ofSeconds(10));
        assertThat(patience.isUsedUp()).isFalse();
        patience.useUp();
        assertThat(patience.left()).isEqualTo(Duration.ofMillis(100));
    }

    /** Kafka's client may block forever if a short limit expires before it begins to wait. */
    @Test
    void givesAProducerTheWholeLimitOrNothing() {
        assertThat(patience.leftForProducer()).isEqualTo(Duration.ofSeconds(10));
        patience.waited(patience.leftForProducer(), 10_000_000_000L);
        assertThat(patience.leftForProducer()).isZero();
        assertThat(patience.left()).isEqualTo(Duration.ofMillis(100));
    }
}
